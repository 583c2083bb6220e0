// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/memory/allocator.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "omp/memory/allocator_text.hpp"
#include "omp/memory/tracked.hpp"

namespace gossamer::omp {
namespace {

constexpr MemspaceHandle default_space = static_cast<MemspaceHandle>(Memspace::default_mem);

AllocatorHandle make(std::vector<Trait> traits, MemspaceHandle space = default_space) { return init_allocator(space, traits); }

bool aligned(const void* block, std::size_t alignment) { return reinterpret_cast<std::uintptr_t>(block) % alignment == 0; }

TEST(Allocator, PredefinedOnesGiveMemory) {
    for (AllocatorHandle allocator = 1; allocator <= 8; ++allocator) {
        void* block = allocate(1000, 0, allocator);
        ASSERT_NE(block, nullptr);
        EXPECT_TRUE(aligned(block, alignof(std::max_align_t)));
        std::memset(block, 1, 1000);
        release(block);
    }
    EXPECT_EQ(allocate(0, 0, default_mem_alloc), nullptr);
    release(nullptr);
    destroy_allocator(default_mem_alloc);
}

TEST(Allocator, AlignmentIsTheLargestAskedFor) {
    AllocatorHandle allocator = make({{TraitKey::alignment, 256}});
    ASSERT_NE(allocator, null_allocator);
    for (std::size_t wanted = 1; wanted <= 65536; wanted *= 2) {
        for (std::size_t size : {std::size_t{1}, std::size_t{100}, std::size_t{70000}}) {
            void* block = allocate(size, wanted, allocator);
            ASSERT_NE(block, nullptr);
            EXPECT_TRUE(aligned(block, wanted > 256 ? wanted : 256)) << wanted;
            std::memset(block, 0xff, size);
            release(block);
        }
    }
    destroy_allocator(allocator);
}

TEST(Allocator, ZeroedBlocksAreZeroAndOverflowIsRefused) {
    auto* block = static_cast<unsigned char*>(allocate_zeroed(100, 10, 128, default_mem_alloc));
    ASSERT_NE(block, nullptr);
    EXPECT_TRUE(aligned(block, 128));
    for (int at = 0; at < 1000; ++at) ASSERT_EQ(block[at], 0);
    release(block);
    EXPECT_EQ(allocate_zeroed(SIZE_MAX / 2, 3, 0, default_mem_alloc), nullptr);
    EXPECT_EQ(allocate(SIZE_MAX - 8, 64, default_mem_alloc), nullptr);
}

TEST(Allocator, ThePoolIsABound) {
    AllocatorHandle allocator = make({{TraitKey::pool_size, 10'000}, {TraitKey::fallback, trait::null_fb}});
    void* first = allocate(6000, 0, allocator);
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(allocate(6000, 0, allocator), nullptr);
    release(first);
    void* second = allocate(6000, 0, allocator);
    EXPECT_NE(second, nullptr);
    release(second);
    destroy_allocator(allocator);
}

TEST(Allocator, AGrowingBlockNeedsOnlyTheDifferenceOfItsPool) {
    AllocatorHandle allocator = make({{TraitKey::pool_size, 10'000}, {TraitKey::fallback, trait::null_fb}});
    auto* block = static_cast<char*>(allocate(6000, 0, allocator));
    ASSERT_NE(block, nullptr);
    block[5999] = 'x';
    EXPECT_EQ(reallocate(block, 11'000, allocator), nullptr);
    block = static_cast<char*>(reallocate(block, 9000, allocator));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(block[5999], 'x');
    EXPECT_EQ(allocate(2000, 0, allocator), nullptr);
    block = static_cast<char*>(reallocate(block, 1000, allocator));
    ASSERT_NE(block, nullptr);
    void* other = allocate(8000, 0, allocator);
    EXPECT_NE(other, nullptr);
    release(other);
    release(block);
    void* whole = allocate(9900, 0, allocator);
    EXPECT_NE(whole, nullptr);
    release(whole);
    destroy_allocator(allocator);
}

TEST(Allocator, ThePoolIsABoundForManyThreads) {
    AllocatorHandle allocator = make({{TraitKey::pool_size, 64'000}, {TraitKey::fallback, trait::null_fb}});
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([allocator] {
            for (int round = 0; round < 2000; ++round) release(allocate(30'000, 0, allocator));
        });
    }
    for (std::thread& thread : threads) thread.join();
    void* whole = allocate(63'000, 0, allocator);
    EXPECT_NE(whole, nullptr);
    release(whole);
    destroy_allocator(allocator);
}

TEST(Allocator, FallbacksAreTaken) {
    AllocatorHandle by_default = make({{TraitKey::pool_size, 100}});
    void* block = allocate(1000, 0, by_default);
    EXPECT_NE(block, nullptr);
    release(block);

    AllocatorHandle second = make({{TraitKey::pool_size, 5000}, {TraitKey::fallback, trait::null_fb}});
    AllocatorHandle first =
        make({{TraitKey::pool_size, 100}, {TraitKey::fallback, trait::allocator_fb}, {TraitKey::fb_data, second}});
    ASSERT_NE(first, null_allocator);
    block = allocate(4000, 0, first);
    EXPECT_NE(block, nullptr);
    EXPECT_EQ(allocate(4000, 0, first), nullptr);
    release(block);
    for (AllocatorHandle allocator : {by_default, second, first}) destroy_allocator(allocator);
}

TEST(AllocatorDeathTest, AbortNamesTheTrait) {
    EXPECT_DEATH(
        {
            AllocatorHandle allocator = make({{TraitKey::pool_size, 100}, {TraitKey::fallback, trait::abort_fb}});
            allocate(1000, 0, allocator);
        },
        "gossamer: fatal: .*abort_fb.*1000");
}

TEST(Allocator, ImpossibleTraitsAreRefused) {
    EXPECT_EQ(make({{TraitKey::alignment, 3}}), null_allocator);
    EXPECT_EQ(make({{TraitKey::alignment, 0}}), null_allocator);
    EXPECT_EQ(make({{TraitKey::pool_size, 0}}), null_allocator);
    EXPECT_EQ(make({{TraitKey::pinned, trait::yes}}), null_allocator);
    EXPECT_EQ(make({{TraitKey::fallback, trait::allocator_fb}}), null_allocator);
    EXPECT_EQ(make({{TraitKey::fallback, 99}}), null_allocator);
    EXPECT_EQ(make({{TraitKey::access, trait::contended}}), null_allocator);
    EXPECT_EQ(make({{static_cast<TraitKey>(77), 1}}), null_allocator);
    EXPECT_EQ(make({}, static_cast<MemspaceHandle>(Memspace::high_bw)), null_allocator);
    EXPECT_EQ(make({}, 55), null_allocator);
    AllocatorHandle all_defaults = make({{TraitKey::sync_hint, trait::by_default},
                                         {TraitKey::alignment, trait::by_default},
                                         {TraitKey::pool_size, trait::by_default},
                                         {TraitKey::pinned, trait::by_default},
                                         {TraitKey::partition, trait::nearest}});
    EXPECT_NE(all_defaults, null_allocator);
    destroy_allocator(all_defaults);
}

TEST(Allocator, ReallocationKeepsTheContent) {
    AllocatorHandle allocator = make({{TraitKey::alignment, 512}, {TraitKey::pool_size, 100'000}});
    auto* block = static_cast<char*>(reallocate(nullptr, 100, allocator));
    ASSERT_NE(block, nullptr);
    for (int at = 0; at < 100; ++at) block[at] = static_cast<char>(at);
    block = static_cast<char*>(reallocate(block, 50'000, null_allocator));
    ASSERT_NE(block, nullptr);
    EXPECT_TRUE(aligned(block, 512));
    for (int at = 0; at < 100; ++at) ASSERT_EQ(block[at], at);
    block = static_cast<char*>(reallocate(block, 10, default_mem_alloc));
    for (int at = 0; at < 10; ++at) ASSERT_EQ(block[at], at);
    EXPECT_EQ(reallocate(block, 0, null_allocator), nullptr);
    // All of the pool is back.
    void* whole = allocate(99'000, 0, allocator);
    EXPECT_NE(whole, nullptr);
    release(whole);
    destroy_allocator(allocator);
}

TEST(AllocatorText, NamesAndTraits) {
    EXPECT_EQ(parse_allocator("omp_default_mem_alloc"), std::optional<AllocatorHandle>(1));
    EXPECT_EQ(parse_allocator(" OMP_THREAD_MEM_ALLOC "), std::optional<AllocatorHandle>(8));
    auto made = parse_allocator("omp_large_cap_mem_space : alignment = 4096 , pool_size=64K,fallback=null_fb");
    ASSERT_TRUE(made.has_value());
    void* block = allocate(1, 0, *made);
    EXPECT_TRUE(aligned(block, 4096));
    release(block);
    EXPECT_EQ(allocate(65536, 0, *made), nullptr);
    destroy_allocator(*made);
    for (const char* wrong :
         {"", "omp_default_mem_space:", "omp_default_mem_space:alignment", "x:alignment=8", "omp_default_mem_space:alignment=7",
          "omp_default_mem_space:fallback=none", "omp_default_mem_space:fb_data=x", "omp_high_bw_mem_space:alignment=8"}) {
        EXPECT_FALSE(parse_allocator(wrong).has_value()) << wrong;
    }
}

TEST(Tracked, AnAddressIsForgottenWhenAskedFor) {
    std::vector<int> blocks(3000);
    TrackedBlocks tracked;
    for (int& block : blocks) tracked.track(&block);
    for (int& block : blocks) EXPECT_TRUE(tracked.holds(&block));
    for (int& block : blocks) EXPECT_TRUE(tracked.untrack(&block));
    for (int& block : blocks) EXPECT_FALSE(tracked.untrack(&block));
    for (int& block : blocks) EXPECT_FALSE(tracked.holds(&block));
    tracked.track(nullptr);
    EXPECT_FALSE(tracked.untrack(nullptr));
}

}  // namespace
}  // namespace gossamer::omp
