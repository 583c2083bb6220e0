// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <thread>

#include "fiber/identity.hpp"
#include "fiber/process_for_test.hpp"
#include "fiber/shelf.hpp"

namespace gossamer::fiber {
namespace {

TEST(Shelf, TheNewestComeOffFirst) {
    Link links[5];
    Shelf shelf;
    std::uint32_t count = 7;
    EXPECT_TRUE(shelf.empty_hint());
    EXPECT_EQ(shelf.take(3, count), nullptr);
    EXPECT_EQ(count, 0u);
    links[0].next = &links[1];
    shelf.put(&links[0], &links[1], 2);
    shelf.put(&links[2], &links[2], 1);
    EXPECT_EQ(shelf.size_hint(), 3u);
    EXPECT_EQ(shelf.take(2, count), &links[2]);
    EXPECT_EQ(count, 2u);
    EXPECT_EQ(links[2].next, &links[0]);
    EXPECT_EQ(links[0].next, nullptr);
    EXPECT_EQ(shelf.take(2, count), &links[1]);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(shelf.size_hint(), 0u);
    EXPECT_TRUE(shelf.empty_hint());
}

TEST(Shelf, GivesWhatFits) {
    Link links[3];
    Shelf shelf;
    for (Link& each : links) shelf.put(&each, &each, 1);
    const auto is = [](Link* wanted) { return [wanted](const Link& link) { return &link == wanted; }; };
    EXPECT_EQ(shelf.take_if(is(&links[1])), &links[1]);
    EXPECT_EQ(shelf.take_if(is(&links[1])), nullptr);
    EXPECT_EQ(shelf.take_if(is(&links[2])), &links[2]);
    EXPECT_EQ(shelf.size_hint(), 1u);
    EXPECT_EQ(shelf.take_if(is(&links[0])), &links[0]);
    EXPECT_TRUE(shelf.empty_hint());
}

// All numbers but one wait at the same time, each on a fiber of its own.
void wait_together(TestTeam& team, std::uint32_t size) {
    std::atomic<std::uint32_t> arrived{0};
    team.run_with_caller(size, [&](std::uint32_t) {
        if (arrived.fetch_add(1) + 1 == size) notify_all(arrived);
        for (std::uint32_t seen; (seen = arrived.load()) < size;) wait(arrived, seen);
    });
}

// What one carrier has left over another one takes before it makes new ones.
TEST(Stock, NoMoreFibersThanEverWaitedAtOnce) {
    for (const std::uint32_t carriers : {1u, 2u, 5u}) {
        SCOPED_TRACE(carriers);
        in_process(with_carriers(carriers), [carriers] {
            constexpr std::uint32_t most = 60;
            constexpr std::uint32_t made_together = 4;
            TestTeam& team = new_team(most);
            for (std::uint32_t round = 0; round < 600; ++round) wait_together(team, 2 + round * 37 % (most - 1));
            // The fibers that wait, one that runs on each carrier, and those that each carrier keeps to itself.
            EXPECT_LE(g.fibers_made.load(), most + carriers * (1 + spares_kept) + made_together);
        });
    }
}

// Beside a root that goes on working, and is given fibers that others have left.
TEST(Stock, RootsThatEndEndWhatTheyHaveBrought) {
    in_each_shape([] {
        static std::atomic<std::uint32_t> retired{0};
        constexpr std::uint32_t crew = 100, at_once = 3, rounds = 2;
        std::atomic<std::uint32_t> roots{at_once};
        const auto be_root = [&roots] {
            for (std::uint32_t round = 0; round < rounds; ++round) {
                ASSERT_TRUE(enter());
                std::vector<Fiber*> reserved(crew);
                for (Fiber*& each : reserved) ASSERT_NE(each = reserve(), nullptr);
                wait_together(new_team(5), 5);
                for (Fiber* const each : reserved) release(each);
                const std::uint32_t brought = crew + leave();
                end_surplus(brought, [](std::uint32_t) { retired.fetch_add(1); });
            }
            roots.fetch_sub(1);
        };
        std::vector<std::thread> threads;
        for (std::uint32_t i = 0; i < at_once; ++i) threads.emplace_back(be_root);
        TestTeam& team = new_team(20);
        while (roots.load() != 0) wait_together(team, 20);
        for (std::thread& each : threads) each.join();
        const std::uint32_t made = static_cast<std::uint32_t>(g.fibers_made.load());
        EXPECT_EQ(living_fibers(), made - retired.load());
        EXPECT_GE(retired.load(), crew / 3);
        EXPECT_LE(living_fibers(), 2 * crew);  // what is kept in stock, by the carriers, and by the team
    });
}

}  // namespace
}  // namespace gossamer::fiber
