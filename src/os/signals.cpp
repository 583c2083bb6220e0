// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/signals.hpp"

namespace gossamer::os {

SignalMask signal_mask() {
    SignalMask mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask.signals);
    return mask;
}

void set_signal_mask(const SignalMask& mask) { ::pthread_sigmask(SIG_SETMASK, &mask.signals, nullptr); }

SignalMask block_signals() {
    SignalMask before;
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before.signals);
    return before;
}

}  // namespace gossamer::os
