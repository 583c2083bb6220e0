// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// teams on the host: number of teams, distribute, limits, reductions, and parallel regions inside each team. A teams
// region lies in no other region, so outer teams do not run it.
// libgomp runs all teams in one data environment.
// test: peer-skip gcc data-environments
// libomp runs such teams as members of the region:
// test: peer-skip clang target-in-a-region
// test: teams 1 2 3 8
#include "check.h"

// A function, because gcc accepts little else than distribute and parallel in the region itself.
__attribute__((noinline)) static void visit(int width, int* seen, int* teams) {
    EXPECT(omp_get_num_teams() >= 1 && omp_get_num_teams() <= width);
    EXPECT(omp_get_team_num() >= 0 && omp_get_team_num() < omp_get_num_teams());
    EXPECT_EQ(omp_get_thread_num(), 0);
    EXPECT_EQ(omp_get_active_level(), 0);
    EXPECT(!omp_in_parallel());
    EXPECT(omp_get_thread_limit() <= 4);
    __atomic_fetch_add(&seen[omp_get_team_num()], 1, __ATOMIC_RELAXED);
    __atomic_store_n(teams, omp_get_num_teams(), __ATOMIC_RELAXED);
}

static void league(int width) {
    int seen[64] = {0}, teams = 0;
#pragma omp teams num_teams(width) thread_limit(4) shared(seen, teams)
    visit(width, seen, &teams);
    for (int i = 0; i < 64; ++i) EXPECT_EQ(seen[i], i < teams);
    EXPECT_EQ(omp_get_num_teams(), 1);
    EXPECT_EQ(omp_get_team_num(), 0);
}

static void parallel_inside(int width) {
    int threads = 0, wrong = 0;
#pragma omp teams num_teams(width) thread_limit(3) reduction(+ : threads, wrong)
    {
        int mine = 0, team = omp_get_team_num();
#pragma omp parallel num_threads(3) reduction(+ : mine, wrong)
        {
            mine++;
            wrong += omp_get_team_num() != team;
            wrong += omp_get_num_threads() > 3;
        }
        threads += mine > 0;
        wrong += mine > 3;
    }
    EXPECT(threads >= 1 && threads <= width);
    EXPECT_EQ(wrong, 0);
}

static void distribute(int width) {
    int hits[100] = {0}, chunked[100] = {0};
#pragma omp teams num_teams(width)
    {
#pragma omp distribute
        for (int i = 0; i < 100; ++i) {
            __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
        }
#pragma omp distribute dist_schedule(static, 7)
        for (int i = 0; i < 100; ++i) {
            __atomic_fetch_add(&chunked[i], 1, __ATOMIC_RELAXED);
        }
    }
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(hits[i], 1);
        EXPECT_EQ(chunked[i], 1);
    }
}

static void distribute_parallel_for(int width) {
    int hits[200] = {0};
    long sum = 0;
#pragma omp teams distribute parallel for num_teams(width) thread_limit(2) reduction(+ : sum)
    for (int i = 0; i < 200; ++i) {
        hits[i]++;
        sum += i;
    }
    for (int i = 0; i < 200; ++i) EXPECT_EQ(hits[i], 1);
    EXPECT_EQ(sum, 19900);
}

// What the teams bring has to be combined, although they may end at the same time.
static void reductions(int width) {
    for (int repeat = 0; repeat < 200; ++repeat) {
        long sum = 0, bits = 0, teams = 0, more = 0;
        double product = 1;
#pragma omp teams num_teams(width) reduction(+ : sum, teams, more) reduction(| : bits) reduction(* : product)
        {
            const int team = omp_get_team_num();
            sum += team + 1;
            bits |= 1l << team;
            teams++;
            product *= 2;
            more += 3;
        }
        EXPECT(teams >= 1 && teams <= width);
        EXPECT_EQ(sum, teams * (teams + 1) / 2);
        EXPECT_EQ(bits, (1l << teams) - 1);
        EXPECT(product == (double)(1l << teams));
        EXPECT_EQ(more, 3 * teams);
    }
}

// What one initial task sets is not seen by another one, nor outside. Returns whether it was.
__attribute__((noinline)) static int set_threads(int threads) {
    const int own = threads + 1 + omp_get_team_num();
    int wrong = omp_get_max_threads() > threads;
    omp_set_num_threads(own);
    return wrong + (omp_get_max_threads() != own);
}

static void data_environments(int width) {
    const int threads = omp_get_max_threads();
    int wrong = 0;
#pragma omp teams num_teams(width) reduction(+ : wrong)
    wrong += set_threads(threads);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(omp_get_max_threads(), threads);
}

__attribute__((noinline)) static void expect_initial(void) {
    EXPECT_EQ(omp_get_level(), 0);
    EXPECT_EQ(omp_get_num_threads(), 1);
    EXPECT_EQ(omp_get_thread_num(), 0);
}

// clang leaves the target construct out, so its teams begin in a member of the region.
static void target_in_a_region(int width) {
    int inner = 0, outer = 0;
#pragma omp parallel num_threads(width) reduction(+ : inner, outer)
    {
        int mine = 0;
#pragma omp target teams num_teams(1) thread_limit(4) map(tofrom : mine)
        {
            expect_initial();
#pragma omp parallel num_threads(9) reduction(+ : mine)
            mine++;
        }
        inner += mine;
        outer += omp_get_level() == 1 && omp_get_num_threads() == width;
    }
    EXPECT_EQ(inner, 4 * width);
    EXPECT_EQ(outer, width);
}

int main(void) {
    check("league", league);
    check("parallel-inside", parallel_inside);
    check("distribute", distribute);
    check("distribute-parallel-for", distribute_parallel_for);
    check("reductions", reductions);
    check("data-environments", data_environments);
    check("target-in-a-region", target_in_a_region);
    return check_done();
}
