// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/signals.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "arch/arch.hpp"
#include "os/thread.hpp"

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

namespace {

// Glibc keeps two signals for itself.
bool is_programs(int signal) { return signal < 32 || signal >= SIGRTMIN; }

}  // namespace

int signal_self(int signal) {
    if (!is_programs(signal)) return EINVAL;
    return static_cast<int>(-arch::system_call(SYS_tgkill, ::getpid(), kernel_thread_id(), signal, 0));
}

int queue_for_self(int signal, sigval value) {
    if (!is_programs(signal)) return EINVAL;
    siginfo_t info{};
    info.si_signo = signal;
    info.si_code = SI_QUEUE;
    info.si_pid = ::getpid();
    info.si_uid = ::getuid();
    info.si_value = value;
    return static_cast<int>(
        -arch::system_call(SYS_rt_tgsigqueueinfo, info.si_pid, kernel_thread_id(), signal, reinterpret_cast<long>(&info)));
}

}  // namespace gossamer::os
