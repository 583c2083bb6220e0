// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/thread_state.hpp"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "os/small_file.hpp"
#include "os/timespec.hpp"

namespace gossamer::os {

namespace {

// What a clock of CPU time shows; 0 where there is no such clock.
std::uint64_t shown_ns(clockid_t clock) {
    timespec used{};
    if (::clock_gettime(clock, &used) != 0) return 0;
    return to_ns(used);
}

}  // namespace

std::uint64_t cpu_time_ns(pid_t thread) {
    // The clock that pthread_getcpuclockid gives for a thread: its id's complement, then "one thread's" and "by the
    // scheduler" (clock_getcpuclockid(3); include/linux/posix-timers.h names the bits).
    constexpr unsigned one_thread = 4, by_scheduler = 2;
    return shown_ns(static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3 | one_thread | by_scheduler));
}

std::uint64_t process_cpu_time_ns() { return shown_ns(CLOCK_PROCESS_CPUTIME_ID); }

namespace {

// /proc/self/task/<thread>/<name>; empty where there is no such file.
template <std::size_t capacity>
SmallFile<capacity> file_of(pid_t thread, const char* name) {
    char path[64];
    ::snprintf(path, sizeof path, "/proc/self/task/%d/%s", static_cast<int>(thread), name);
    return SmallFile<capacity>(path);
}

}  // namespace

Sleep sleep_of(pid_t thread) {
    const auto stat = file_of<511>(thread, "stat");
    const char* const name_end = ::strrchr(stat.c_str(), ')');  // the name may contain anything
    if (name_end == nullptr || name_end[1] != ' ') return Sleep::unknown;
    if (name_end[2] == 'D') return Sleep::in_system;
    return name_end[2] == 'S' ? Sleep::waits : Sleep::none;
}

Turns turns_of(pid_t thread) {
    // Documentation/scheduler/sched-stats.rst: time on a CPU, time in a queue, how often it was given one.
    unsigned long long cpu_ns, queued_ns, count;
    if (::sscanf(file_of<127>(thread, "schedstat").c_str(), "%llu %llu %llu", &cpu_ns, &queued_ns, &count) != 3) return {};
    return {cpu_ns, count};
}

}  // namespace gossamer::os
