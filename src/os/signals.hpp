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

// Every signal but those that glibc keeps for itself. Returns the mask before.
SignalMask block_signals();

}  // namespace gossamer::os
