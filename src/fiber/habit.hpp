// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What work teaches about itself: whether it needs relief each time, so that it had better start on native threads of its own.
// `Habit` and who keeps it: work.hpp; what the rules are: docs/protocols/relief.md.
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

inline Habit* habit_of(ReliefRecord* record) { return record != nullptr ? &record->now() : nullptr; }
inline Habit* habit_of(Item item) { return habit_of(item.fiber() != nullptr ? item.fiber()->record : item.range()->record); }

// It needed relief. Null: nobody learns.
void learn_relief(Habit* habit);

// Whether it has needed relief lately, so that one look had better take all of it.
bool is_suspected(const Habit* habit);

bool has_habit(ReliefRecord* record);

// Tries without the habit; one relief is enough to come back to it.
void interrupt_habit(Habit& habit);

// By a native thread that has run what was relieved, in so much CPU time. Another carrier may run with its thread pointer.
void suspect(Carrier& carrier, std::uint64_t cpu_ns);

// By the monitor, before it looks at the carriers again.
void weigh_suspicions();

}  // namespace gossamer::fiber
