// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "os/failures.hpp"

namespace gossamer::os {
namespace {

bool readable(const void* address) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    bool copied = write(ends[1], address, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return copied;
}

unsigned resident_pages(void* low, std::size_t size) {
    std::vector<unsigned char> pages(size / page_size());
    if (mincore(low, size, pages.data()) != 0) return ~0u;
    unsigned count = 0;
    for (unsigned char page : pages) count += page & 1;
    return count;
}

TEST(Stack, IsWritableToTheEndsAndGuardedBelow) {
    Stack stack;
    ASSERT_EQ(map_stack(100'000, stack), 0);
    EXPECT_GE(stack.size, 100'000u);
    EXPECT_EQ(stack.size % page_size(), 0u);
    char* low = static_cast<char*>(stack.low);
    low[0] = 1;
    low[stack.size - 1] = 2;
    EXPECT_TRUE(stack.contains(low));
    EXPECT_FALSE(stack.contains(stack.top()));
    EXPECT_FALSE(stack.contains(low - 1));
    EXPECT_TRUE(readable(low));
    EXPECT_FALSE(readable(low - 1));
    EXPECT_FALSE(readable(low - guard_size()));
    unmap_stack(stack);
    EXPECT_FALSE(readable(low));
}

TEST(Stack, IsCommittedAsItIsTouched) {
    Stack stack;
    ASSERT_EQ(map_stack(16 << 20, stack), 0);
    EXPECT_EQ(resident_pages(stack.low, stack.size), 0u);
    static_cast<char*>(stack.top())[-1] = 1;
    EXPECT_EQ(resident_pages(stack.low, stack.size), 1u);
    std::memset(static_cast<char*>(stack.top()) - 10 * page_size(), 1, 10 * page_size());
    EXPECT_EQ(resident_pages(stack.low, stack.size), 10u);
    unmap_stack(stack);
}

TEST(Stack, RefusesNonsense) {
    Stack stack;
    EXPECT_EQ(map_stack(0, stack), EINVAL);
    EXPECT_EQ(map_stack(SIZE_MAX, stack), EINVAL);
    errno = 42;
    EXPECT_EQ(map_stack(SIZE_MAX / 2 - (1 << 20), stack), ENOMEM);
    EXPECT_EQ(errno, 42);
    EXPECT_EQ(stack.low, nullptr);
    unmap_stack(stack);
}

// Maps stacks until no more are granted, where 128 MiB are; 0: the rest of the program still gets memory then.
[[noreturn]] void exhaust_address_space() {
    unsigned long pages = 0;
    FILE* const statm = std::fopen("/proc/self/statm", "r");
    if (statm == nullptr || std::fscanf(statm, "%lu", &pages) != 1) std::_Exit(2);
    std::fclose(statm);
    rlimit limit{};
    ::getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = pages * page_size() + (128 << 20);
    if (::setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(3);
    Stack stack;
    int code = 0, count = 0;
    for (; code == 0 && count < 1000; ++count) code = map_stack(1 << 20, stack);
    if (code == 0) std::_Exit(0);  // emulators do not enforce the limit
    if (code != ENOMEM || count < 64) std::_Exit(4);
    Mapping rest;
    std::_Exit(map_pages(8 << 20, rest));
}

TEST(Stack, LeavesOthersSomeOfALimitedAddressSpace) { EXPECT_EXIT(exhaust_address_space(), testing::ExitedWithCode(0), ""); }

TEST(Pages, AreZeroAndWritable) {
    Mapping pages;
    ASSERT_EQ(map_pages(page_size() + 1, pages), 0);
    EXPECT_EQ(pages.size, 2 * page_size());
    char* bytes = static_cast<char*>(pages.base);
    for (std::size_t i = 0; i < pages.size; ++i) ASSERT_EQ(bytes[i], 0);
    std::memset(bytes, 1, pages.size);
    unmap_pages(pages);
    EXPECT_FALSE(readable(bytes));
    EXPECT_EQ(map_pages(0, pages), EINVAL);
}

TEST(SignalReserve, HoldsASignalFrame) {
    EXPECT_GE(signal_reserve(), 16u * 1024);
    EXPECT_GE(static_cast<long>(signal_reserve()), sysconf(_SC_MINSIGSTKSZ));
}

TEST(Failures, StrikeAtTheChosenMapping) {
    Stack stack;
    Mapping pages;
    inject_failures(Failure::memory, 2);
    EXPECT_EQ(map_stack(4096, stack), 0);
    Stack second;
    EXPECT_EQ(map_stack(4096, second), ENOMEM);
    EXPECT_EQ(second.low, nullptr);
    EXPECT_EQ(map_pages(4096, pages), 0);
    unmap_stack(stack);
    unmap_pages(pages);

    inject_failures(Failure::memory, 1, all_further);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(map_pages(4096, pages), ENOMEM);
    inject_failures(Failure::memory, 0);
    EXPECT_EQ(map_pages(4096, pages), 0);
    unmap_pages(pages);
}

}  // namespace
}  // namespace gossamer::os
