// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/thread_state.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

namespace gossamer::os {

std::uint64_t cpu_time_ns(pid_t thread) {
    // The clock that pthread_getcpuclockid gives for a thread: its id's complement, then "one thread's" and "by the
    // scheduler" (clock_getcpuclockid(3); include/linux/posix-timers.h names the bits).
    constexpr unsigned one_thread = 4, by_scheduler = 2;
    const auto clock = static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3 | one_thread | by_scheduler);
    timespec used{};
    if (::clock_gettime(clock, &used) != 0) return 0;
    return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(used.tv_nsec);
}

Sleep sleep_of(pid_t thread) {
    char text[512];
    ::snprintf(text, sizeof text, "/proc/self/task/%d/stat", static_cast<int>(thread));
    const int saved_errno = errno;
    const int file = ::open(text, O_RDONLY | O_CLOEXEC);
    ssize_t length = -1;
    if (file >= 0) {
        length = ::read(file, text, sizeof text - 1);
        ::close(file);
    }
    errno = saved_errno;
    if (length <= 0) return Sleep::none;
    text[length] = '\0';
    const char* const name_end = ::strrchr(text, ')');  // the name may contain anything
    if (name_end == nullptr || name_end[1] != ' ') return Sleep::none;
    if (name_end[2] == 'D') return Sleep::in_system;
    return name_end[2] == 'S' ? Sleep::waits : Sleep::none;
}

}  // namespace gossamer::os
