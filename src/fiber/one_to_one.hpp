// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One to one: each OpenMP thread keeps one native thread, so that it has all that the kernel keeps for a thread: signals that
// others send to it, a signal mask, an alternate stack (one_to_one.cpp, docs/decisions/0026-one-to-one.md).
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

// Whether all work that starts or becomes ready from now on runs on native threads of its own, as work with the habit does
// (habit.cpp). Never ends. relaxed: it decides about what is yet to start.
inline bool one_to_one() { return GOSSAMER_UNLIKELY(g.one_to_one.load(std::memory_order_relaxed)); }

// The native thread of `fiber`, called for a signal, with all signals blocked: lets the fiber's frames take those that wait, if
// no other native thread may run it. Their handlers may take any time.
void answer(Fiber& fiber);

// Before a fiber that has run one to one goes where other native threads than its own may run it: from here on they may. Waits
// until no handler runs on its frames.
void let_others_run(Fiber& fiber);

// Blocks the caller's signals while it holds a lock that the native threads of fibers need: a handler may take any time, and
// these may have to answer meanwhile. Nothing that may wait for other threads of the program, such as malloc, belongs in its
// scope. Only where one_to_one(), since there are no answers otherwise.
class HeldSignals {
public:
    HeldSignals() : held_(one_to_one()) {
        if (GOSSAMER_UNLIKELY(held_)) before_ = os::block_signals();
    }
    ~HeldSignals() {
        if (GOSSAMER_UNLIKELY(held_)) os::set_signal_mask(before_);
    }
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;

private:
    const bool held_;
    os::SignalMask before_{};
};

}  // namespace gossamer::fiber
