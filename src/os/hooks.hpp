// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Being told of a native thread's end, and of fork.
#pragma once

namespace gossamer::os {

// `hook(argument)` runs on each native thread that called `at_thread_exit` since its last run, when that thread ends
// (not when the process does), among the destructors of thread-specific data. One hook for the process: the first call
// of `set_thread_exit_hook` decides. 0, or EAGAIN where the process has no key left: then the hook never runs.
int set_thread_exit_hook(void (*hook)(void* argument));
int at_thread_exit(void* argument);

// `prepare` runs before each fork in the thread that forks, `parent` and `child` after it. 0, or ENOMEM.
int set_fork_hooks(void (*prepare)(), void (*parent)(), void (*child)());

}  // namespace gossamer::os
