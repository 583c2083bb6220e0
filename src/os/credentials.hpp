// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changing the user and the groups of the whole process: setuid(2) and its like.
//
// The kernel keeps them for each native thread. So libc sends each a signal of its own, whose handler makes the same change and
// then reports, as the thread that the thread pointer names. A native thread that wears another's pointer, as one that runs a
// fiber does, would report as that one, and libc would wait for it for ever.
#pragma once

#include <grp.h>
#include <sys/types.h>
#include <unistd.h>

namespace gossamer::os {

// Has each native thread report as itself, from now on. The caller wears its own thread pointer; libc has made a thread before,
// and no native thread wears another's yet. Nothing, with a libc other than glibc.
void let_threads_report_as_themselves();

// Calls `change`, which changes the process's user or groups by libc's means, and returns 0 or EAGAIN: the system grants no
// native thread, where one is needed. Libc leaves out the thread that asks, as the thread pointer names it. So where that is
// another's, a native thread of its own asks in place of the caller, which sleeps in the kernel meanwhile.
int change_credentials(void (*change)(void* argument), void* argument);

}  // namespace gossamer::os
