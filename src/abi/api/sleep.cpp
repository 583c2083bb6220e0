// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libc's functions that sleep, for moments. A program that sleeps for a moment, mostly again and again, waits for another
// thread, which may be a fiber queued behind the caller: so do the barriers of Kokkos, and locks that back off.
#include <time.h>

#include <cerrno>
#include <utility>

#include "abi/export.hpp"
#include "abi/libcs.hpp"
#include "omp/omp.hpp"

namespace {

using namespace gossamer;

constexpr int64_t second_ns = 1'000'000'000;
constexpr uint64_t longest_ns = 1'000'000;  // a longer sleep may be meant to be ended by a signal

constinit abi::Libcs<decltype(&::nanosleep)> libc_nanosleep("nanosleep");
constinit abi::Libcs<decltype(&::clock_nanosleep)> libc_clock_nanosleep("clock_nanosleep");
constinit abi::Libcs<int (*)(unsigned)> libc_usleep("usleep");

[[gnu::constructor]] void find_libcs() {
    libc_nanosleep.get();
    libc_clock_nanosleep.get();
    libc_usleep.get();
}

// A moment in ns; 0: `time` is longer, or no time at all.
uint64_t moment(const timespec* time) {
    if (time == nullptr || time->tv_sec != 0 || time->tv_nsec < 0) return 0;
    const auto ns = static_cast<uint64_t>(time->tv_nsec);
    return ns <= longest_ns ? ns : 0;
}

timespec to_timespec(uint64_t ns) { return {0, static_cast<long>(ns)}; }  // of less than a second

// Sleeps for a moment, or as `whole` does it. 0, or -1 and errno, and then what was left.
template <class Whole>
int sleep_for(uint64_t moment_ns, const Whole& whole, timespec* left) {
    if (moment_ns == 0 || !fiber::is_carried_outside()) return whole();
    ::pthread_testcancel();  // these functions are cancellation points
    const uint64_t until_ns = os::now_ns() + moment_ns;
    while (const uint64_t rest_ns = fiber::pass_time(until_ns)) {
        const timespec rest = to_timespec(rest_ns);
        if (libc_nanosleep.get()(&rest, nullptr) == 0) continue;
        const uint64_t now_ns = os::now_ns();
        if (left != nullptr) *left = to_timespec(now_ns < until_ns ? until_ns - now_ns : 0);
        return -1;
    }
    return 0;
}

// How long until `time` on a clock, where that is a moment.
uint64_t moment_until(clockid_t clock, const timespec* time) {
    timespec now;
    if (time == nullptr || time->tv_nsec < 0 || time->tv_nsec >= second_ns || ::clock_gettime(clock, &now) != 0) return 0;
    if (time->tv_sec != now.tv_sec && time->tv_sec - 1 != now.tv_sec) return 0;
    const int64_t ns = (time->tv_sec - now.tv_sec) * second_ns + time->tv_nsec - now.tv_nsec;
    return ns >= 0 && static_cast<uint64_t>(ns) <= longest_ns ? static_cast<uint64_t>(ns) : 0;
}

}  // namespace

// Each as libc's, and a cancellation point. A moment of up to a millisecond may suspend, unless the program's allocator sleeps
// while the library has called that.
GOSSAMER_EXPORT int nanosleep(const timespec* time, timespec* left) {
    return sleep_for(moment(time), [&] { return libc_nanosleep.get()(time, left); }, left);
}

GOSSAMER_EXPORT int usleep(unsigned microseconds) {
    const uint64_t moment_ns = microseconds <= longest_ns / 1000 ? uint64_t{microseconds} * 1000 : 0;
    return sleep_for(moment_ns, [&] { return libc_usleep.get()(microseconds); }, nullptr);
}

// A time on one of the two clocks that count real time may be a moment away, too.
GOSSAMER_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
    uint64_t moment_ns = 0;
    if (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) {
        if (flags == 0) moment_ns = moment(time);
        if (flags == TIMER_ABSTIME) moment_ns = moment_until(clock, time);
    }
    const int before = errno;
    int code = 0;
    const auto whole = [&] {
        code = libc_clock_nanosleep.get()(clock, flags, time, left);
        return 0;
    };
    if (sleep_for(moment_ns, whole, flags == 0 ? left : nullptr) != 0) code = std::exchange(errno, before);
    return code;
}
