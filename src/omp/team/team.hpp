// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A team of OpenMP threads, and the parallel construct that makes it (OpenMP 5.2 §10.1).
#pragma once

#include <atomic>
#include <cstdint>

#include "omp/affinity/binding.hpp"
#include "omp/sync/barrier.hpp"
#include "omp/task/task_reduction.hpp"
#include "omp/thread/thread.hpp"
#include "omp/work/team_work.hpp"

namespace gossamer::omp {

// What every thread of a region runs: the outlined function behind the ABI it was compiled for.
using Body = void (*)(Thread& thread, void* data);

struct Region {
    Body body = nullptr;
    void* data = nullptr;
    Bind bind = Bind::unset;   // its proc_bind clause; unset: it has none
    uint32_t count = 0;        // words at `data` that the caller changes from region to region; every thread gets them anew
    void* function = nullptr;  // for the body, which finds it in the team

    bool operator==(const Region&) const = default;
};

// Bits of Team::cancelled (OpenMP 5.2 §16.1), numbered as GOMP_cancel numbers them.
enum CancelKind : uint32_t { cancel_parallel = 1, cancel_loop = 2, cancel_sections = 4, cancel_taskgroup = 8 };

struct Root;

// Teams go back to the stock at the end of each region.
constexpr uint32_t mode_no_hot_teams = fiber::mode_upper;

struct Team {
    // What every thread reads. It is written only where a region differs from the last one, so that a thread that runs the
    // same thing again finds it in its cache.
    uint32_t size = 1;
    uint32_t homes = 1;         // numbers [1, homes), of a bound team those in BoundCrew::numbers, run on carriers' homes
    uint32_t level = 0;         // nested parallel regions around it, inactive ones too (omp_get_level)
    uint32_t active_level = 0;  // those with more than one thread (omp_get_active_level)
    uint32_t capacity = 1;      // how many descriptors lie behind `threads`
    Thread* parent = nullptr;   // the thread that met the construct; null for an initial team
    Thread* threads = nullptr;  // threads[0 … size-1]; their memory is a team's for ever (docs/protocols/ranges.md)
    Root* root = nullptr;       // whose contention group it belongs to
    Region region;
    // Changes, never to 0, when what its threads begin with does: ICVs, places. Thread::worked is never set in it, `seated` is in
    // a bound team, and never in Thread::begun_as, so that all its threads come to renew_member.
    uint32_t begins_as = 4;
    static constexpr uint32_t seated = 2;
    bool by_crew = false;                // its threads run on the fibers of the root's crew
    bool dealt = false;                  // each home starts those of the others that fall to it (member.hpp)
    bool displays_affinity = false;      // its threads, in this region
    bool inside = false;                 // it, or a team around it, has several threads; a target region does not change that
    Icvs icvs;                           // what its implicit tasks begin with
    std::atomic<uint32_t> cancelled{0};  // bits of CancelKind that are activated for this region
    Dealing dealing;                     // to places (bound.hpp)
    static constexpr uint32_t most_words = 8;
    void* words[most_words] = {};  // region.data points here where these are enough for region.count

    // What only the primary thread touches, but for members of a range, and threads that execute tasks.
    alignas(no_share) uint32_t epoch = 0;  // counts its regions; never 0 within one
    std::atomic<uint32_t> left{0};         // epoch of the region that the primary thread has come to the end of: a hint
    uint32_t zone_before = 0;              // of the primary thread: where it is bound again after the region
    fiber::ReliefRecord relief;            // of its regions, one after another
    Team* next_free = nullptr;

    TeamWork work;    // shared state of the team's worksharing constructs
    TeamTasks tasks;  // and of its tasks
    Barrier barrier;

    // The join: how many threads have not finished, of those that run neither on a home nor on a home's behalf, but with all
    // that were called back; and where the primary thread waits for the last of them.
    // Homes look at the count of sleepers, so it lies apart.
    alignas(no_share) std::atomic<uint32_t> unfinished{0};
    fiber::WaitSlot joiner;
    alignas(no_share) std::atomic<uint32_t> join_sleepers{0};
};

// Writes what other threads read only where it is new: else they would have to fetch it again.
template <class T>
void renew(T& value, const T& now) {
    if (GOSSAMER_UNLIKELY(!(value == now))) value = now;
}

// Runs `region` by a team of exactly as many threads as §10.1.1 says for `requested` (0: no num_threads clause) with
// the ICVs of `thread`; `if_clause` false: one thread. Returns when all have finished. May suspend. Never throws.
void parallel(Thread& thread, uint32_t requested, bool if_clause, Region region);

// The same in two halves, for ABIs in which the primary thread calls the outlined function itself
// (GOMP_parallel_start/_end, __kmpc_serialized_parallel). `begin` makes the caller the primary thread of the new team and
// returns its descriptor; `end` joins the team of the calling thread and makes it its parent again. `end` may suspend.
Thread& parallel_begin(Thread& thread, uint32_t requested, bool if_clause, Region region);
void parallel_end(Thread& primary);

// Whether its threads start on native threads of their own in the region to come, which is in the team already.
inline bool starts_apart(Team& team) {
    const Region& region = team.region;
    return fiber::starts_apart(team.relief,
                               region.function != nullptr ? region.function : reinterpret_cast<const void*>(region.body));
}

// Whether a task was deferred since the last barrier: those that wait look for tasks.
inline bool tasks_are_active(const Team& team) {
    return team.tasks.word.counts(std::memory_order_seq_cst).active();  // pairs with the first task's change
}

// How many threads a region met by `thread` asks for (§10.1.1), before limits of the system are known. At least 1.
uint32_t team_size(Thread& thread, uint32_t requested, bool if_clause);

}  // namespace gossamer::omp
