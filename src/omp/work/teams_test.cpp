// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/work/teams.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "omp/omp.hpp"

namespace gossamer::omp {
namespace {

// Runs body(initial thread) once for each team of a league.
template <class Each>
void league(uint32_t size, uint32_t thread_limit, const Each& body) {
    const Body call = [](Thread& inside, void*, void* data) { (*static_cast<const Each*>(data))(inside); };
    teams(current(), size, thread_limit, {call, const_cast<Each*>(&body)});
}

// Returns once all of `count` threads have come here.
void meet(std::atomic<uint32_t>& here, uint32_t count) {
    here.fetch_add(1);
    while (here.load() < count) std::this_thread::yield();
}

TEST(Teams, RunSideBySide) {
    std::atomic<uint32_t> here{0};
    league(2, 0, [&](Thread&) { meet(here, 2); });
    EXPECT_EQ(here, 2u);
}

TEST(Teams, EachBeginsWithAnInitialThread) {
    Thread& outside = current();
    const Icvs before = outside.icvs();
    std::atomic<uint32_t> seen[5] = {};
    league(5, 7, [&](Thread& inside) {
        EXPECT_EQ(&inside, &current());
        EXPECT_EQ(inside.num, 0u);
        EXPECT_EQ(inside.team->size, 1u);
        EXPECT_EQ(inside.team->level, 0u);
        EXPECT_EQ(inside.team->active_level, 0u);
        EXPECT_EQ(ancestor_num(inside, 0), 0);
        EXPECT_EQ(ancestor_num(inside, 1), -1);
        EXPECT_EQ(num_teams(inside), 5u);
        EXPECT_EQ(inside.icvs().nthreads, before.nthreads);
        EXPECT_EQ(inside.icvs().thread_limit, 7u);
        inside.change_icvs().nthreads = 99;  // must not reach another team
        seen[team_num(inside)].fetch_add(1);
    });
    for (const std::atomic<uint32_t>& each : seen) EXPECT_EQ(each, 1u);
    EXPECT_EQ(&current(), &outside);
    EXPECT_EQ(num_teams(outside), 1u);
    EXPECT_EQ(outside.icvs(), before);
}

TEST(Teams, EachIsAContentionGroup) {
    std::atomic<uint32_t> here{0}, sizes{0};
    league(2, 3, [&](Thread& inside) {
        struct Shared {
            std::atomic<uint32_t>&here, &sizes;
        } shared{here, sizes};
        parallel(inside, 8, true,
                 {[](Thread& thread, void*, void* data) {
                      Shared& to = *static_cast<Shared*>(data);
                      EXPECT_EQ(thread.team->level, 1u);
                      EXPECT_EQ(thread.team->active_level, 1u);
                      EXPECT_EQ(num_teams(thread), 2u);
                      to.sizes.fetch_add(thread.team->size);
                      meet(to.here, 6);  // all threads of both teams
                  },
                  &shared});
        EXPECT_EQ(*inside.team->busy, 1u);
    });
    EXPECT_EQ(sizes, 18u);
    EXPECT_EQ(*current().team->busy, 1u);
}

TEST(Teams, CombineOneAtATime) {
    const auto method = [](const ReductionOffer& offer) {
        std::vector<ReductionMethod> methods(2);
        league(2, 0, [&](Thread& inside) {
            const ReductionRole role = reduction_begin(inside, &methods, offer, false);
            methods[team_num(inside)] = inside.reduction.method;
            if (role != ReductionRole::nothing) reduction_end(inside, &methods, false);
        });
        EXPECT_EQ(methods[0], methods[1]);
        return methods[0];
    };
    ReductionOffer offer;
    offer.variables = 1;
    EXPECT_EQ(method(offer), ReductionMethod::critical);
    offer.atomic = true;
    EXPECT_EQ(method(offer), ReductionMethod::atomic);
}

TEST(Teams, OneAfterAnotherWhereNoThreadMayBeHad) {
    Thread& thread = current();
    const uint32_t before = thread.icvs().max_active_levels;
    thread.change_icvs().max_active_levels = 0;
    std::vector<uint32_t> nums;
    league(3, 0, [&](Thread& inside) {
        EXPECT_EQ(&inside, &thread);
        nums.push_back(team_num(inside));
    });
    thread.change_icvs().max_active_levels = before;
    EXPECT_EQ(nums, (std::vector<uint32_t>{0, 1, 2}));
}

}  // namespace
}  // namespace gossamer::omp
