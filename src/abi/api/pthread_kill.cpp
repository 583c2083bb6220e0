// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libc's functions that send a signal to a thread, which may be a fiber that its own native thread does not run just now
// (src/fiber/one_to_one.cpp).
#include "abi/export.hpp"
#include "abi/libcs.hpp"
#include "omp/omp.hpp"

namespace {

using Kill = int (*)(pthread_t, int);
using Queue = int (*)(pthread_t, int, sigval);

constinit gossamer::abi::Libcs<Kill> libc_kill("pthread_kill");
constinit gossamer::abi::Libcs<Queue> libc_queue("pthread_sigqueue");

[[gnu::constructor]] void find_libcs() {
    libc_kill.get();
    libc_queue.get();
}

// To itself, a thread sends by the number of the native thread that runs it; libc may know only the one that lends its
// identity.
template <class ToSelf, class Send>
int send(pthread_t thread, int signal, const ToSelf& to_self, const Send& by_libc) {
    if (signal == 0) return by_libc();
    if (::pthread_equal(thread, ::pthread_self()) != 0) return to_self();
    // Asked before: the thread may end of the signal.
    gossamer::fiber::Fiber* const fiber = gossamer::fiber::before_signal(thread);
    const int code = by_libc();
    if (code == 0 && fiber != nullptr) gossamer::fiber::after_signal(*fiber);
    return code;
}

}  // namespace

// As libc's: 0, ESRCH or EINVAL. Never suspends, and may be called in a signal handler.
GOSSAMER_EXPORT int pthread_kill(pthread_t thread, int signal) noexcept {
    return send(
        thread, signal, [&] { return gossamer::os::signal_self(signal); }, [&] { return libc_kill.get()(thread, signal); });
}

// As libc's: 0, EAGAIN, EINVAL or EPERM. Never suspends, and may be called in a signal handler.
GOSSAMER_EXPORT int pthread_sigqueue(pthread_t thread, int signal, const sigval value) noexcept {
    return send(
        thread, signal, [&] { return gossamer::os::queue_for_self(signal, value); },
        [&] { return libc_queue.get()(thread, signal, value); });
}
