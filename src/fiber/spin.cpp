// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting by spinning: for as long as it is cheaper than to suspend, and while no other work wants the carrier.

#include "fiber/company.hpp"
#include "fiber/idle.hpp"
#include "fiber/late.hpp"
#include "fiber/queues.hpp"
#include "fiber/roots.hpp"

namespace gossamer::fiber {

namespace {

constexpr std::uint32_t looks_at_own = 32;  // looks at its own flag and queues for each look at the other carriers'

// How long a fiber that is no home spins, in arch::cycles: it keeps its carrier from parking.
std::uint64_t fiber_patience() {
    constexpr double most_ns = 2'000;
    const auto most = static_cast<std::uint64_t>(most_ns * g.cycles_a_ns);
    const std::uint64_t patience = g.patience.load(std::memory_order_relaxed);
    return patience < most ? patience : most;
}

// The rest of `spin_until`, by itself: its frame would be most of what a waiter pays that must not spin at all.
GOSSAMER_NOINLINE bool spin(Fiber& me, bool (*done)(const void* argument), const void* argument) {
    Carrier* const carrier = me.carrier;
    if (carrier != nullptr && (expects_late_home(*carrier) || some_home_is_left(*carrier))) return false;
    const bool home = me.kind == Kind::native && carrier != nullptr;
    const std::uint64_t patience = home ? patience_of(*me.own) : fiber_patience();
    const std::uint64_t begin = arch::cycles();
    if (carrier != nullptr) carrier->thief.spin();
    for (std::uint32_t look = 1;; ++look) {
        arch::pause();
        if (done(argument)) return true;
        if (carrier != nullptr && is_wanted(me, *carrier)) return false;
        if (look % looks_at_own == 0) {
            if (arch::cycles() - begin >= patience) break;
            // Tells the monitor that this fiber waits by our means. Not before: the store takes a tenth of a barrier.
            if (look == looks_at_own && carrier != nullptr) note_progress(*carrier);
            if (carrier != nullptr && makes_way(*carrier)) return false;
            if (carrier != nullptr && sees_work(*carrier)) return false;
            if (look == looks_a_yield && carrier != nullptr) look_for_others(Looker::idle_carrier);
            if (look % looks_a_yield == 0 && !yield_processor(carrier)) break;
        }
    }
    me.spun_out = home;
    return false;
}

}  // namespace

bool spin_until(bool (*done)(const void* argument), const void* argument) {
    if (done(argument)) return true;
    Fiber& me = *self();
    me.spun_out = false;
    if (mode_is_on(mode_chaos | mode_no_spinning)) return false;
    // Before anything that takes time: a pause and a look at the clock cost more than the switch to queued work.
    if (me.carrier != nullptr && is_wanted(me, *me.carrier)) return false;
    return spin(me, done, argument);
}

bool spin_briefly(bool (*done)(const void* argument), const void* argument) {
    constexpr std::uint32_t most_ns = 1'000;
    // With one carrier the thread that holds what the caller waits for does not run.
    if (mode_is_on(mode_chaos | mode_no_spinning) || g.workers.load(std::memory_order_relaxed) < 2) return false;
    const std::uint64_t most = cycles_in(most_ns);
    const std::uint64_t begin = arch::cycles();
    do {
        arch::pause();
        if (done(argument)) return true;
    } while (arch::cycles() - begin < most);
    return false;
}

}  // namespace gossamer::fiber
