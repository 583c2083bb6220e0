// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The monitor, which relieves stuck carriers (relief.cpp, docs/protocols/relief.md).
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

// Keeps the monitor awake. Call after a seq_cst fence behind the step that made work visible which some carrier may never
// come to.
void wake_monitor();
inline void note_work() {
    if (GOSSAMER_UNLIKELY(!g.monitor.watch.looks())) wake_monitor();
}

}  // namespace gossamer::fiber
