// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/work/teams.hpp"

namespace gossamer::omp {

void league_begin(Thread& thread, uint32_t upper, uint32_t thread_limit) {
    GlobalIcvs& all = globals();
    // relaxed, both: single words that routines of the program set.
    if (upper == 0) upper = all.num_teams.load(std::memory_order_relaxed);
    if (thread_limit == 0) thread_limit = all.teams_thread_limit.load(std::memory_order_relaxed);
    if (thread_limit != 0) thread.change_icvs().thread_limit = thread_limit;
    thread.work.league = {0, upper == 0 ? 1 : upper};
}

bool league_next(Thread& thread) {
    League& league = thread.work.league;
    if (++league.num < league.size) return true;
    league = {};
    return false;
}

void teams(Thread& thread, uint32_t upper, uint32_t thread_limit, Region region) {
    fiber::scheduling_point();
    const Icvs outside = thread.icvs();
    const League outer = thread.work.league;
    league_begin(thread, upper, thread_limit);
    const Icvs inside = thread.icvs();
    do {
        thread.change_icvs() = inside;
        region.body(thread, region.data);
    } while (league_next(thread));
    thread.work.league = outer;
    thread.change_icvs() = outside;
}

}  // namespace gossamer::omp
