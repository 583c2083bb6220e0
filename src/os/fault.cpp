// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/fault.hpp"

#include <signal.h>

#include <initializer_list>

#include "arch/arch.hpp"
#include "os/memory.hpp"

namespace gossamer::os {

namespace {

void (*explanation)(void* address, bool missing) = nullptr;
bool (*mending)(void* address) = nullptr;

void on_fault(int signal, siginfo_t* info, void* context) {
    const bool forbids_execution =
        signal == SIGSEGV && info->si_code == SEGV_ACCERR && info->si_addr == arch::interrupted_at(context);
    if (forbids_execution && mending(info->si_addr)) return;
    // SI_USER and its kin come from a kill, not a fault. Either way the default action follows: the faulting
    // instruction runs again, or the signal is raised again.
    if (info->si_code > 0) explanation(info->si_addr, signal == SIGSEGV && info->si_code == SEGV_MAPERR);
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    ::sigaction(signal, &standard, nullptr);
    if (info->si_code <= 0) ::raise(signal);
}

}  // namespace

bool explain_faults(void (*explain)(void* address, bool missing), bool (*mend)(void* address)) {
    explanation = explain;
    mending = mend;
    struct sigaction ours = {};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&ours.sa_mask);
    bool installed = false;
    for (const int signal : {SIGSEGV, SIGBUS}) {
        struct sigaction present;
        if (::sigaction(signal, nullptr, &present) != 0) continue;
        if ((present.sa_flags & SA_SIGINFO) != 0 || present.sa_handler != SIG_DFL) continue;
        installed |= ::sigaction(signal, &ours, nullptr) == 0;
    }
    return installed;
}

std::size_t alternate_stack_size() { return 2 * signal_reserve(); }

bool use_alternate_stack(void* memory, std::size_t size) {
    stack_t present;
    if (::sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return false;
    stack_t ours = {};
    ours.ss_sp = memory;
    ours.ss_size = size;
    return ::sigaltstack(&ours, nullptr) == 0;
}

bool drop_alternate_stack(const void* memory) {
    stack_t present;
    if (::sigaltstack(nullptr, &present) != 0) return false;
    if ((present.ss_flags & SS_DISABLE) != 0) return true;
    if (present.ss_sp != memory) return false;
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    return ::sigaltstack(&none, nullptr) == 0;
}

}  // namespace gossamer::os
