// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The OpenMP thread as user code sees it: a number in a team, with the data environment of its implicit task.
// It is a descriptor only; the fiber that runs it carries the identity (TLS, stack). See docs/glossary.md.
#pragma once

#include <atomic>
#include <cstdint>

#include "fiber/fiber.hpp"
#include "omp/icv/icv.hpp"
#include "omp/sync/reduction.hpp"
#include "omp/task/task.hpp"
#include "omp/task/thread_tasks.hpp"
#include "omp/work/portion.hpp"
#include "omp/work/share.hpp"
#include "omp/work/thread_work.hpp"

namespace gossamer::omp {

struct Team;

// The numbers of a team that start at some thread's own: what the team's holders split among themselves.
struct TeamRange : fiber::Range {
    Team* team = nullptr;
};

struct alignas(no_share) Thread {
    Team* team = nullptr;              // the current team (OpenMP 5.2 §10.1); an initial thread's team has one thread
    uint32_t num = 0;                  // thread number, 0 … team->size - 1
    std::atomic<uint32_t> share{0};    // on a home: how many of those that it has started have not finished
    Task* task = nullptr;              // the task it executes now: &implicit, or an explicit one
    Team* child = nullptr;             // the team this thread used last for a region it met, kept hot for the next
    fiber::Fiber* fiber = nullptr;     // where its implicit task runs; valid while that task lives
    uint32_t begun_as = 0;             // Team::begins_as when it last was as a region should begin; see member.hpp
    uint32_t met_as = 0;               // in a team of two: what its last barrier has left in Barrier::arrived
    uint32_t epoch = 0;                // Team::epoch of the region that it is in, or was in last: told by whoever started it
    std::atomic<uint32_t> retired{0};  // Team::epoch of the region that it has left, and could be called back to
    // So far there are 56 bytes, so that what a thread without explicit tasks touches, up to family.here, takes two lines.
    Task implicit;    // its implicit task, with the ICVs of that data environment
    ThreadWork work;  // what it has met of the team's worksharing constructs

    // What its siblings touch.
    alignas(cache_line) fiber::WaitSlot slot;  // where it leaves itself while it waits at the team's barrier
    TeamRange range;                           // [num, …) of the team, once a thief has taken that part
    ThreadReduction reduction;
    ThreadTasks tasks;
    std::uint64_t told = 0;  // of its affinity, for OMP_DISPLAY_AFFINITY: see affinity_is_new; 0: nothing yet
    uint32_t zone = 0;       // in a bound team: of its place,
    uint32_t zone_end = 0;   // and the first number behind it that has another one (bound.cpp)
    TeamRange helper;        // its own number, when it is called back to a nested team
    alignas(
        cache_line) Portion portions[ring_size];  // of the loops in the team's ring; thieves come only when theirs are empty

    static constexpr uint32_t worked = 1;  // bit of begun_as: `work` is not as it was then
    void note_work() { begun_as |= worked; }
    void note_change() { begun_as &= worked; }  // of what its implicit task began with

    const Icvs& icvs() const { return task->icvs; }
    Icvs& change_icvs() {
        note_change();
        return task->icvs;
    }
};

// Completes every task that `thread` has generated and that is not complete, and their descendants: before a barrier, and
// at the end of its implicit task (OpenMP 5.2 §10.1, §15.3). Suspends only if there is one.
void finish_tasks_of(Thread& thread);
inline void finish_tasks(Thread& thread) {
    const Task& task = thread.implicit;
    if (GOSSAMER_UNLIKELY((task.family.here | task.children.here) != 0 || task.taskgroup != nullptr)) finish_tasks_of(thread);
}

// Gives the calling native thread, which no region knows yet, an initial thread (OpenMP 5.2 §1.2.2) of its own.
Thread& adopt_initial_thread();

// The OpenMP thread that the caller is; null: none yet. Never suspends.
inline Thread* known_current() {
    const fiber::Fiber* const fiber = fiber::known_self();
    return GOSSAMER_LIKELY(fiber != nullptr) ? static_cast<Thread*>(fiber->local) : nullptr;
}

// The same, made one. Never suspends.
inline Thread& current() {
    auto* thread = static_cast<Thread*>(fiber::local());
    return GOSSAMER_LIKELY(thread != nullptr) ? *thread : adopt_initial_thread();
}

}  // namespace gossamer::omp
