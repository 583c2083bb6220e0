// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "base/base.hpp"
#include "os/clock.hpp"
#include "os/cpus.hpp"
#include "os/thread.hpp"

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

// While the process has one thread, registration is one short system call. Later the kernel waits until every CPU has been
// through its scheduler, some 10 ms, and the program's first task with it.
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

// The system refuses what it has granted: a filter that the program has installed since, an address space that was restored
// from a checkpoint, no memory at the moment. A thread that comes to run on a processor has sent away the thread that ran
// there, which so passes a full fence; and a thread that goes from one processor to another has passed one too. So it is enough
// to visit every processor that the process may use. Where even that is refused, a wait is left, far longer than any processor
// keeps a store to itself.
GOSSAMER_COLD void fence_by_visits() {
    if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0 && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0) return;
    constexpr std::uint64_t longest_ns = 100'000;
    CpuMask mine;
    bool visited = affinity(mine) == 0;
    const long all = ::sysconf(_SC_NPROCESSORS_CONF);
    for (unsigned cpu = 0; visited && cpu < static_cast<unsigned>(all > 0 ? all : 1); ++cpu) {
        CpuMask only;
        only.add(cpu);
        const int code = bind_affinity(only);
        visited = code == 0 || code == EINVAL;  // EINVAL: no thread of the process runs there
    }
    if (visited && bind_affinity(mine) == 0) return;
    const std::uint64_t begin_ns = now_ns();
    while (now_ns() - begin_ns < longest_ns) yield_native();
}

}  // namespace

bool asymmetric_fence_ready() { return known_support() == Support::registered; }

bool heavy_fence() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (known_support() != Support::registered) return false;
    if (GOSSAMER_UNLIKELY(membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0)) {
        fence_by_visits();
        std::atomic_thread_fence(std::memory_order_seq_cst);
    }
    return true;
}

}  // namespace gossamer::os
