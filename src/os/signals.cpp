// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/signals.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "arch/arch.hpp"
#include "os/small_file.hpp"
#include "os/thread.hpp"

namespace gossamer::os {

SignalMask signal_mask() {
    SignalMask mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask.signals);
    return mask;
}

void set_signal_mask(const SignalMask& mask) { ::pthread_sigmask(SIG_SETMASK, &mask.signals, nullptr); }

SignalMask shared_signal_mask() {
    SignalMask mask = signal_mask();
    if (is_initial_thread()) return mask;
    constexpr int most_looks = 20, signals = 64;
    for (int look = 0; look < most_looks; ++look) {
        const SmallFile<4095> status("/proc/self/status");  // the initial thread's
        constexpr char label[] = "\nSigBlk:";
        const char* const line = std::strstr(status.c_str(), label);
        if (line == nullptr) break;
        const unsigned long long blocked = std::strtoull(line + sizeof label - 1, nullptr, 16);
        for (int signal = 1; signal <= signals; ++signal) {
            if ((blocked >> (signal - 1) & 1) == 0) ::sigdelset(&mask.signals, signal);
        }
        if (::sigismember(&mask.signals, SIGSEGV) == 0) break;  // else it may be in the middle of pthread_create
        yield_native();
    }
    return mask;
}

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
