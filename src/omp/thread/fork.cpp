// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What fork does to OpenMP's state (docs/protocols/fork.md has the list of all locks).
//
// The child has the calling thread alone. Most of what another thread may have been changing is given its initial state there.
// The queue and the tables of dependences of the regions that the caller is in hold tasks that the child may still execute: so
// fork takes their locks first, and the child finds them sound. It waits for each lock for a while only. A signal handler that
// forks may have interrupted the very thread that holds it.
//
// The hooks are set as the library is loaded: before the first region another thread may be reading the environment.
#include "omp/affinity/affinity.hpp"
#include "omp/affinity/places.hpp"
#include "omp/memory/tracked.hpp"
#include "omp/sync/reduction.hpp"
#include "omp/sync/threadprivate.hpp"
#include "omp/task/depend.hpp"
#include "omp/task/second_look.hpp"
#include "omp/team/team_stock.hpp"
#include "omp/thread/root.hpp"
#include "omp/thread/root_stock.hpp"
#include "omp/thread/startup.hpp"

namespace gossamer::omp {

namespace {

// The locks that one thread's fork holds. No memory is allocated for them, since a signal handler may fork.
struct Held {
    static constexpr uint32_t most = 60;
    std::atomic<bool> taken{false};
    uint32_t count = 0;
    SpinLock* locks[most] = {};
};
constinit Held all_held[4];  // threads that fork beside so many others hold nothing
thread_local constinit Held* t_held = nullptr;

Held* take_held() {
    for (Held& each : all_held) {
        // acquire pairs with release_all
        if (!each.taken.exchange(true, std::memory_order_acquire)) return &each;
    }
    return nullptr;
}

void hold(SpinLock& lock) {
    constexpr uint64_t patience_ns = 200'000'000;
    if (t_held == nullptr) t_held = take_held();
    if (t_held == nullptr || t_held->count == Held::most) return;
    for (uint64_t begin_ns = 0; !lock.try_lock(); os::yield_native()) {
        const uint64_t now_ns = os::now_ns();
        if (begin_ns == 0) begin_ns = now_ns;
        if (now_ns - begin_ns > patience_ns) return;
    }
    t_held->locks[t_held->count++] = &lock;
}

void release_all() {
    if (GOSSAMER_LIKELY(t_held == nullptr)) return;
    while (t_held->count != 0) t_held->locks[--t_held->count]->unlock();
    t_held->taken.store(false, std::memory_order_release);  // pairs with take_held
    t_held = nullptr;
}

// From the inside out, so that two threads that fork at once take the locks around both in the same order.
void before_fork() {
    for (Thread* thread = known_current(); thread != nullptr; thread = thread->team->parent) {
        for (Task* task = thread->task; task != nullptr; task = task->parent.load(std::memory_order_relaxed)) {
            // relaxed: a table that another thread makes at this moment is not held, and mostly empty
            DependTable* const table = std::atomic_ref(task->depends).load(std::memory_order_relaxed);
            if (GOSSAMER_UNLIKELY(table != nullptr)) hold(table->lock);
        }
        if (SharedQueue* const queue = thread->team->tasks.known_queue()) hold(queue->lock);
    }
}

// The team's other threads are gone, and what they had begun never ends. `inner`: the team that the caller is in and that
// `thread` has started; null: `thread` is the caller.
void be_alone(Thread& thread, const Team* inner) {
    Team& team = *thread.team;
    for (uint32_t num = 0; num < team.capacity; ++num) {
        Thread& each = team.threads[num];
        ThreadTasks& tasks = each.tasks;
        // None sleeps any more that a barrier or the end of a task would wake, and none has arrived.
        tasks.slot.store(nullptr, std::memory_order_relaxed);
        gossamer::renew(each.slot);
        each.arrived.store(0, std::memory_order_relaxed);
        if (TaskDeque* const deque = tasks.deque.load(std::memory_order_relaxed)) deque->forget_thieves();
        if (each.child != inner) each.child = nullptr;  // a thread that looked for tasks there may hold its locks
    }
    team.barrier.sleepers.store(0, std::memory_order_relaxed);
    gossamer::renew(team.joiner);
    team.join_sleepers.store(0, std::memory_order_relaxed);
    thread.share.store(0, std::memory_order_relaxed);
    team.work.forget_others(team, thread.work);
    team.tasks.word.forget();
    team.tasks.look_requested.store(false, std::memory_order_relaxed);
    if (SharedQueue* const queue = team.tasks.known_queue()) renew_if_locked(*queue);  // held only if `hold` gave up
    team.size = 1;
    forget_crew(*team.root);
    team.busy->store(1, std::memory_order_relaxed);
}

void forked_child() {
    release_all();
    for (Held& each : all_held) gossamer::renew(each);  // other threads' forks are not the child's
    os::keep_answer_about_stacks();
    forget_environment();
    forget_places();
    forget_startup_lock();
    forget_teams();
    forget_second_looks();
    BlockCache::forget_locks();
    DependTable::forget_locks();
    forget_reduction_locks();
    threadprivate_forget_lock();
    allocatables.forget_lock();
    depend_objects.forget_lock();
    forget_affinity_format_lock();
    forget_homes_owner();
    forget_spare_roots();
    forget_initial_thread();
    Thread* thread = known_current();
    fiber::forked_child();
    for (const Team* inner = nullptr; thread != nullptr; thread = thread->team->parent) {
        be_alone(*thread, inner);
        inner = thread->team;
    }
}

[[gnu::constructor]] void watch_forks() { os::set_fork_hooks(before_fork, release_all, forked_child); }

}  // namespace

}  // namespace gossamer::omp
