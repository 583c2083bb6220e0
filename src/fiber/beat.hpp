// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The beat, for native threads that run apart and spin (beat.cpp).
#pragma once

#include <cstdint>

namespace gossamer::fiber {

// The monitor, at each look: whether the processors get a beat from now on for what runs apart (beat.cpp). `came_back`: how
// often a fiber or number that ran apart has come to wait, or to its end, ever.
bool conduct(std::uint32_t came_back);
// The monitor, before it sleeps: takes back what it has asked.
void ask_no_more();
// Ends the beat's native threads, once the monitor has ended.
void end_beaters();

// In the child of fork, which has no such thread.
void forget_beat();

}  // namespace gossamer::fiber
