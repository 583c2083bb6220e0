// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/thread/root.hpp"

#include <cstdlib>
#include <new>

#include "omp/sync/threadprivate.hpp"
#include "omp/task/depend.hpp"
#include "omp/task/second_look.hpp"
#include "omp/team/team_stock.hpp"
#include "omp/tool/stats.hpp"

namespace gossamer::omp {

namespace {

// The carriers' homes serve the level-1 teams of one root at a time: the first that asks, until its thread ends.
constinit std::atomic<Root*> homes_owner{nullptr};
constinit std::atomic<bool> prepared{false};
constinit SpinLock prepare_lock;
constinit std::atomic<bool> said_few{false};

void dismiss(Root& root) {
    const uint32_t first = root.owns_homes ? fiber::carrier_count() : 1;
    for (uint32_t i = first; i < root.crew_size; ++i) fiber::release(root.crew[i]);
    dismiss_bound(root);
    std::free(root.crew);
    root.crew = nullptr;
    root.crew_size = root.crew_capacity = 0;
    if (root.owns_homes) homes_owner.store(nullptr, std::memory_order_release);  // pairs with muster
    root.owns_homes = false;
}

// What a root's level-1 teams have kept.
void drop_teams(Root& root) {
    dismiss(root);
    if (root.initial.child != nullptr) give_team(*root.initial.child);
    root.initial.child = nullptr;
}

// The process's initial thread has ended by pthread_exit, so libc ends the process with its last thread: ours go with the
// last root.
constinit std::atomic<bool> initial_thread_gone{false};

void thread_ends(void* argument) {
    Root* const root = static_cast<Root*>(argument);
    if (fiber::local() != &root->initial) return;  // inside a region: the process is on its way out
    drop_teams(*root);
    if (os::is_initial_thread()) initial_thread_gone.store(true, std::memory_order_relaxed);
    if (initial_thread_gone.load(std::memory_order_relaxed) && fiber::close_down(threadprivate_forget)) {
        forget_second_looks();
        free_teams();
    }
    fiber::set_local(nullptr);
    root->~Root();
    std::free(root);
    threadprivate_forget(fiber::self()->id);
    fiber::leave();
}

void tell_overflow(void* local, size_t size) {
    const Thread* const thread = static_cast<const Thread*>(local);
    say("stack overflow in OpenMP thread %u of %u (nesting level %u): its stack has %zu bytes; OMP_STACKSIZE sets more",
        thread == nullptr ? 0 : thread->num, thread == nullptr ? 1 : thread->team->size,
        thread == nullptr ? 0 : thread->team->level, size);
}

// The child of a fork has this thread alone: its regions have no siblings to wait for, and its root no crew.
void forked_child() {
    prepare_lock.~SpinLock();
    ::new (&prepare_lock) SpinLock;
    forget_teams();
    forget_second_looks();
    BlockCache::forget_locks();
    DependTable::forget_locks();
    homes_owner.store(nullptr, std::memory_order_relaxed);
    auto* thread = static_cast<Thread*>(fiber::local());
    fiber::forked_child();
    for (; thread != nullptr; thread = thread->team->parent) {
        Team& team = *thread->team;
        // Nobody sleeps any more whom the end of a task, maybe of a gone thread's, would wake.
        for (uint32_t num = 0; num < team.size; ++num) team.threads[num].tasks.slot.store(nullptr, std::memory_order_relaxed);
        thread->share.store(0, std::memory_order_relaxed);
        team.work.forget_waiters();
        team.tasks.word.forget();
        team.tasks.noted.store(false, std::memory_order_relaxed);
        team.size = 1;
        Root& root = *team.root;
        root.crew = nullptr;
        root.crew_size = root.crew_capacity = 0;
        root.bound = {};
        root.owns_homes = false;
        root.busy.store(1, std::memory_order_relaxed);
    }
}

void prepare_once() {
    SpinGuard guard(prepare_lock, os::yield_native);
    if (prepared.load(std::memory_order_relaxed)) return;
    const GlobalIcvs& icvs = globals();
    fiber::Config config;
    config.carriers = icvs.carriers;
    config.stack_size = icvs.stack_size.load(std::memory_order_relaxed);
    const Patience waiting = patience(icvs);
    config.patience_ns = waiting.ns;
    config.adaptive = waiting.adaptive;
    configure_zones(config, icvs);
    config.look = take_second_looks;
    config.chaos = icvs.chaos ? icvs.chaos_seed + 1 : 0;
    const auto mode = [&](uint32_t without, uint32_t bit) { return (icvs.without & without) != 0 ? bit : 0; };
    config.modes = mode(without_hot_teams, mode_no_hot_teams) | mode(without_ranges, fiber::mode_no_ranges) |
                   mode(without_calls, fiber::mode_no_calls) | mode(without_spinning, fiber::mode_no_spinning);
    config.kernel_sets_thread_pointer = (icvs.without & without_fsgsbase) != 0;
    fiber::configure(config);
    fiber::on_overflow(tell_overflow);
    stats.on.store(icvs.stats, std::memory_order_relaxed);
    os::set_thread_exit_hook(thread_ends);
    os::set_fork_hooks(nullptr, nullptr, forked_child);
    prepared.store(true, std::memory_order_release);
}

}  // namespace

Patience patience(const GlobalIcvs& icvs) {
    constexpr uint64_t hybrid_ns = 2'000'000;  // outlasts most preemptions of a sibling; a wake in the kernel costs more
    constexpr uint64_t quota_ns = 50'000;      // what is spun away under a quota is missing in the regions
    constexpr uint64_t look_ns = 10;           // what libgomp's spin count counts takes about this long here
    const Waiting& waiting = icvs.waiting;
    if (waiting.spin_count_set) {
        return {waiting.spin_count > UINT64_MAX / look_ns ? UINT64_MAX : waiting.spin_count * look_ns, false};
    }
    if (waiting.blocktime_set.load(std::memory_order_relaxed)) {
        const uint64_t us = waiting.blocktime_us.load(std::memory_order_relaxed);
        return {us > UINT64_MAX / 1000 ? UINT64_MAX : us * 1000, false};
    }
    switch (waiting.policy) {
        case WaitPolicy::active: return {200'000'000, false};
        case WaitPolicy::passive: return {0, false};
        case WaitPolicy::unset: break;
    }
    return {icvs.quota < icvs.num_procs ? quota_ns : hybrid_ns, true};
}

void apply_waiting() {
    if (!prepared.load(std::memory_order_acquire)) return;  // prepare_once reads the same
    const Patience now = patience(globals());
    fiber::set_patience(now.ns, now.adaptive);
}

namespace {

// The native threads that it starts inherit the mask. A thread that the program has bound elsewhere stays there.
void keep_to_subset() {
    os::CpuMask own;
    if (os::affinity(own) != 0) return;
    const os::CpuMask within = os::common(own, os::startup_cpus());
    if (within.count() != 0 && within != own) os::bind_affinity(within);
}

}  // namespace

Thread& adopt_initial_thread() {
    if (!prepared.load(std::memory_order_acquire)) prepare_once();
    if (GOSSAMER_UNLIKELY(globals().hw_subset != nullptr)) keep_to_subset();
    void* const memory = std::aligned_alloc(alignof(Root), sizeof(Root));
    if (memory == nullptr) fatal("out of memory for an initial thread");
    Root* const root = ::new (memory) Root;
    Thread& initial = root->initial;
    initial.team = &root->team;
    initial.task = &initial.implicit;
    initial.implicit.icvs = initial_icvs();
    initial.implicit.team = &root->team;
    initial.implicit.executor.store(&initial, std::memory_order_relaxed);  // nobody else knows it yet
    initial.fiber = fiber::self();
    root->team.threads = &initial;
    root->team.root = root;
    root->team.icvs = initial.implicit.icvs;
    fiber::set_local(&initial);
    os::at_thread_exit(root);
    return initial;
}

bool give_everything_back() {
    const Thread& thread = current();
    Root& root = *thread.team->root;
    if (&thread != &root.initial) return false;
    drop_teams(root);
    if (!fiber::close_down(threadprivate_forget)) return false;
    forget_second_looks();
    free_teams();
    return true;
}

uint32_t muster(Root& root, uint32_t size) {
    if (GOSSAMER_LIKELY(root.crew_size >= size)) return size;
    if (root.crew_capacity < size) {
        const uint32_t capacity = size < 16 ? 16 : size;
        void* const grown = std::realloc(root.crew, capacity * sizeof(fiber::Fiber*));
        if (grown == nullptr) return root.crew_size > 0 ? root.crew_size : 1;
        root.crew = static_cast<fiber::Fiber**>(grown);
        root.crew_capacity = capacity;
    }
    if (root.crew_size == 0) {
        root.crew_size = 1;
        root.crew[0] = fiber::self();
        Root* nobody = nullptr;
        root.owns_homes = homes_owner.compare_exchange_strong(nobody, &root, std::memory_order_acquire,
                                                              std::memory_order_relaxed);  // acquire pairs with dismiss
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
