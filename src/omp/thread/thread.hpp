// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The OpenMP thread as user code sees it: a number in a team, with the data environment of its implicit task.
// This is a descriptor only; the fiber that runs the thread has the identity (TLS, stack). See docs/glossary.md.
#pragma once

#include <atomic>
#include <cstdint>

#include "fiber/fiber.hpp"
#include "omp/icv/icv.hpp"
#include "omp/sync/reduction.hpp"
#include "omp/sync/relay.hpp"
#include "omp/task/task.hpp"
#include "omp/task/thread_tasks.hpp"
#include "omp/work/portion.hpp"
#include "omp/work/share.hpp"
#include "omp/work/thread_work.hpp"

namespace gossamer::omp {

struct Team;

// A range of thread numbers of a team (docs/protocols/ranges.md).
struct TeamRange : fiber::Range {
    Team* team = nullptr;
};

struct alignas(no_share) Thread {
    Team* team = nullptr;            // the current team (OpenMP 5.2 §10.1); an initial thread's team has one thread
    uint32_t num = 0;                // thread number, 0 … team->size - 1
    std::atomic<uint32_t> share{0};  // on a home: threads of its share that have not finished
    Task* task = nullptr;            // the current task: &implicit, or an explicit one
    Team* child = nullptr;           // the team of the region that this thread has met; an outermost one stays for the next
    fiber::Fiber* fiber = nullptr;   // the fiber that runs the implicit task; valid while that task lives
    uint32_t begun_as = 0;           // Team::begins_as of the last region that the thread began with all in order (member.hpp)
    uint32_t met_as = 0;             // in a team of two: what the thread's last barrier has left in Barrier::arrived
    uint32_t epoch = 0;              // Team::epoch of the region that the thread is in, or was in last
    std::atomic<uint32_t> retired{0};  // Team::epoch of the region that the thread has left and may be called back to
    // 56 bytes lie before `implicit`, so that what a thread without explicit tasks touches, up to family.here, takes two lines.
    Task implicit;    // the implicit task, with the ICVs of its data environment
    ThreadWork work;  // how far the thread has come in the team's worksharing constructs

    // Touched by siblings.
    alignas(cache_line) fiber::WaitSlot slot;  // where the thread leaves itself while it waits at the team's barrier
    Relay relay;                               // on a home: whether its share is to be woken from a barrier
    std::atomic<uint32_t> arrived{0};          // on the first thread of a group: how many of it have arrived (barrier.cpp)
    bool counted = false;                      // its waker has counted it as a searcher
    TeamRange range;                           // [num, …) of the team, once a thief has taken that part
    ThreadReduction reduction;
    ThreadTasks tasks;
    std::uint64_t affinity_digest = 0;  // what OMP_DISPLAY_AFFINITY has displayed last (affinity_is_new); 0: nothing yet
    uint32_t zone = 0;                  // in a bound team: the zone of the thread's place
    uint32_t zone_end = 0;              // in a bound team: the next number that has another zone (bound.cpp)
    TeamRange helper;                   // the thread's own number, for a nested team that calls it back
    // By slots of the team's ring: the thread's portion of a loop. Thieves come only when their own are empty.
    alignas(cache_line) Portion portions[ring_size];
    // What the thread holds of a loop. Thieves hardly ever come.
    alignas(cache_line) HeldChunks held;

    static constexpr uint32_t worked = 1;  // bit of begun_as: `work` has to be reset
    void note_work() { begun_as |= worked; }
    void note_change() { begun_as &= worked; }  // what the implicit task begins with has to be set anew

    const Icvs& icvs() const { return task->icvs; }
    Icvs& change_icvs() {
        note_change();
        return task->icvs;
    }
};

// Waits until all tasks that the implicit task of `thread` has generated are complete, and their descendants: before a barrier,
// and at the end of the implicit task (OpenMP 5.2 §10.1, §15.3). Suspends only if there is such a task.
void finish_tasks_of(Thread& thread);
inline void finish_tasks(Thread& thread) {
    const Task& task = thread.implicit;
    if (GOSSAMER_UNLIKELY((task.family.here | task.children.here) != 0 || task.taskgroup != nullptr)) finish_tasks_of(thread);
}

// Makes the calling native thread, which is no OpenMP thread yet, an initial thread (OpenMP 5.2 §1.2.2). Ends the program when
// memory is out. Never suspends.
Thread& adopt_initial_thread();

// The calling OpenMP thread; null: the caller is none yet. Never suspends.
inline Thread* known_current() {
    const fiber::Fiber* const fiber = fiber::known_self();
    return GOSSAMER_LIKELY(fiber != nullptr) ? static_cast<Thread*>(fiber->local) : nullptr;
}

// The same for entries that keep no frame for a call of their own: also null where finding the thread takes one (near_self).
inline Thread* near_current() {
    const fiber::Fiber* const fiber = fiber::near_self();
    return GOSSAMER_LIKELY(fiber != nullptr) ? static_cast<Thread*>(fiber->local) : nullptr;
}

// The same as known_current; makes the caller an initial thread if it is no OpenMP thread yet. Never suspends.
inline Thread& current() {
    auto* thread = static_cast<Thread*>(fiber::local());
    return GOSSAMER_LIKELY(thread != nullptr) ? *thread : adopt_initial_thread();
}

// call(current()), for a function that keeps no frame for finding the thread: where that takes a call, the rest is called too.
// `call` captures nothing.
template <class Call>
GOSSAMER_COLD auto call_from_afar(Call call) {
    return call(current());
}
template <class Call>
GOSSAMER_INLINE auto of_current(Call call) {
    Thread* const near = near_current();
    return GOSSAMER_LIKELY(near != nullptr) ? call(*near) : call_from_afar(call);
}

}  // namespace gossamer::omp
