// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/team/team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "omp/team/team_stock.hpp"
#include "omp/thread/root.hpp"
#include "omp/work/single.hpp"
#include "os/os.hpp"

namespace gossamer::omp {
namespace {

uint32_t threads_of_a_region(uint32_t requested) {
    std::atomic<uint32_t> count{0};
    parallel(current(), requested, true,
             {[](Thread&, void*, void* data) { static_cast<std::atomic<uint32_t>*>(data)->fetch_add(1); }, &count});
    return count;
}

TEST(ThreadLimit, WhatATeamCouldNotHaveIsLeftToTheNextOne) {
    Thread& thread = current();
    const uint32_t before = thread.icvs().thread_limit;
    ASSERT_EQ(threads_of_a_region(2), 2u) << "the carriers have begun";
    thread.change_icvs().thread_limit = 1000;
    for (int region = 0; region < 3; ++region) {
        os::inject_failures(os::Failure::memory, 1, os::all_further);
        EXPECT_LT(threads_of_a_region(900), 900u);
        os::inject_failures(os::Failure::memory, 0);
        EXPECT_EQ(*thread.team->busy, 1u);
    }
    EXPECT_EQ(threads_of_a_region(900), 900u);
    EXPECT_EQ(threads_of_a_region(2000), 1000u);
    thread.change_icvs().thread_limit = before;
}

// In a process of its own: regions of sixteen threads and of forty on sixteen carriers. Tells whether homes have started each
// other, and whether each thread ran exactly once in each region.
[[noreturn]] void run_on_sixteen_carriers() {
    constexpr uint32_t most = 40, regions = 100;
    static std::atomic<uint32_t> ran[most];
    const auto body = [](Thread& thread, void*, void*) { ran[thread.num].fetch_add(1, std::memory_order_relaxed); };
    uint32_t trees = 0;
    bool right = true;
    for (uint32_t region = 0; region < regions; ++region) {
        const uint32_t size = region % 3 == 0 ? most : 16;
        for (auto& each : ran) each.store(0, std::memory_order_relaxed);
        parallel(current(), size, true, {body, nullptr});
        trees += current().child->by_tree ? 1 : 0;
        for (uint32_t num = 0; num < most; ++num) right &= ran[num].load(std::memory_order_relaxed) == (num < size ? 1u : 0u);
    }
    std::fprintf(stderr, "trees: %s, right: %s", trees != 0 ? "yes" : "no", right ? "yes" : "no");
    std::_Exit(0);
}

TEST(ForkTree, HomesStartEachOther) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own, which reads the settings
    ::setenv("GOSSAMER_CARRIERS", "16", 1);
    ::setenv("GOSSAMER_CHAOS", "1", 1);
    EXPECT_EXIT(run_on_sixteen_carriers(), ::testing::ExitedWithCode(0), "trees: yes, right: yes");
    ::unsetenv("GOSSAMER_CHAOS");
    ::unsetenv("GOSSAMER_CARRIERS");
}

// How many threads of a region of two execute the first, second and third single construct, without barriers.
uint32_t executions_of_singles() {
    std::atomic<uint32_t> count{0};
    const auto body = [](Thread& thread, void*, void* data) {
        for (int construct = 0; construct < 3; ++construct) {
            if (single_start(thread)) static_cast<std::atomic<uint32_t>*>(data)->fetch_add(1);
        }
    };
    parallel(current(), 2, true, {body, &count});
    return count;
}

TEST(Epochs, ARegionWithANumberThatWasUsedBeforeHasItsOwnSingles) {
    threads_of_a_region(2);
    Team& team = *current().child;
    team.epoch = 0;
    ASSERT_EQ(executions_of_singles(), 3u);
    ASSERT_EQ(team.epoch, 1u);
    team.epoch = UINT32_MAX;
    EXPECT_EQ(executions_of_singles(), 3u) << "the region after 2^32 others";
    EXPECT_EQ(team.epoch, 1u);
}

TEST(Epochs, NoThreadHasLeftARegionBecauseItLeftOneOfTheSameNumber) {
    threads_of_a_region(3);
    Team& team = *current().child;
    team.epoch = UINT32_MAX;
    for (uint32_t num = 0; num < team.capacity; ++num) team.threads[num].retired = 1;
    threads_of_a_region(2);
    EXPECT_EQ(team.epoch, 1u);
    EXPECT_EQ(team.threads[2].retired, 0u);
}

TEST(Epochs, CopyprivateDataOfAnEqualNumberAreNotTaken) {
    threads_of_a_region(2);
    Team& team = *current().child;
    team.epoch = UINT32_MAX;
    team.barrier.broadcasts = uint64_t{1} << 32 | 1;  // of the first construct of region 1, long ago
    int fresh = 0;
    static std::atomic<int*> data;
    static std::atomic<uint32_t> wrong;
    static std::atomic<bool> takes;
    data = &fresh;
    wrong = 0;
    takes = false;
    const auto body = [](Thread& thread, void*, void*) {
        if (single_start(thread)) {
            while (!takes) fiber::yield();
            for (int i = 0; i < 10'000; ++i) fiber::yield();  // time to take too early
            copyprivate_give(thread, data);
        } else {
            takes = true;
            if (copyprivate_take(thread) != data) ++wrong;
        }
        barrier(thread);
    };
    parallel(current(), 2, true, {body, nullptr});
    EXPECT_EQ(wrong, 0u);
}

TEST(Epochs, AThreadThatHasLongNotRunSeesItsIcvs) {
    Thread& thread = current();
    const int32_t before = thread.icvs().schedule_chunk;
    static std::atomic<int32_t> seen[3];
    const auto region = [&](uint32_t threads, int32_t chunk) {
        thread.change_icvs().schedule_chunk = chunk;
        parallel(thread, threads, true,
                 {[](Thread& each, void*, void*) { seen[each.num] = each.icvs().schedule_chunk; }, nullptr});
    };
    region(3, 1);
    Team& team = *thread.child;
    const uint32_t begun_as = team.threads[2].begun_as;
    // As if the ICVs had changed nearly 2^30 times since.
    team.begins_as = 0u - 4;
    for (int32_t chunk = 2; team.begins_as != begun_as; ++chunk) region(2, chunk);
    region(3, team.icvs.schedule_chunk);
    EXPECT_EQ(seen[2], team.icvs.schedule_chunk);
    thread.change_icvs().schedule_chunk = before;
}

// What a thread runs comes with its start, or from the team; regions in turn differ in body, function, data and words.
TEST(Blocks, EachThreadRunsWhatItsRegionSays) {
    static constexpr uint32_t most = 40;
    static std::atomic<uint32_t> wrong, ran[most];
    static int functions[3];
    static uintptr_t round;  // written between regions
    wrong = 0;
    const Body bodies[] = {
        [](Thread& thread, void* function, void* data) {
            if (function != &functions[round % 3] || data != &functions[round % 2]) ++wrong;
            ++ran[thread.num];
        },
        [](Thread& thread, void* function, void* data) {
            void* const* const words = static_cast<void**>(data);
            if (function != &functions[round % 3] || words[0] != &round || words[1] != &functions[round % 2]) ++wrong;
            ++ran[thread.num];
        },
    };
    Thread& thread = current();
    constexpr uint32_t rounds = 600;
    uint32_t expected[most] = {};
    for (uint32_t num = 0; num < most; ++num) ran[num] = 0;
    for (round = 0; round < rounds; ++round) {
        const auto width = static_cast<uint32_t>(round % 4 == 3 ? 2 + round % (most - 1) : globals().carriers);
        for (uint32_t num = 0; num < width; ++num) ++expected[num];
        void* words[] = {&round, &functions[round % 2]};
        const bool few = round % 5 < 2;
        Region region{bodies[few], few ? static_cast<void*>(words) : &functions[round % 2]};
        region.count = few ? 2 : 0;
        region.function = &functions[round % 3];
        parallel(thread, width, true, region);
    }
    EXPECT_EQ(wrong, 0u);
    for (uint32_t num = 0; num < most; ++num) EXPECT_EQ(ran[num], expected[num]) << "number " << num;
}

// What each thread of an outer team does: a region of three threads.
struct Inner {
    void (*body)(Thread&, void*, void*);
    void* data;
};

void nest(uint32_t width, Inner inner) {
    const auto outer = [](Thread& thread, void*, void* what) {
        const Inner& each = *static_cast<Inner*>(what);
        parallel(thread, 3, true, {each.body, each.data});
    };
    parallel(current(), width, true, {outer, &inner});
}

TEST(Near, ThreadsOfOneCarrierUseOneTeamInTurn) {
    constexpr uint32_t width = 256;
    struct Seen {
        std::atomic<Team*> teams[width];
    };
    static Seen seen;
    const auto note = [](Thread& thread, void*, void*) {
        if (thread.num == 0) seen.teams[thread.team->parent->num] = thread.team;
    };
    nest(width, {note, nullptr});
    std::set<Team*> teams;
    for (const std::atomic<Team*>& each : seen.teams) teams.insert(each);
    // Some for each carrier, where threads wait in the middle of a region; never one for each thread.
    EXPECT_LE(teams.size(), width / 4);
}

TEST(Near, ATeamBeginsWithTheIcvsOfEachParent) {
    static std::atomic<uint32_t> wrong;
    wrong = 0;
    const auto outer = [](Thread& thread, void*, void*) {
        for (int32_t round = 1; round <= 100; ++round) {
            thread.change_icvs().schedule_chunk = round * 1000 + static_cast<int32_t>(thread.num);
            const auto inner = [](Thread& each, void*, void*) {
                const Icvs& parents = each.team->parent->icvs();
                if (each.icvs().schedule_chunk != parents.schedule_chunk || each.team->level != 2) ++wrong;
            };
            parallel(thread, thread.num % 4 + 1, true, {inner, nullptr});
        }
    };
    parallel(current(), 16, true, {outer, nullptr});
    EXPECT_EQ(wrong, 0u);
}

TEST(Near, WhatIsTooMuchForACarrierServesOthers) {
    static std::atomic<uint32_t> wrong;
    wrong = 0;
    const auto body = [](Thread& thread, void*, void*) {
        if (thread.num != 0) return;
        constexpr uint32_t size = 500;  // no other test has teams of that capacity
        std::set<Team*> taken, again;
        for (int i = 0; i < 10; ++i) taken.insert(take_team(size));
        taken.erase(nullptr);
        for (Team* each : taken) give_near(*each);
        uint32_t near = 0;
        while (Team* const team = take_near(size)) {
            again.insert(team);
            ++near;
        }
        if (near == 0 || near > 1) ++wrong;  // half a megabyte each
        while (again.size() < taken.size()) again.insert(take_team(size));
        if (again != taken) ++wrong;
        for (Team* each : again) give_team(*each);
    };
    parallel(current(), 2, true, {body, nullptr});
    EXPECT_EQ(wrong, 0u);
}

TEST(Near, ATeamOfARegionThatEndsOnAnotherCarrierServesAll) {
    ASSERT_EQ(threads_of_a_region(2), 2u) << "the carriers have begun";
    if (fiber::carrier_count() < 2) GTEST_SKIP() << "one carrier";
    static constexpr uint32_t size = 250;  // no other test has teams of that capacity
    static std::atomic<Team*> moved;
    static std::atomic<uint32_t> taker;
    static std::atomic<bool> given;
    moved = nullptr;
    given = false;
    // Both threads stay on their carriers: they wait for each other without suspending.
    const auto body = [](Thread& thread, void*, void*) {
        if (thread.num == 0) {
            taker = fiber::carrier_number();
            moved = take_team(size);
            while (!given) os::yield_native();
        } else {
            while (moved == nullptr) os::yield_native();
            Team* const team = moved;
            give_near(*team);
            if (fiber::carrier_number() != taker) {
                EXPECT_EQ(take_near(size), nullptr) << "it would be missed where it was taken";
            }
            EXPECT_EQ(take_team(size), team);
            give_near(*team);
            EXPECT_EQ(take_near(size), team) << "it was taken here";
            give_team(*team);
            given = true;
        }
    };
    parallel(current(), 2, true, {body, nullptr});
    EXPECT_TRUE(given);
}

TEST(Near, WhatLiesIdleElsewhereIsTakenBeforeATeamIsMade) {
    ASSERT_EQ(threads_of_a_region(2), 2u) << "the carriers have begun";
    if (fiber::carrier_count() < 2) GTEST_SKIP() << "one carrier";
    static std::atomic<Team*> idle;
    static std::atomic<uint32_t> giver;
    static std::atomic<bool> taken;
    idle = nullptr;
    taken = false;
    // Both threads stay on their carriers: they wait for each other without suspending.
    const auto body = [](Thread& thread, void*, void*) {
        constexpr uint32_t size = 3000;  // no other test has teams of that capacity, or larger ones
        if (thread.num == 0) {
            Team* const team = take_team(size);
            giver = fiber::carrier_number();
            give_near(*team);
            idle = team;
            while (!taken) os::yield_native();
        } else {
            while (idle == nullptr) os::yield_native();
            Team* const team = take_team(size);
            EXPECT_TRUE(team == idle || fiber::carrier_number() == giver);
            taken = true;
            give_team(*team);
        }
    };
    parallel(current(), 2, true, {body, nullptr});
    EXPECT_TRUE(taken);
}

TEST(Near, CarriersThatOftenFetchATeamFromEachOtherGetOneMore) {
    ASSERT_EQ(threads_of_a_region(2), 2u) << "the carriers have begun";
    if (fiber::carrier_count() < 2) GTEST_SKIP() << "one carrier";
    static std::atomic<uint32_t> turn;
    static std::atomic<Team*> lies[2];
    static uint32_t carriers[2];
    turn = 0;
    // The threads use a team by turns. Both stay on their carriers: they wait for each other without suspending.
    const auto body = [](Thread& thread, void*, void*) {
        constexpr uint32_t size = 20;  // no other test has teams of that capacity
        carriers[thread.num] = fiber::carrier_number();
        for (uint32_t i = 0; i < 100; ++i) {
            while (turn % 2 != thread.num) os::yield_native();
            Team* team = take_near(size);
            if (team == nullptr) team = take_team(size);
            give_near(*team);
            lies[thread.num] = team;
            if (i == 0 && thread.num == 1 && carriers[0] != carriers[1]) {
                EXPECT_EQ(lies[0], team) << "while that is rare one is enough";
            }
            ++turn;
        }
    };
    parallel(current(), 2, true, {body, nullptr});
    if (carriers[0] != carriers[1]) {
        EXPECT_NE(lies[0], lies[1]);
    }
}

TEST(Size, MoreThreadsThanAnyMemoryHolds) {
    EXPECT_EQ(take_team(UINT32_MAX), nullptr);
    static std::atomic<uint32_t> inner;
    inner = 0;
    const auto outer = [](Thread& thread, void*, void*) {
        parallel(thread, UINT32_MAX, true, {[](Thread&, void*, void*) { ++inner; }, nullptr});
    };
    parallel(current(), 2, true, {outer, nullptr});
    EXPECT_EQ(inner, 2u) << "each of the two inner teams has one thread";
}

}  // namespace
}  // namespace gossamer::omp
