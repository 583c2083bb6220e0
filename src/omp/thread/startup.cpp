// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/thread/startup.hpp"

#include "omp/affinity/zones.hpp"
#include "omp/icv/settings.hpp"
#include "omp/task/second_look.hpp"
#include "omp/team/team.hpp"
#include "omp/thread/root.hpp"
#include "omp/tool/stats.hpp"

namespace gossamer::omp {

constinit std::atomic<bool> detail::prepared{false};

namespace {

constinit SpinLock prepare_lock;

void tell_overflow(void* local, size_t size, size_t granted) {
    const Thread* const thread = static_cast<const Thread*>(local);
    const unsigned num = thread == nullptr ? 0 : thread->num;
    const unsigned width = thread == nullptr ? 1 : thread->team->size;
    const unsigned level = thread == nullptr ? 0 : thread->team->level;
    if (granted != 0) {
        say("out of memory for the stack of OpenMP thread %u of %u (nesting level %u): it has %zu bytes, and the system "
            "refuses more",
            num, width, level, granted);
    } else {
        say("stack overflow in OpenMP thread %u of %u (nesting level %u): its stack has %zu bytes; OMP_STACKSIZE sets more",
            num, width, level, size);
    }
}

void tell_smaller_stack(size_t wanted, int code, size_t used) {
    const auto target = static_cast<size_t>(Target::stack_size);
    const char* const name = setting_sources().name[target];
    TextBuffer<32> asked, got;
    show_bytes(asked, wanted);
    asked.finish();
    show_bytes(got, used);
    got.finish();
    if (name != nullptr) {
        say("%s%s=%s: the system refuses a stack of that size (error %d); using %s in its place", name,
            setting_sources().all_suffix[target] ? "_ALL" : "", asked.text().data(), code, got.text().data());
    } else {
        say("the system refuses a stack of %s (error %d); using %s in its place (OMP_STACKSIZE sets the size)",
            asked.text().data(), code, got.text().data());
    }
}

// Whether a garbage collector is loaded that stops threads by signals and waits until each has taken one: Boehm's, in a build
// for threads.
bool collects_by_signals() { return os::any_symbol("GC_register_my_thread") != nullptr; }

}  // namespace

void detail::prepare_once() {
    SpinGuard guard(prepare_lock, os::yield_native);
    if (detail::prepared.load(std::memory_order_relaxed)) return;  // relaxed: the lock orders it
    fiber::Config config;
    config.clocks = fiber::look_at_clocks();
    const GlobalIcvs& icvs = globals();
    config.carriers = icvs.carriers;
    config.stack_size = icvs.stack_size.load(std::memory_order_relaxed);
    config.usual_stack_size = usual_stack_size();
    config.tell_smaller_stack = tell_smaller_stack;
    const Patience waiting = patience(icvs);
    config.patience_ns = waiting.ns;
    config.adaptive = waiting.adaptive;
    configure_zones(config, icvs);
    config.look = take_second_looks;
    config.one_to_one = icvs.one_to_one_set ? icvs.one_to_one : collects_by_signals();
    config.chaos = icvs.chaos ? icvs.chaos_seed + 1 : 0;
    const auto mode = [&](uint32_t without, uint32_t bit) { return (icvs.without & without) != 0 ? bit : 0; };
    config.modes = mode(without_hot_teams, mode_no_hot_teams) | mode(without_ranges, fiber::mode_no_ranges) |
                   mode(without_calls, fiber::mode_no_calls) | mode(without_spinning, fiber::mode_no_spinning);
    config.kernel_sets_thread_pointer = (icvs.without & without_fsgsbase) != 0;
    fiber::configure(config);
    fiber::on_overflow(tell_overflow);
    stats.on.store(icvs.stats, std::memory_order_relaxed);
    os::set_thread_exit_hook(native_thread_ends);
    detail::prepared.store(true, std::memory_order_release);  // pairs with prepare_runtime and apply_waiting
}

void forget_startup_lock() {
    if (prepare_lock.is_held()) prepare_lock.unlock();  // `prepared` is false, so the child prepares all anew
}

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
    if (!detail::prepared.load(std::memory_order_acquire)) return;  // prepare_once will read the new setting
    const Patience now = patience(globals());
    fiber::set_patience(now.ns, now.adaptive);
}

}  // namespace gossamer::omp
