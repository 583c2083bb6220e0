// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/thread/root.hpp"

#include <cstdlib>

#include "omp/sync/threadprivate.hpp"
#include "omp/task/second_look.hpp"
#include "omp/team/team_stock.hpp"
#include "omp/thread/root_stock.hpp"
#include "omp/thread/startup.hpp"

namespace gossamer::omp {

namespace {

// The root whose level-1 teams the carriers' homes serve: the first that asks, until its native thread ends.
constinit std::atomic<Root*> homes_owner{nullptr};
constinit std::atomic<bool> said_few{false};

// Returns how many reserved fibers it has released.
uint32_t dismiss(Root& root) {
    const uint32_t first = root.owns_homes ? fiber::carrier_count() : 1;
    const uint32_t released = root.crew_size > first ? root.crew_size - first : 0;
    for (uint32_t i = first; i < root.crew_size; ++i) fiber::release(root.crew[i]);
    free_bound(root);
    std::free(root.crew);
    if (root.owns_homes) {
        fiber::give_up_homes();
        homes_owner.store(nullptr, std::memory_order_release);  // pairs with muster
    }
    forget_crew(root);
    return released;
}

// Gives back what a root's level-1 teams have kept; returns how many reserved fibers that were.
uint32_t drop_teams(Root& root) {
    const uint32_t released = dismiss(root);
    if (root.initial.child != nullptr) give_team(*root.initial.child);
    root.initial.child = nullptr;
    return released;
}

// Ends the runtime's own threads, and frees the teams that they may have held pointers to, before another root comes. False:
// another root needs them.
bool close_down() {
    return fiber::close_down(threadprivate_forget, [] {
        forget_second_looks();
        free_teams();
    });
}

// The process's initial thread has ended by pthread_exit. Then libc ends the process with its last thread, so the runtime's own
// threads have to end with the last root, or with that thread itself if it ends after the last root. It need not ever have been
// one, so it is watched from the beginning, unless the library is loaded by another thread. Relaxed: a root leaves the carriers
// under the scheduler's lock before it looks, and the initial thread looks for roots under it; so one of the two closes down.
constinit std::atomic<bool> initial_thread_gone{false};
constinit char no_root = 0;  // stands for a native thread that is none

void watch_caller() { os::at_thread_exit(&no_root); }

// A native thread that only waits for locks has a descriptor, too, without being a root.
[[gnu::constructor]] void watch_native_threads() {
    if (os::set_thread_exit_hook(native_thread_ends) != 0) return;
    fiber::on_adoption(watch_caller);
    if (os::is_initial_thread()) watch_caller();
}

void close_behind_initial_thread() {
    if (!initial_thread_gone.load(std::memory_order_relaxed)) return;
    close_down();
    fiber::leave();
    os::at_thread_exit(nullptr);  // set anew by the descriptor that closing has needed
}

// Narrows the calling native thread's mask to KMP_HW_SUBSET; the native threads that it starts inherit the mask. A thread that
// the program has bound outside of the subset stays where it is.
void keep_to_subset() {
    os::CpuMask own;
    if (os::affinity(own) != 0) return;
    const os::CpuMask within = os::common(own, os::startup_cpus());
    if (within.count() != 0 && within != own) os::bind_affinity(within);
}

}  // namespace

void forget_crew(Root& root) {
    root.crew = nullptr;
    root.crew_size = root.crew_capacity = 0;
    root.bound = {};
    root.owns_homes = false;
}

void forget_initial_thread() {
    initial_thread_gone.store(false, std::memory_order_relaxed);
    if (known_current() == nullptr) watch_caller();
}

void forget_homes_owner() {
    fiber::give_up_homes();
    homes_owner.store(nullptr, std::memory_order_relaxed);
}

Thread& adopt_initial_thread() {
    prepare_runtime();
    if (GOSSAMER_UNLIKELY(globals().hw_subset != nullptr)) keep_to_subset();
    Root* const root = take_root();
    if (root == nullptr) fatal("out of memory for an initial thread");
    Thread& initial = root->initial;
    initial.team = &root->team;
    initial.task = &initial.implicit;
    initial.implicit.icvs = initial_icvs();
    initial.implicit.team = &root->team;
    initial.implicit.executor.store(&initial, std::memory_order_relaxed);  // no other thread knows it yet
    initial.fiber = fiber::self();
    root->team.threads = &initial;
    root->team.root = root;
    root->team.busy = &root->busy;
    root->team.icvs = initial.implicit.icvs;
    fiber::set_local(&initial);
    os::at_thread_exit(root);
    return initial;
}

void native_thread_ends(void* argument) {
    Root* const root = argument != &no_root ? static_cast<Root*>(argument) : nullptr;
    if (root != nullptr && fiber::local() != &root->initial) return;  // inside a region: the process is on its way out
    if (os::is_initial_thread()) initial_thread_gone.store(true, std::memory_order_relaxed);
    uint32_t given = 0;  // idle fibers, to the stock
    if (root != nullptr) {
        given = drop_teams(*root);
        fiber::set_local(nullptr);
    }
    if (const fiber::Fiber* const me = fiber::known_self()) {
        threadprivate_forget(me->id);
        given += fiber::leave();
    }
    if (root != nullptr) give_root(*root);  // behind `leave`: until then a carrier is named after it
    fiber::end_surplus(given, threadprivate_forget);
    close_behind_initial_thread();
}

bool give_everything_back() {
    const Thread& thread = current();
    Root& root = *thread.team->root;
    if (&thread != &root.initial) return false;
    drop_teams(root);
    return close_down();
}

uint32_t muster(Root& root, uint32_t size) {
    if (GOSSAMER_LIKELY(root.crew_size >= size)) return size;
    if (root.crew_capacity < size) {
        const uint32_t capacity = size < 16 ? 16 : size;
        void* const grown = std::realloc(root.crew, capacity * sizeof(fiber::Fiber*));
        if (grown == nullptr) {
            const uint32_t there = root.crew_size > 0 ? root.crew_size : 1;
            say_once(said_few, "out of memory: a team has %u threads instead of %u", there, size);
            return there;
        }
        root.crew = static_cast<fiber::Fiber**>(grown);
        root.crew_capacity = capacity;
    }
    if (root.crew_size == 0) {
        root.crew_size = 1;
        root.crew[0] = fiber::self();
        Root* nobody = nullptr;
        root.owns_homes = homes_owner.compare_exchange_strong(nobody, &root, std::memory_order_acquire,
                                                              std::memory_order_relaxed);  // acquire pairs with dismiss
        fiber::belong_to(&root, root.owns_homes);
    }
    const uint32_t carriers = fiber::carrier_count();
    while (root.crew_size < size) {
        const uint32_t i = root.crew_size;
        fiber::Fiber* const fiber = root.owns_homes && i < carriers ? fiber::worker_home(i) : fiber::reserve();
        if (fiber == nullptr) {
            say_once(said_few, "out of memory: a team has %u threads instead of %u", i, size);
            break;
        }
        root.crew[root.crew_size++] = fiber;
    }
    return root.crew_size < size ? root.crew_size : size;
}

}  // namespace gossamer::omp
