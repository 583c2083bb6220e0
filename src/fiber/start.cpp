// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starting work on the fibers that are kept for it: workers' homes, which take it as an order on their own native threads, and
// reserved fibers, which go to a queue or run apart.

#include "fiber/apart.hpp"
#include "fiber/late.hpp"
#include "fiber/one_to_one.hpp"
#include "fiber/ready.hpp"
#include "fiber/relief.hpp"
#include "fiber/roots.hpp"
#include "fiber/zone.hpp"

namespace gossamer::fiber {

namespace {

// Hands `fiber` its next call. True: it is a home, and has its order. The native thread of a home may sleep: the caller has to
// look at that afterwards. Each store into a home's line waits until the home's processor has given up the line, and behind it
// the starter's later stores wait; so what is the same as last time is not written.
bool give(Fiber& fiber, const Start& start) {
    set_if_new(fiber.start_call, start.call);
    set_if_new(fiber.start_argument, start.argument);
    if (!fiber.takes_orders) {
        fiber.start_tag = start.tag;
        fiber.record = start.record;
        return false;
    }
    for (std::uint32_t i = 0; i < words_a_start; ++i) set_if_new(fiber.start_words[i], start.words[i]);
    set_if_new(fiber.start_record, start.record);
    fiber.start_tag = start.tag;
    // release pairs with Fiber::wanted. No addition: no other thread gives this home an order meanwhile.
    fiber.orders.store(fiber.orders.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    return true;
}

}  // namespace

bool start(Fiber* fiber, const Start& start, std::uint32_t near) {
    if (give(*fiber, start)) return false;
    if (!fiber->end_rest()) return true;
    if (GOSSAMER_UNLIKELY(start.apart)) {
        if (run_apart(Item(fiber))) return false;
        let_others_run(*fiber);
    }
    Carrier* const me = caller_carrier();
    // A light fiber would be stuck on the carrier of a root that is in no region, and carrier 0 may be another root's.
    if (me != nullptr && (near == near_caller || (near == 0 && keeps_to_its_own(*me)))) {
        fiber->carrier = me;
    } else if (fiber->kind != Kind::light || is_worker(near)) {
        fiber->carrier = &carrier_at(near);
    } else if (me != nullptr) {
        fiber->carrier = me;
    }
    if (me != nullptr && fiber->carrier == me && fiber->kind != Kind::light && me->deque.push(Item(fiber))) return true;
    (fiber->kind == Kind::light ? fiber->carrier->pinned : fiber->carrier->inbox).push(fiber);
    return true;
}

bool start_in(Fiber* fiber, const Start& start, std::uint32_t zone) {
    if (give(*fiber, start)) return false;
    if (!fiber->end_rest()) return true;
    if (fiber->kind == Kind::light) {
        if (Carrier* const me = caller_carrier()) fiber->carrier = me;
        fiber->carrier->pinned.push(fiber);  // only its carrier may run it, bound to this zone or that
    } else {
        fiber->zone = zone;
        if (start.apart && run_apart(Item(fiber))) return true;
        if (start.apart) let_others_run(*fiber);
        put_in_zone(*fiber);
    }
    return true;
}

namespace {

// Behind the caller's fence, where some carrier sleeps.
GOSSAMER_NOINLINE void wake_sleepers(std::uint32_t homes, std::uint32_t count, bool queued, bool enough) {
    const std::uint32_t workers = g.workers.load(std::memory_order_relaxed);
    for (std::uint32_t index = 1; index < count && index < workers; ++index) {
        if (!g.idle.still_asleep(index)) continue;
        Carrier& carrier = carrier_at(index);
        if (GOSSAMER_UNLIKELY(enough)) {
            if (index < homes && left_to_others(carrier)) {
                note_work();
                continue;
            }
            if (index >= homes && carrier.pinned.empty_hint()) continue;
            const std::uint32_t calls = carrier.home_calls.direct.load(std::memory_order_relaxed);
            if (calls != 0) carrier.home_calls.direct.store(calls - 1, std::memory_order_relaxed);
        }
        wake_if_asleep(carrier);
    }
    // The monitor looks after what is left.
    if (!queued || GOSSAMER_UNLIKELY(enough)) return;
    // Any carrier may take what lies in the queue of a busy one; the carrier that wakes here wakes the next.
    unpark_claimed(g.idle.publish());
}

}  // namespace

void wake_started(std::uint32_t homes, std::uint32_t count, bool queued) {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with announce
    if (GOSSAMER_UNLIKELY(queued)) note_work();
    if (GOSSAMER_UNLIKELY(anybody_sleeps())) wake_sleepers(homes, count, queued, crowded());
}

bool wake_started(std::uint32_t homes, std::uint32_t count, bool queued, ReliefRecord& record, const void* kind) {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with announce
    if (GOSSAMER_UNLIKELY(queued)) note_work();
    if (GOSSAMER_LIKELY(!anybody_sleeps())) return false;
    const bool enough = crowded();
    const bool slept = !several_roots() && call_sleepers(*self()->own, homes, count > homes || queued, record, kind);
    if (!slept || queued || count > homes) wake_sleepers(homes, count, queued, enough);
    return slept;
}

void note_decision() {
    if (Carrier* const carrier = caller_carrier()) note_progress(*carrier);
}

void wake_homes(Fiber* const* fibers, std::uint32_t count) {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with announce
    if (!anybody_sleeps()) return;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!fibers[i]->takes_orders) continue;
        Carrier& carrier = *fibers[i]->own;
        if (g.idle.still_asleep(carrier.index)) wake_if_asleep(carrier);
    }
}

void start_now(Fiber* fiber, const Start& what, std::uint32_t near) {
    Carrier* const home_of = fiber->takes_orders ? fiber->own : nullptr;
    start(fiber, what, near);
    if (home_of == nullptr) return wake_started(0, 0, true);
    call_home(*home_of);
}

void report_served() {
    Fiber& me = *self();
    const std::uint32_t taken = me.taken.load(std::memory_order_relaxed);
    if (me.reported == taken) return;
    me.reported = taken;
    me.served.store(taken, std::memory_order_seq_cst);  // pairs with has_served: the waiter sees this, or we see that it sleeps
}

}  // namespace gossamer::fiber
