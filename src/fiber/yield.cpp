// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Giving way: whether other work waits for the caller's carrier, and letting that run.

#include "fiber/give_way.hpp"

#include "fiber/apart.hpp"
#include "fiber/company.hpp"
#include "fiber/home.hpp"
#include "fiber/idle.hpp"
#include "fiber/one_to_one.hpp"
#include "fiber/queues.hpp"
#include "fiber/switch.hpp"

namespace gossamer::fiber {

namespace {

constexpr std::uint32_t yields_a_turn = 64;  // after so many the kernel may let another native thread run

GOSSAMER_INLINE bool must_give_way(const Fiber& me) {
    return me.carrier != nullptr && !me.carrier->relief && is_wanted(me, *me.carrier);
}

GOSSAMER_COLD bool must_give_way_from_afar() { return must_give_way(*self()); }

}  // namespace

bool must_give_way() {
    const Fiber* const me = near_self();
    return GOSSAMER_LIKELY(me != nullptr) ? must_give_way(*me) : must_give_way_from_afar();
}

bool nothing_queued() {
    const Fiber& me = *self();
    const Carrier* const carrier = me.carrier;
    if (carrier == nullptr) return true;
    return carrier->nothing_queued() && !carrier->relief && (carrier->home == &me || !carrier->home_wants());
}

bool yield() {
    Fiber& me = *self();
    Carrier* const carrier = me.carrier;
    if (carrier == nullptr) {
        os::yield_native();
        return false;
    }
    if (GOSSAMER_UNLIKELY(carrier->relief)) return yield_apart(me);
    // What the caller waits for may lie on another carrier that has to share the processor with this one.
    if (GOSSAMER_UNLIKELY(++carrier->polling.yields % yields_a_turn == 0)) yield_to_carriers(*carrier);
    Item item = next_local(*carrier, true);
    if (!item) item = steal(*carrier);
    if (!item) return false;
    if (me.kind == Kind::native) {
        const Awaits yielding(me);
        hand_over(me, item, carrier == me.own ? After::home : After::come_home);
    } else {
        hand_over(me, item, After::yield);
    }
    return true;
}

namespace {

bool anybody_is_asked() {
    for (const Carrier& each : all_carriers()) {
        if (each.asked.load(std::memory_order_seq_cst)) return true;
    }
    return false;
}

// Sets the mode's bit, or takes it away, by what the carriers' flags say. A thread that has changed a flag calls this behind
// that. So the last of several threads here sees all flags as they stay, and leaves the right bit.
void show_requests() {
    for (bool any = anybody_is_asked();; any = !any) {
        if (any) {
            modes_on.fetch_or(mode_asked, std::memory_order_seq_cst);
        } else {
            modes_on.fetch_and(~std::uint32_t{mode_asked}, std::memory_order_seq_cst);
        }
        if (anybody_is_asked() == any) return;
    }
}

}  // namespace

void ask_to_give_way(Carrier& carrier) {
    if (!carrier.asked.exchange(true, std::memory_order_seq_cst)) show_requests();
}

void withdraw_request(Carrier& carrier) {
    // relaxed: a hint; a request that comes just now stays
    if (!carrier.asked.load(std::memory_order_relaxed)) return;
    if (carrier.asked.exchange(false, std::memory_order_seq_cst)) show_requests();
}

namespace {

// The caller's carrier, if it is asked. relaxed: a hint; a request that is not seen yet is seen at the next scheduling point.
Carrier* asked_carrier() {
    Carrier* const carrier = self()->carrier;
    return carrier != nullptr && carrier->asked.load(std::memory_order_relaxed) ? carrier : nullptr;
}

constexpr std::uint32_t polls_a_step = 64;  // to one step of a thread that works, among threads that poll
constexpr std::uint32_t most_polls = 64 * polls_a_step;

// For a carrier whose threads poll: lets others run, if the last that did so has been gone for so long. The request stays.
void take_turns(Carrier& carrier, std::uint32_t turn_ns) {
    const std::uint64_t now = arch::cycles();
    if (now - carrier.polling.gave_way_at < cycles_in(turn_ns)) return;
    carrier.polling.gave_way_at = now;
    yield_to_carriers(carrier);
    yield();
}

void answer(Carrier& carrier) {
    withdraw_request(carrier);
    if (!carrier.relief) yield();  // what runs apart is only asked whether it comes here (beat.cpp)
}

}  // namespace

void attend() {
    constexpr std::uint32_t turn_ns = 1'000'000;  // it may have filled its caches
    if (mode_is_on(mode_chaos)) return chaos_step();
    Carrier* const carrier = asked_carrier();
    if (carrier == nullptr) return;
    std::uint32_t& polls = carrier->polling.count;
    if (GOSSAMER_LIKELY(polls < polls_a_step || carrier->relief)) return answer(*carrier);
    polls -= polls_a_step;
    take_turns(*carrier, turn_ns);
}

void attend_polling() {
    constexpr std::uint32_t turn_ns = 50'000;  // some hundred times what a change takes
    if (mode_is_on(mode_chaos)) return chaos_step();
    Carrier* const carrier = asked_carrier();
    if (carrier == nullptr) return;
    if (carrier->relief) {
        withdraw_request(*carrier);
        yield();  // it may come back to the carriers
        return;
    }
    std::uint32_t& polls = carrier->polling.count;
    if (polls < most_polls) ++polls;
    take_turns(*carrier, turn_ns);
}

void chaos_step() {
    Fiber& me = *self();
    Carrier* const carrier = me.carrier;
    if (carrier == nullptr || carrier->running != &me || carrier->random.one_in(2)) return;
    if (one_to_one()) return os::yield_native();  // no other native thread than its own may run it
    if (me.kind == Kind::native || carrier->random.one_in(2)) {
        yield();
        return;
    }
    Item item = next_local(*carrier, true);
    if (!item) item = steal(*carrier);
    hand_over(me, item, After::chaos);
}

}  // namespace gossamer::fiber
