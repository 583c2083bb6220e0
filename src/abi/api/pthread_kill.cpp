// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libc's functions that send a signal to a thread, which may be a fiber that its own native thread does not run just now
// (src/fiber/one_to_one.cpp).
#include "abi/export.hpp"
#include "omp/omp.hpp"

namespace {

using Kill = int (*)(pthread_t, int);
using Queue = int (*)(pthread_t, int, sigval);

// One of libc's functions. Found when the library is loaded, since a signal handler may call it, and the loader is no place for
// one; or by another library's constructor that comes before.
template <class Function>
class Libcs {
public:
    constexpr explicit Libcs(const char* name) : name_(name) {}

    Function get() {
        Function found = found_.load(std::memory_order_relaxed);  // the same each time
        if (GOSSAMER_UNLIKELY(found == nullptr)) {
            found = reinterpret_cast<Function>(gossamer::os::next_symbol(name_));
            found_.store(found, std::memory_order_relaxed);
        }
        return found;
    }

private:
    const char* name_;
    std::atomic<Function> found_{nullptr};
};

constinit Libcs<Kill> libc_kill("pthread_kill");
constinit Libcs<Queue> libc_queue("pthread_sigqueue");

[[gnu::constructor]] void find_libcs() {
    libc_kill.get();
    libc_queue.get();
}

template <class Send>
int send(pthread_t thread, int signal, const Send& by_libc) {
    if (signal == 0) return by_libc();
    // Asked before: the thread may end of the signal.
    gossamer::fiber::Fiber* const fiber = gossamer::fiber::before_signal(thread);
    const int code = by_libc();
    if (code == 0 && fiber != nullptr) gossamer::fiber::after_signal(*fiber);
    return code;
}

}  // namespace

// As libc's: 0, ESRCH or EINVAL. Never suspends, and may be called in a signal handler.
GOSSAMER_EXPORT int pthread_kill(pthread_t thread, int signal) noexcept {
    return send(thread, signal, [&] { return libc_kill.get()(thread, signal); });
}

// As libc's: 0, EAGAIN, EINVAL or EPERM. Never suspends, and may be called in a signal handler.
GOSSAMER_EXPORT int pthread_sigqueue(pthread_t thread, int signal, const sigval value) noexcept {
    return send(thread, signal, [&] { return libc_queue.get()(thread, signal, value); });
}
