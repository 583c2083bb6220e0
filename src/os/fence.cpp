// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "base/base.hpp"

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
// Weak, because the library also runs on a glibc older than the one it was built with.
#pragma weak __libc_single_threaded
#define GOSSAMER_HAS_SINGLE_THREADED 1
#else
#define GOSSAMER_HAS_SINGLE_THREADED 0
#endif

namespace gossamer::os {

namespace {

// Registration belongs to the address space, so it outlives fork, and any thread may find it out anew.
enum class Support : unsigned char { unknown, registered, missing };
constinit std::atomic<Support> support{Support::unknown};

long membarrier(int command) {
    int saved_errno = errno;
    long result = ::syscall(SYS_membarrier, command, 0, 0);
    errno = saved_errno;
    return result;
}

GOSSAMER_COLD Support find_out() {
    const bool registered = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
    Support found = registered ? Support::registered : Support::missing;
    support.store(found);
    return found;
}

// While the process has one thread, registration is one short system call. Later the kernel waits until every CPU has been through
// its scheduler, some 10 ms, and the program's first task with it.
[[gnu::constructor]] void register_at_load() {
#if GOSSAMER_HAS_SINGLE_THREADED
    if (&__libc_single_threaded != nullptr && __libc_single_threaded != 0) find_out();
#endif
}

Support known_support() {
    // relaxed: the kernel orders the registration itself, and threads that find it out twice agree.
    Support known = support.load(std::memory_order_relaxed);
    return GOSSAMER_LIKELY(known != Support::unknown) ? known : find_out();
}

}  // namespace

bool asymmetric_fence_ready() { return known_support() == Support::registered; }

bool heavy_fence() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return known_support() == Support::registered && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0;
}

}  // namespace gossamer::os
