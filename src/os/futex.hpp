// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sleeping in the kernel until a word changes; the process's own words only (FUTEX_PRIVATE).
#pragma once

#include <atomic>
#include <cstdint>

namespace gossamer::os {

// Blocks the native thread while word == expected, for at most timeout_ns (< 0: forever). Returns 0 when
// woken (also spuriously), EAGAIN when the word had another value, EINTR after a signal, ETIMEDOUT. Keeps
// errno.
int futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns = -1);

// Wakes up to count waiters; returns how many. The word's memory may already be gone: the kernel only
// compares the address. Keeps errno.
int futex_wake(std::atomic<std::uint32_t>& word, int count);

}  // namespace gossamer::os
