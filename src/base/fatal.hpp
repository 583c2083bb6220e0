// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The only ways out of a broken invariant, and the only voice of the library.
#pragma once

#include <atomic>

#include "base/bits.hpp"

namespace gossamer {

// Writes the one line "gossamer: fatal: ...\n" to standard error with one write, then aborts. Takes no lock
// and allocates nothing, so it may be called from anywhere; never suspends. A line over 1 KiB is cut.
[[noreturn]] GOSSAMER_COLD void fatal(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Writes the one line "gossamer: ...\n" to standard error with one write, so that lines of several threads do
// not mix. Keeps errno. Never suspends. A line over 1 KiB is cut.
GOSSAMER_COLD void say(const char* format, ...) __attribute__((format(printf, 1, 2)));

// As say, but only for the first caller with this flag; true if this call spoke.
GOSSAMER_COLD bool say_once(std::atomic<bool>& said, const char* format, ...) __attribute__((format(printf, 2, 3)));

// Carries out GOSSAMER_CHECK: the message is a constant, so it can be found in the source.
[[noreturn]] GOSSAMER_COLD void broken(const char* message);

}  // namespace gossamer

// Holds in every build.
#define GOSSAMER_CHECK(condition, message)                                \
    do {                                                                  \
        if (GOSSAMER_UNLIKELY(!(condition))) ::gossamer::broken(message); \
    } while (0)
