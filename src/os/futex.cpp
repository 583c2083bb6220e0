// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include "arch/arch.hpp"
#include "base/base.hpp"
#include "os/timespec.hpp"

namespace gossamer::os {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t), "the kernel reads the word itself");

// A pthread that lends its identity to a fiber sleeps and wakes others through these functions while the fiber runs
// elsewhere, by the same thread-local storage. So they touch none of it.

GOSSAMER_UNCHECKED int futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns) {
    timespec timeout = to_timespec(timeout_ns < 0 ? 0 : static_cast<std::uint64_t>(timeout_ns));
    return static_cast<int>(-arch::system_call(SYS_futex, reinterpret_cast<long>(&word), FUTEX_WAIT_PRIVATE,
                                               static_cast<long>(expected),
                                               timeout_ns < 0 ? 0 : reinterpret_cast<long>(&timeout)));
}

GOSSAMER_UNCHECKED int futex_wake(std::atomic<std::uint32_t>& word, int count) {
    const long woken = arch::system_call(SYS_futex, reinterpret_cast<long>(&word), FUTEX_WAKE_PRIVATE, count, 0);
    return woken < 0 ? 0 : static_cast<int>(woken);
}

}  // namespace gossamer::os
