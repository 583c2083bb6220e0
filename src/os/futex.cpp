// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

namespace gossamer::os {

namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t), "the kernel reads the word itself");

constexpr std::int64_t ns_per_second = 1'000'000'000;

}  // namespace

// errno is put back only where a call has failed: a thread that lends its thread-local storage to a fiber
// wakes the borrower and sleeps through these functions, and by then errno is the borrower's.

int futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns) {
    timespec timeout{};
    if (timeout_ns >= 0) {
        timeout.tv_sec = timeout_ns / ns_per_second;
        timeout.tv_nsec = timeout_ns % ns_per_second;
    }
    int saved_errno = errno;
    long result = ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, timeout_ns < 0 ? nullptr : &timeout, nullptr, 0);
    if (result == 0) return 0;
    int code = errno;
    errno = saved_errno;
    return code;
}

int futex_wake(std::atomic<std::uint32_t>& word, int count) {
    int saved_errno = errno;
    long woken = ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
    if (woken >= 0) return static_cast<int>(woken);
    errno = saved_errno;
    return 0;
}

}  // namespace gossamer::os
