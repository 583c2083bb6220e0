// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A native thread of this process as the kernel sees it, by its id (kernel_thread_id).
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace gossamer::os {

// The CPU time that the thread has used, in nanoseconds; 0 when there is no such thread. Thread 0 is the caller. One system
// call, which touches errno only then.
std::uint64_t cpu_time_ns(pid_t thread);
// The same of all threads of the process.
std::uint64_t process_cpu_time_ns();

enum class Sleep {
    none,       // it runs or waits for a CPU
    waits,      // for what may take any time: another thread, a file that is no file, a clock
    in_system,  // for the system itself, which will come to its end: a page, a disk, a lock on the process's memory
    unknown,    // there is no such thread, or the system does not tell: no /proc is mounted, no file can be opened any more
};

// Whether the thread sleeps in the kernel. Reads /proc, some microseconds.
Sleep sleep_of(pid_t thread);

// How often the kernel has given the thread a CPU, ever, and the CPU time that it has used in these turns; zeros when nothing
// is known. Reads /proc, some microseconds.
struct Turns {
    std::uint64_t cpu_ns = 0;
    std::uint64_t count = 0;
};
Turns turns_of(pid_t thread);

}  // namespace gossamer::os
