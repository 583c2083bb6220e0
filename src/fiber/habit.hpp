// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What work teaches about itself: whether it needs relief each time, so that it should start on native threads of its own.
// work.hpp has `Habit` and its owner; docs/protocols/relief.md has the rules.
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

inline Habit* habit_of(ReliefRecord* record) { return record != nullptr ? &record->now() : nullptr; }
inline Habit* habit_of(Item item) {
    return habit_of(item.fiber() != nullptr ? item.fiber()->next_record() : item.range()->record);
}

// The work needed relief. Null: there is no habit to teach.
void learn_relief(Habit* habit);

// The next relief forms the habit, and it is not proved (proof.cpp).
bool is_about_to_form(const Habit& habit);

// Whether the work has needed relief lately, so that one look should relieve all of it.
bool is_suspected(const Habit* habit);

bool has_habit(ReliefRecord* record);

// Tries without the habit; one relief brings it back.
void interrupt_habit(Habit& habit);

// The native thread that has run relieved work, in `cpu_ns` of CPU time. Another carrier may run with its thread pointer by
// now.
void suspect(Carrier& carrier, std::uint64_t cpu_ns);

// The monitor, before it looks at the carriers again. True: a suspicion is left that it cannot decide yet, and it must not
// sleep before it can. That takes no more than some CPU time of the carrier that is stuck.
bool weigh_suspicions();

}  // namespace gossamer::fiber
