// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A home away from its carrier, and on the way back (docs/protocols/relief.md); and the waits of a home for the threads that
// it has started.

#include "fiber/home.hpp"

#include "fiber/idle.hpp"
#include "fiber/queues.hpp"
#include "fiber/ready.hpp"
#include "fiber/relief.hpp"
#include "fiber/roots.hpp"
#include "fiber/switch.hpp"

namespace gossamer::fiber {

namespace {

// A home runs what is queued on its own carrier, as long as it is there.
void run_queued_until_wanted(Fiber& me) {
    while (me.carrier == me.own && !me.wanted() && !makes_way(*me.own)) {
        const Item item = next_local(*me.own);
        if (!item) return;
        hand_over(me, item, After::home);
    }
}

}  // namespace

bool take_home(Carrier& own) {
    if (!own.home_place.take()) return false;
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with begin_light: it sees the home away, or we see the fiber
    if (GOSSAMER_LIKELY(!g.light_fibers.load(std::memory_order_relaxed))) return true;
    own.home_place.leave();
    if (own.home_wants()) call_home(own);  // its carrier may have looked for it meanwhile
    note_work();
    return false;
}

void come_home(Fiber& home) { hand_over(home, Item(), After::come_home); }

bool goes_on_away(const Fiber& home) {
    const Carrier& host = *home.carrier;
    return home.wanted() && (host.relief || !host.home_wants());
}

void be_home(Fiber& home) {
    Carrier& own = *home.own;
    const Awaits yielding(home);
    while (home.carrier != &own) come_home(home);
}

void await_zero(const std::atomic<std::uint32_t>& count, bool (*disturbed)(const void*), const void* argument) {
    Fiber& me = *self();
    const Awaits zero(me, count);
    // Pairs with the fence between what a disturber changes and its call of `disturb`: in wake.cpp that of request_second_look.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (GOSSAMER_UNLIKELY(disturbed(argument))) return;
    run_queued_until_wanted(me);
    // Only home_wait knows whether a home that is away may go on where it is: even if nothing is left to wait for.
    if (me.carrier != me.own) home_wait(me);
    while (count.load(std::memory_order_acquire) != 0 && !zero.disturbed()) home_wait(me);  // acquire pairs with count_down
}

bool disturb(Fiber& home, const std::atomic<std::uint32_t>& count) {
    if (!Awaits::disturb(home, count)) return false;
    call_home(*home.own);
    return true;
}

bool count_down(std::atomic<std::uint32_t>& count, const Fiber& home) {
    Carrier& own = *home.own;
    // Release and acquire: what each thread did happens before the home goes on; pairs with await_zero and Fiber::wanted.
    // seq_cst: the home may wait by other means, behind a fence, and the caller looks for it there.
    if (count.fetch_sub(1, std::memory_order_seq_cst) != 1) return false;
    // On the home's own carrier the end of this call is followed by a decision, which looks at the home first.
    if (self()->carrier != &own) call_home(own);
    return true;
}

void run_queued(const std::atomic<std::uint32_t>& count) {
    Fiber& me = *self();
    if (GOSSAMER_UNLIKELY(me.carrier != me.own)) return;
    const Awaits zero(me, count);
    run_queued_until_wanted(me);
    // What it has run may keep its own carrier until a task is executed for which the home was resumed.
    while (GOSSAMER_UNLIKELY(me.carrier != me.own) && !goes_on_away(me)) come_home(me);
}

}  // namespace gossamer::fiber
