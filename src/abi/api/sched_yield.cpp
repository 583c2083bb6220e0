// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libc's sched_yield. A program that calls it waits for another thread, which may be a fiber queued behind the caller.
#include "abi/export.hpp"
#include "omp/omp.hpp"

// Yields to this carrier's queue first, and to the kernel only if nothing is there. Returns 0. May suspend, but not in the
// program's allocator if the library has called that.
GOSSAMER_EXPORT int sched_yield() {
    if (!gossamer::fiber::is_carried_outside() || !gossamer::fiber::yield()) gossamer::os::yield_native();
    return 0;
}
