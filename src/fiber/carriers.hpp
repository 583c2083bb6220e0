// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of carriers: making them, and which native thread serves which slot (carriers.cpp).
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

// The descriptor of a native thread, which may become a carrier's home. Null: no memory.
Fiber* new_home();
void delete_home(Fiber& home);

// A carrier for slot `index`, served by no native thread and not in the table yet. Null: no memory.
Carrier* new_carrier(std::uint32_t index);
// One that no other thread can see.
void delete_carrier(Carrier& carrier);
// Puts it into the table. Under g.lock.
void publish_carrier(Carrier& carrier);

// A carrier, no worker's, that no native thread serves; makes one where there is none. Null: all slots are taken (`all_taken`),
// or there is no memory. Under g.lock.
Carrier* vacant_carrier();
bool all_taken();
// `home`'s native thread begins to serve a carrier, and ends. Under g.lock.
void occupy(Carrier& carrier, Fiber& home, Serves serves);
void vacate(Carrier& carrier);

// A carrier for one fiber that runs apart. Null: all slots are taken, or there is no memory.
Carrier* open_relief_carrier();
// By that carrier's native thread. Touches no thread-local storage, which another carrier may be using by now.
void close_relief_carrier(Carrier& carrier);

}  // namespace gossamer::fiber
