// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/credentials.hpp"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "arch/arch.hpp"
#include "base/base.hpp"
#include "os/signals.hpp"
#include "os/thread.hpp"

namespace gossamer::os {

namespace {

// What the kernel calls a signal's action (rt_sigaction(2)). Libc's own function refuses libc's own signals.
using Handler = void (*)(int, siginfo_t*, void*);
struct KernelAction {
    Handler handler;
    unsigned long flags;
    void (*restorer)();
    unsigned long mask;
};

constexpr int setxid_signal = 33;  // glibc's, nptl/internal-signals.h

// Each native thread of glibc's tells the kernel where its list of robust mutexes begins. That lies in its own thread's block,
// equally far from each thread's pointer, and so names the thread, whatever pointer it wears.
// Relaxed, as the handler behind it: both stand before any native thread wears another's pointer.
constinit std::atomic<std::ptrdiff_t> list_from_pointer{0};
constinit std::atomic<std::uintptr_t> libcs_handler{0};

// Null: the system refuses to tell. Unchecked, as all that the handler calls: the state that a sanitizer keeps of the thread
// may be in another native thread's hands.
GOSSAMER_UNCHECKED void* robust_list() {
    robust_list_head* head = nullptr;
    std::size_t size = 0;
    const long code =
        arch::system_call(SYS_get_robust_list, 0, reinterpret_cast<long>(&head), reinterpret_cast<long>(&size), 0);
    return code == 0 ? head : nullptr;
}

// The thread pointer that the calling native thread was made with; the one that it wears where the system refuses to tell.
GOSSAMER_UNCHECKED void* own_thread_pointer() {
    const std::ptrdiff_t distance = list_from_pointer.load(std::memory_order_relaxed);
    void* const list = distance != 0 ? robust_list() : nullptr;
    return list != nullptr ? static_cast<char*>(list) - distance : arch::thread_pointer();
}

// All other signals are blocked. Between the two moves of the thread pointer runs nothing that keeps state of the thread's but
// libc's handler; while another native thread wears the same pointer, that handler's atomic steps do not mind.
GOSSAMER_UNCHECKED void on_setxid(int signal, siginfo_t* info, void* context) {
    const auto report = reinterpret_cast<Handler>(libcs_handler.load(std::memory_order_relaxed));
    void* const worn = arch::thread_pointer();
    void* const own = own_thread_pointer();
    if (own == worn) return report(signal, info, context);
    arch::set_thread_pointer_anyhow(own);
    report(signal, info, context);
    arch::set_thread_pointer_anyhow(worn);
}

#if defined(__GLIBC__)
bool exchange_action(const KernelAction* next, KernelAction* present) {
    return arch::system_call(SYS_rt_sigaction, setxid_signal, reinterpret_cast<long>(next), reinterpret_cast<long>(present),
                             sizeof next->mask) == 0;
}

GOSSAMER_COLD void take_over_libcs_signal() {
    KernelAction action{};
    void* const list = robust_list();
    if (list == nullptr || !exchange_action(nullptr, &action)) return;
    if ((action.flags & SA_SIGINFO) == 0 || action.handler == nullptr || action.handler == on_setxid) return;
    list_from_pointer.store(static_cast<char*>(list) - static_cast<char*>(arch::thread_pointer()), std::memory_order_relaxed);
    libcs_handler.store(reinterpret_cast<std::uintptr_t>(action.handler), std::memory_order_relaxed);
    action.handler = on_setxid;
    action.mask = ~0UL;
    exchange_action(&action, nullptr);
}
#endif

}  // namespace

void let_threads_report_as_themselves() {
#if defined(__GLIBC__)
    static constinit std::atomic<bool> done{false};
    // relaxed: threads that come here together find and do the same.
    if (GOSSAMER_LIKELY(done.load(std::memory_order_relaxed))) return;
    take_over_libcs_signal();
    done.store(true, std::memory_order_relaxed);
#endif
}

int change_credentials(void (*change)(void* argument), void* argument) {
    if (own_thread_pointer() == arch::thread_pointer()) {
        change(argument);
        return 0;
    }
    pthread_t thread;
    const SignalMask mask = block_signals();  // which it inherits: no handler of the program's runs on that thread
    const int code = start_thread(change, argument, 0, thread);
    set_signal_mask(mask);
    if (code == 0) join_thread(thread);
    return code;
}

}  // namespace gossamer::os
