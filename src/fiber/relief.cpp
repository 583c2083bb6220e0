// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relief: why a fiber that is ready runs in bounded time, whatever its siblings do (docs/protocols/relief.md).
//
// Fibers switch only when they wait. One that spins on a flag, holds a pthread mutex or sleeps in a system call keeps its
// carrier, and what is ready behind it would wait for ever if it is what the spinner waits for. The monitor, a native
// thread that is awake only while something is queued, looks for such carriers and takes what they hold to other native
// threads: those which lend the fibers their identities, and otherwise sleep. A relieved fiber is an ordinary kernel
// thread until it next waits. So the worst case is what a runtime of kernel threads does.

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

namespace {

constexpr std::int64_t look_every_ns = 2'000'000;  // a carrier that passed no scheduling point between two looks is stuck
constexpr std::int64_t chaos_look_every_ns = 50'000;  // in chaos mode: relieves what needs no relief
constexpr std::uint32_t calm_looks = 8;            // looks with nothing queued after which the monitor sleeps
constexpr std::uint32_t most_at_once = 512;
constexpr std::size_t monitor_stack = 256u << 10;

// What the monitor remembers of each slot from its last look.
struct Seen {
    std::uint32_t progress = 0;
    bool work = false;
};
constinit Seen seen[max_carriers];

constinit std::atomic<std::uint32_t> came_back{0};  // relieved fibers that have waited or ended, ever

bool home_is_ready(const Carrier& carrier) {
    const Fiber* const home = carrier.home;
    return home != nullptr && !carrier.relief && carrier.home_place.load(std::memory_order_seq_cst) == Place::out &&
           carrier.home_wants();
}

bool has_work(const Carrier& carrier) {
    return !carrier.deque.empty_hint() || !carrier.inbox.empty_hint() || home_is_ready(carrier);
}

Fiber* take_lender() {
    Fiber* const fiber = take_from_stock();
    if (fiber == nullptr || fiber->kind == Kind::full) return fiber;
    give_to_stock(*fiber);
    return nullptr;
}

// The home of a stuck carrier, if it is ready there and the monitor gets it before the carrier does.
Item take_home(Carrier& stuck) {
    SpinGuard guard(g.lock, [] { os::yield_native(); });  // a root that leaves takes its home along under this lock
    if (!home_is_ready(stuck)) return Item();
    Place out = Place::out;
    // acquire pairs with the store of `out`: the home's context is saved.
    const bool taken = stuck.home_place.compare_exchange_strong(out, Place::away, std::memory_order_acq_rel,
                                                                 std::memory_order_relaxed);
    return taken ? Item(stuck.home) : Item();
}

// Takes one thing from a stuck carrier and has it run elsewhere. False: nothing was to be had, or nobody to run it.
bool relieve(Carrier& stuck) {
    // A light fiber runs by its home's thread pointer, so no home may be elsewhere meanwhile; and the system has no native
    // threads to spare.
    if (g.light_fibers.load(std::memory_order_relaxed)) return false;
    // First who runs it, then what: nothing is taken that could not be run.
    Fiber* lender = take_lender();
    if (lender == nullptr) return false;
    Carrier* const carrier = open_relief_carrier(*lender);
    Item item;
    if (carrier != nullptr) item = take_home(stuck);
    if (carrier != nullptr && !item) item = take_one(stuck);
    if (!item) {
        give_to_stock(*lender);
        if (carrier != nullptr) close_relief_carrier(*carrier);
        return false;
    }
    if (Fiber* const fiber = item.fiber(); fiber != nullptr && fiber->kind == Kind::full) {
        give_to_stock(*lender);
        lender = fiber;  // it has a native thread of its own
        carrier->lender->thread_pointer = fiber->thread_pointer;
    }
    ++carrier->counters.relieved;
    lender->relief = item;
    lender->relief_carrier = carrier;
    lender->native_word.store(ordered, std::memory_order_release);  // pairs with lend_identity
    os::futex_wake(lender->native_word, 1);
    return true;
}

// One look at every carrier; at most `quota` things are relieved of each. True if anything was queued.
bool look(std::uint32_t quota, bool& any_stuck) {
    bool queued = false;
    any_stuck = false;
    const std::uint32_t slots = g.slots.load(std::memory_order_acquire);  // pairs with the store that follows a new carrier
    for (std::uint32_t index = 0; index < slots; ++index) {
        Carrier* const carrier = g.carriers[index].load(std::memory_order_acquire);
        if (carrier == nullptr) continue;
        const std::uint32_t progress = carrier->progress.load(std::memory_order_relaxed);
        bool work;
        {
            SpinGuard guard(g.lock, [] { os::yield_native(); });
            work = has_work(*carrier);
        }
        queued |= work;
        const bool stuck = work && seen[index].work && seen[index].progress == progress && !g.idle.still_asleep(index);
        seen[index] = {progress, work};
        if (!stuck) continue;
        any_stuck = true;
        for (std::uint32_t count = 0; count < quota && relieve(*carrier);) ++count;
    }
    return queued;
}

void monitor_main(void*) {
    os::name_thread("gossamer-watch");
    std::uint32_t calm = 0;
    std::uint32_t quota = 1;
    std::uint32_t back_before = 0;
    for (;;) {
        os::sleep_native(g.config.chaos == 0 ? look_every_ns : chaos_look_every_ns);
        bool any_stuck;
        const bool queued = look(quota, any_stuck);
        // While what was relieved comes to its end the program moves on. If it does not, it may wait for something that is
        // still queued: twice as much at the next look.
        const std::uint32_t back = came_back.load(std::memory_order_relaxed);
        quota = !any_stuck || back != back_before ? 1 : quota < most_at_once ? 2 * quota : quota;
        back_before = back;
        calm = queued ? 0 : calm + 1;
        if (calm < calm_looks) continue;
        calm = 0;
        g.watch.store(watch_asleep, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with the fence before note_work
        if (look(0, any_stuck)) {
            g.watch.store(watch_awake, std::memory_order_relaxed);
            continue;
        }
        // acquire pairs with wake_monitor.
        while (g.watch.load(std::memory_order_acquire) == watch_asleep) os::futex_wait(g.watch, watch_asleep);
    }
}

}  // namespace

void wake_monitor() {
    std::uint32_t state = watch_asleep;
    if (g.watch.compare_exchange_strong(state, watch_awake, std::memory_order_acq_rel)) {
        os::futex_wake(g.watch, 1);
        return;
    }
    if (state != watch_none || !g.watch.compare_exchange_strong(state, watch_awake, std::memory_order_acq_rel)) return;
    // Without a monitor nothing is relieved. Programs that wait by OpenMP's own means need none.
    os::Stack stack;
    pthread_t thread;
    if (os::map_stack(monitor_stack, stack) == 0 &&
        os::start_thread_on(stack, monitor_main, nullptr, thread, os::Joining::detached) != 0) {
        os::unmap_stack(stack);
    }
}

void serve_relief(Fiber& fiber) {
    Carrier& carrier = *fiber.relief_carrier;
    const Item item = fiber.relief;
    const bool own = item.fiber() == &fiber;
    Fiber& lender = *carrier.lender;
    os::set_signal_mask(g.signals);  // until `arrive`
    if (item.range() != nullptr) {
        carrier.in_hand = item;
        switch_to(lender, fiber, After::home);
    } else {
        switch_to(lender, *item.fiber(), After::home);
    }
    // From here on another carrier may run with this thread's thread pointer.
    came_back.fetch_add(1, std::memory_order_relaxed);
    // A fiber that lent only its native thread has not run, and is free again; one that ran a number rests among the
    // carrier's spares, or waits.
    if (!own && item.range() == nullptr) give_to_stock(fiber);
    close_relief_carrier(carrier);
}

}  // namespace gossamer::fiber
