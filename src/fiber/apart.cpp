// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/apart.hpp"

#include <utility>

#include "fiber/carriers.hpp"
#include "fiber/habit.hpp"
#include "fiber/home.hpp"
#include "fiber/one_to_one.hpp"
#include "fiber/relief.hpp"
#include "fiber/stock.hpp"
#include "fiber/switch.hpp"
#include "fiber/zone.hpp"

namespace gossamer::fiber {

namespace {

constexpr std::uint32_t try_waking = 1024;  // wakes apart, after which one wake is tried without

constinit std::atomic<std::uint32_t> returns{0};

// Whether some carrier would come for queued work.
bool anybody_is_free() { return anybody_sleeps() || idle_carriers() != 0; }

}  // namespace

std::uint32_t came_back() { return returns.load(std::memory_order_relaxed); }

bool Apart::prepare_for_full_fiber() {
    carrier_ = open_relief_carrier();
    return carrier_ != nullptr;
}

bool Apart::prepare_for_any() {
    lender_ = take_lender();
    return prepare_for_full_fiber();
}

Apart::~Apart() {
    if (lender_ != nullptr) give_to_stock(*lender_);
    if (carrier_ != nullptr) close_relief_carrier(*carrier_);
}

void Apart::run(Item item, const Behind& behind, Habit* habit) {
    Fiber* const fiber = item.fiber();
    const bool on_its_own = fiber != nullptr && fiber->kind == Kind::full;
    Fiber& native = on_its_own ? *fiber : *lender_;
    if (!on_its_own) lender_ = nullptr;
    Carrier& carrier = *std::exchange(carrier_, nullptr);
    carrier.duty.behind = native.behind = behind;
    carrier.duty.habit = habit;
    ++carrier.counters.relieved;
    native.relief = item;
    native.relief_carrier = &carrier;
    native.native_word.store(ordered, std::memory_order_release);  // pairs with await_order
    os::futex_wake(native.native_word, 1);
}

bool go_on_apart(Fiber& fiber) {
    if (one_to_one() && fiber.kind == Kind::full) {
        if (run_apart(Item(&fiber))) return true;
        let_others_run(fiber);
        return false;
    }
    if (fiber.kind != Kind::full || !has_habit(fiber.record)) return false;
    Habit& habit = fiber.record->now();
    if (habit.wakes.fetch_add(1, std::memory_order_relaxed) % try_waking == try_waking - 1) {
        interrupt_habit(habit);
        return false;
    }
    return run_apart(Item(&fiber));
}

bool run_apart(Item item, const Behind& behind, Habit* habit) {
    if (item.fiber() != nullptr && item.fiber()->kind != Kind::full) return false;
    Apart apart;
    if (item.fiber() != nullptr ? !apart.prepare_for_full_fiber() : !apart.prepare_for_any() || !apart.has_lender())
        return false;
    apart.run(item, behind, habit);
    note_work();  // nothing is queued, but the processors may need a beat
    return true;
}

bool stays_apart(Fiber& fiber) {
    if (fiber.kind != Kind::full || fiber.behind.stuck == nullptr || !is_stuck(fiber.behind) || anybody_is_free()) return false;
    return run_apart(Item(&fiber), fiber.behind, habit_of(fiber.record));
}

void hand_on(Carrier& carrier) {
    if (carrier.deque.empty_hint() || carrier.duty.behind.stuck == nullptr || !is_stuck(carrier.duty.behind) ||
        anybody_is_free())
        return;
    while (const Item item = carrier.deque.pop()) {
        if (item.is_exhausted()) continue;
        carrier.duty.habit = nullptr;  // the fiber may wait for just that, so this is not the end of what was relieved
        if (run_apart(item, carrier.duty.behind)) continue;
        carrier.deque.push(item);  // cannot fail: the pop has left room
        return;
    }
}

bool yield_apart(Fiber& me) {
    const Carrier& carrier = *me.carrier;
    const Behind& behind = carrier.duty.behind;
    if (one_to_one() || has_habit(me.record) || behind.stuck == nullptr || is_stuck(behind)) {
        os::yield_native();
        return false;
    }
    if (me.kind == Kind::native) {
        const Awaits yielding(me);
        come_home(me);
    } else {
        leave_apart(me);
        switch_to(me, *carrier.home, After::back);
    }
    return true;
}

void serve_relief(Fiber& fiber) {
    Carrier& carrier = *fiber.relief_carrier;
    const Item item = fiber.relief;
    const bool own = item.fiber() == &fiber;
    Fiber& lender = *carrier.duty.lender;
    lender.thread_pointer = arch::thread_pointer();
    const pid_t native = os::kernel_thread_id();
    carrier.native_thread.store(native, std::memory_order_relaxed);  // stale or new: a hint
    const std::uint64_t begin_ns = os::cpu_time_ns(native);
    carrier.duty.since_ns.store(begin_ns, std::memory_order_relaxed);
    if (g.zones != nullptr) {
        settle(carrier, 0);  // this native thread may have run something that was bound
        fiber.lent_zone = UINT32_MAX;
    }
    if (item.range() != nullptr) {
        carrier.in_hand = item;
        prepare_landing(fiber);
        switch_to(lender, fiber, After::home);
    } else {
        prepare_landing(*item.fiber());
        switch_to(lender, *item.fiber(), After::home);
    }
    // From here on another carrier may run with this thread's thread pointer.
    returns.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t cpu_ns = os::cpu_time_ns(native) - begin_ns;
    carrier.duty.since_ns.store(0, std::memory_order_relaxed);
    g.apart.past_ns.fetch_add(cpu_ns, std::memory_order_relaxed);
    if (carrier.duty.habit != nullptr) suspect(carrier, cpu_ns);
    // A fiber that lent only its native thread has not run, and is free again; one that ran a number rests among the carrier's
    // spares, or waits.
    if (!own && item.range() == nullptr) give_to_stock(fiber);
    close_relief_carrier(carrier);
}

}  // namespace gossamer::fiber
