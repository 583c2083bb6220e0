// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/export.hpp"
#include "omp/omp.hpp"

// libc's name. A program that waits by it waits for another thread, and that may be a fiber queued behind the caller: so
// it reaches this carrier's queue first, and the kernel only when nothing is there. May suspend. Always 0.
GOSSAMER_EXPORT int sched_yield() {
    if (!gossamer::fiber::is_carried() || !gossamer::fiber::yield()) gossamer::os::yield_native();
    return 0;
}
