// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders to homes whose native threads sleep (late.cpp).
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

// A worker's sleep while its home lies out: a number that the loop calls.
struct Sleep {
    Range range;
    std::atomic<std::uint32_t> unfinished{0};
};

// Whether the home of `carrier`, which is about to sleep, is to lie out meanwhile. Asked once before each sleep.
bool lies_out(Carrier& carrier);
// Leaves such a home, while its native thread sleeps on a fiber of the loop. Returns when some thread runs the home. False,
// without effect: the home must stay with its native thread.
bool lie_out(Fiber& home);

// For a root, behind the fence that follows its orders to the homes of carriers [1, homes): wakes the native threads of those
// that sleep, or leaves these homes to the root. False: none sleeps. `kind` names what they run, in `record`; `more`: there is
// work besides, for which a carrier must wake.
bool call_sleepers(Carrier& root, std::uint32_t homes, bool more, ReliefRecord& record, const void* kind);
// A home that the root has ordered, and that lies out: the root, without other work, runs it now. Nothing: there is none.
Item take_late_home(Carrier& root);
// relaxed: the root writes it itself; for any other fiber on its carrier a hint.
inline bool expects_late_home(const Carrier& root) {
    return GOSSAMER_UNLIKELY(root.expects_late.load(std::memory_order_relaxed));
}

// A worker that has been woken, when it runs.
void note_woken(const Carrier& carrier);

// The monitor, which sends for a home that was left.
void note_sent();
// The same, in a look before it sleeps: whether it must doze instead, since roots have lately left homes asleep.
bool sleepers_are_left();

}  // namespace gossamer::fiber
