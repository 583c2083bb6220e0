// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The switch from one fiber to another, and the loop (switch.cpp, docs/protocols/switching.md).
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

// What the next fiber does with the fiber that was left, once that fiber's context is saved.
enum class After : std::uintptr_t {
    park,       // it waits for `resume`
    spare,      // a fiber of the loop with nothing to do: to the carrier's stock
    yield,      // it is ready: to the end of the queue
    home,       // a home on its own native thread: its carrier, or the monitor, takes it from there
    lie_out,    // a home whose native thread is about to sleep on the next fiber (late.cpp)
    come_home,  // a home that was away
    back,       // it was relieved, and is ready: to the queue of a worker or carrier 0
    chaos,      // it is ready: to some other carrier's queue
    nothing,    // it has only left one of its own frames
    count
};

// Switches from the caller's fiber `from`; returns when another thread of control resumes `from`, maybe on another carrier.
void switch_to(Fiber& from, Fiber& to, After after);

// Runs `item` in place of the caller `from`: a fiber by a switch, a range on a fiber of the loop; no item: the home. Returns
// as above.
void hand_over(Fiber& from, Item item, After after);

// On the native thread of a fiber, or of one that lends it to a home, before it switches to `next`: that unblocks the signals
// on its own frames, before it goes on where it was left.
void prepare_landing(Fiber& next);
// A fiber that runs apart, on its own frames, before it leaves them for those of its native thread: blocks the signals.
void leave_apart(Fiber& me);
// The native thread of a fiber at rest, which it has alone, with all signals blocked: unblocks them on the fiber's frames,
// where the handlers of those that wait run now, and blocks them again. They may take any time.
void take_signals(Fiber& fiber);

// The body of every fiber that is not a home: serves `start` while reserved, else runs the scheduling loop.
[[noreturn]] void fiber_main(void* payload);

// Around each call that a fiber of the loop, or a reserved one, runs.
inline void begin_call(Fiber& me) {
    if (GOSSAMER_UNLIKELY(me.kind == Kind::light)) ++me.carrier->lights.in_call;
}
inline void end_call(Fiber& me) {
    if (GOSSAMER_LIKELY(me.kind != Kind::light)) return;
    Carrier& carrier = *me.carrier;
    if (--carrier.lights.in_call == 0 && carrier.home_leaves) carrier.home->permit.notify();
}

}  // namespace gossamer::fiber
