// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/work/teams.hpp"

#include <algorithm>

#include "omp/team/initial.hpp"

namespace gossamer::omp {

namespace {

// What the hosts share, the threads that run the teams of one league.
struct Hosting {
    const Region& region;
    const Icvs& icvs;  // of each team
    uint32_t size;
    std::atomic<uint64_t> next{0};  // the team that is next to begin
};

// Runs teams as long as there are any. relaxed: the fork has published the rest, and the join publishes what the teams did.
void host_teams(Thread& host, void*, void* data) {
    Hosting& hosting = *static_cast<Hosting*>(data);
    for (uint64_t num; (num = hosting.next.fetch_add(1, std::memory_order_relaxed)) < hosting.size;) {
        InitialThread initial(host, hosting.icvs, {static_cast<uint32_t>(num), hosting.size});
        hosting.region.block().run(initial.thread());
    }
}

// How many threads are to run the teams of a league: no more than can run at once, since no team may wait for another.
uint32_t hosts_for(Thread& thread, uint32_t teams) {
    if (teams == 1 || globals().deterministic_reduction) return 1;  // the teams combine in the order in which they end
    return team_size(thread, std::min(teams, globals().carriers), true);
}

uint32_t league_size(uint32_t upper) {
    if (upper == 0) upper = globals().num_teams.load(std::memory_order_relaxed);  // a single word that a routine sets
    return upper == 0 ? 1 : upper;
}

void limit_threads(Icvs& icvs, uint32_t limit) {
    if (limit == 0) limit = globals().teams_thread_limit.load(std::memory_order_relaxed);  // likewise
    if (limit != 0) icvs.thread_limit = limit;
}

}  // namespace

void league_begin(Thread& thread, uint32_t upper, uint32_t thread_limit) {
    limit_threads(thread.change_icvs(), thread_limit);
    thread.work.league = {0, league_size(upper)};
}

bool league_next(Thread& thread) {
    League& league = thread.work.league;
    if (++league.num < league.size) return true;
    league = {};
    return false;
}

void teams(Thread& thread, uint32_t upper, uint32_t thread_limit, Region region) {
    fiber::scheduling_point();
    const uint32_t size = league_size(upper);
    Icvs inside = thread.icvs();
    limit_threads(inside, thread_limit);
    if (const uint32_t hosts = hosts_for(thread, size); hosts > 1) {
        Hosting hosting{region, inside, size};
        Region hosted{host_teams, &hosting};
        hosted.function = region.function != nullptr ? region.function : reinterpret_cast<void*>(region.body);
        hosted.internal = true;
        return parallel(thread, hosts, true, hosted);
    }
    for (uint32_t num = 0; num < size; ++num) {
        InitialThread initial(thread, inside, {num, size});
        region.block().run(initial.thread());
    }
}

}  // namespace gossamer::omp
