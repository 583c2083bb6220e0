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

namespace {

// The first bytes of /proc/self/task/<thread>/<name>, with a zero behind them. False: there is no such file.
bool read_of_thread(pid_t thread, const char* name, char* text, std::size_t size) {
    ::snprintf(text, size, "/proc/self/task/%d/%s", static_cast<int>(thread), name);
    const int saved_errno = errno;
    const int file = ::open(text, O_RDONLY | O_CLOEXEC);
    ssize_t length = -1;
    if (file >= 0) {
        length = ::read(file, text, size - 1);
        ::close(file);
    }
    errno = saved_errno;
    if (length <= 0) return false;
    text[length] = '\0';
    return true;
}

}  // namespace

Sleep sleep_of(pid_t thread) {
    char text[512];
    if (!read_of_thread(thread, "stat", text, sizeof text)) return Sleep::none;
    const char* const name_end = ::strrchr(text, ')');  // the name may contain anything
    if (name_end == nullptr || name_end[1] != ' ') return Sleep::none;
    if (name_end[2] == 'D') return Sleep::in_system;
    return name_end[2] == 'S' ? Sleep::waits : Sleep::none;
}

Turns turns_of(pid_t thread) {
    char text[128];
    // Documentation/scheduler/sched-stats.rst: time on a CPU, time in a queue, how often it was given one.
    unsigned long long cpu_ns, queued_ns, count;
    if (!read_of_thread(thread, "schedstat", text, sizeof text)) return {};
    if (::sscanf(text, "%llu %llu %llu", &cpu_ns, &queued_ns, &count) != 3) return {};
    return {cpu_ns, count};
}

}  // namespace gossamer::os
