// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A native thread of this process as the kernel sees it, by its id (kernel_thread_id).
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace gossamer::os {

// The CPU time that it has used, in nanoseconds; 0 when there is no such thread. One system call, which touches errno only
// then.
std::uint64_t cpu_time_ns(pid_t thread);

// Whether it sleeps in the kernel, neither running nor waiting for a CPU. Reads /proc, some microseconds; false where
// that tells nothing.
bool sleeps_in_kernel(pid_t thread);

}  // namespace gossamer::os
