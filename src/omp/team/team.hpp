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

// What every thread of a region runs: the ABI layer's call of the outlined function, Region::function, with Region::data.
using Body = void (*)(Thread& thread, void* function, void* data);

// A region's structured block, as one of its threads calls it.
struct StructuredBlock {
    Body body;
    void* function;
    void* data;

    void run(Thread& thread) const { body(thread, function, data); }
};

struct Region {
    Body body = nullptr;
    void* data = nullptr;
    Bind bind = Bind::unset;   // of the proc_bind clause; unset: there is none
    uint32_t count = 0;        // words at `data` that differ from region to region: they are copied into Team::words
    void* function = nullptr;  // the outlined function, or null
    bool internal = false;     // no parallel construct of the program: its threads do not display their affinity

    bool operator==(const Region&) const = default;
    StructuredBlock block() const { return {body, function, data}; }
};

// Bits of Team::cancelled (OpenMP 5.2 §16.1), numbered as GOMP_cancel numbers them.
enum CancelKind : uint32_t { cancel_parallel = 1, cancel_loop = 2, cancel_sections = 4, cancel_taskgroup = 8 };

struct Root;

// Teams go back to the stock at the end of each region.
constexpr uint32_t mode_no_hot_teams = fiber::mode_upper;

struct Team {
    // Read by every thread. Written only where a region differs from the last one (set_if_new), so that a thread that runs the
    // same region again finds it in its cache.
    uint32_t size = 1;
    uint32_t homes = 1;         // numbers [1, homes) run on carriers' homes; in a bound team those in BoundCrew::numbers do
    uint32_t level = 0;         // nested parallel regions around it, inactive ones too (omp_get_level)
    uint32_t active_level = 0;  // of these, the regions with more than one thread (omp_get_active_level)
    uint32_t capacity = 1;      // how many descriptors lie behind `threads`
    Thread* parent = nullptr;   // the thread that met the construct; null for an initial team
    Thread* threads = nullptr;  // threads[0 … size-1]; their memory is a team's for ever (docs/protocols/ranges.md)
    Root* root = nullptr;       // of the native thread that all this began on
    std::atomic<uint32_t>* busy = nullptr;  // OpenMP threads in its contention group; counted only under a thread limit
    // Changes, never to 0, when what its threads begin with changes: ICVs, places. Of its low bits Thread::worked is never set;
    // `seated` is set in a bound team, and never in Thread::begun_as, so that every thread of a bound team calls renew_member.
    uint32_t begins_as = 4;
    static constexpr uint32_t seated = 2;
    bool by_crew = false;                // its threads run on the fibers of the root's crew
    bool dealt = false;                  // each home starts its share of the other threads (member.hpp)
    bool by_tree = false;                // the homes start each other (fork_tree.hpp)
    bool slept = false;                  // of a level-1 team: some home's native thread slept when it was ordered
    bool displays_affinity = false;      // its threads display their affinity in this region
    bool inside = false;                 // this team, or one around it, has several threads; target regions do not change that
    Icvs icvs;                           // what its implicit tasks begin with
    std::atomic<uint32_t> cancelled{0};  // bits of CancelKind that are activated for this region
    Dealing dealing;                     // how the threads are dealt to places (bound.hpp)

    // Mostly differs from the last region. A thread that is started by name learns of it from its starter (member.hpp).
    alignas(no_share) Region region;
    static constexpr uint32_t most_words = 8;
    alignas(cache_line) void* words[most_words] = {};  // region.data points here where these are enough for region.count

    // Touched by the primary thread, by members that a range started, and by threads that execute tasks.
    alignas(no_share) uint32_t epoch = 0;  // counts the team's regions; never 0 within one
    std::atomic<uint32_t> left{0};         // epoch of the last region whose end the primary thread has reached. A hint
    uint32_t zone_before = 0;              // the primary thread's zone before and after the region
    fiber::ReliefRecord relief;            // what the team's regions have learned of their need for relief
    Team* next_free = nullptr;             // in the stock
    uint32_t taken_on = 0;                 // the carrier that took it for this region (team_stock.hpp)

    TeamWork work;    // what its worksharing constructs share
    TeamTasks tasks;  // what its tasks share
    Barrier barrier;

    // The join. `unfinished`: threads that run neither on a home nor in a home's share,
    // or were called back, and have not finished. `joiner`: where the primary thread
    // waits for the last thread. Homes look at the count of sleepers, so it lies apart.
    alignas(no_share) std::atomic<uint32_t> unfinished{0};
    fiber::WaitSlot joiner;
    alignas(no_share) std::atomic<uint32_t> join_sleepers{0};
};

// Runs `region` by a team of exactly as many threads as §10.1.1 says for `requested` (0: no num_threads clause) with
// the ICVs of `thread`; `if_clause` false: one thread. Returns when all have finished. May suspend. Never throws.
void parallel(Thread& thread, uint32_t requested, bool if_clause, const Region& region);

// The same in two halves, for ABIs in which the primary thread calls the outlined function itself
// (GOMP_parallel_start/_end, __kmpc_serialized_parallel). `begin` makes the caller the primary thread of the new team and
// returns its descriptor; `end` joins that team and makes the caller its parent thread again. `end` may suspend.
Thread& parallel_begin(Thread& thread, uint32_t requested, bool if_clause, const Region& region);
void parallel_end(Thread& primary);

// What a habit of the region's goes by (fiber::ReliefRecord).
inline const void* kind_of(const Region& region) {
    return region.function != nullptr ? region.function : reinterpret_cast<const void*>(region.body);
}

// Whether the threads start apart, on native threads of their own, in Team::region, which is about to begin.
inline bool starts_apart(Team& team) { return fiber::starts_apart(team.relief, kind_of(team.region)); }

// Whether a task was deferred since the last barrier, so that threads that wait look for tasks.
inline bool tasks_are_active(const Team& team) {
    return team.tasks.word.counts(std::memory_order_seq_cst).active();  // pairs with BasicTaskWord::activate
}

// How many threads a region that `thread` meets should have (§10.1.1); the thread
// limit and the system may grant fewer. At least 1.
uint32_t team_size(Thread& thread, uint32_t requested, bool if_clause);

}  // namespace gossamer::omp
