// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calling native thread's signal mask. None of these touches thread-local storage.
#pragma once

#include <signal.h>

namespace gossamer::os {

struct SignalMask {
    sigset_t signals;
};

SignalMask signal_mask();
void set_signal_mask(const SignalMask& mask);

// What the caller and the initial thread both block. A thread that blocks signals for itself alone, as a timer's does, does not
// decide for threads that others start; and libc may block all in the initial thread for a moment. Reads /proc.
SignalMask shared_signal_mask();

// Every signal but those that glibc keeps for itself. Returns the mask before.
SignalMask block_signals();

// Sends the calling native thread a signal, which it takes at once unless it blocks it, as from kill(2); or one that is queued,
// with a value, as from sigqueue(3). 0, EINVAL, EAGAIN (the queue is full) or EPERM.
int signal_self(int signal);
int queue_for_self(int signal, sigval value);

}  // namespace gossamer::os
