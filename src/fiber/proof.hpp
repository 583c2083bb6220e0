// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The proof of a need for relief: carriers that use CPU time are left without, for once (proof.cpp).
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

// All signs tell that a relief was needed of work behind a carrier that used CPU time. Teaches the habit, which forms only when
// it is proved. Null: there is none. Any thread.
void learn_by_signs(Habit* habit);

// The monitor, before it looks at the carriers.
void look_at_proof();

// The monitor, at a look at a carrier. `moved`: it has come to a decision since the last one.
void note_for_proof(Carrier& carrier, bool moved, bool holds_work);

// The monitor, about to relieve a carrier that uses CPU time. True: it leaves the carrier without relief at this look.
bool leaves_without_relief(Carrier& stuck);

}  // namespace gossamer::fiber
