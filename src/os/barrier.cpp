// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/barrier.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "base/base.hpp"

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
    long commands = membarrier(MEMBARRIER_CMD_QUERY);
    bool offered = commands > 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0;
    bool registered = offered && membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
    Support found = registered ? Support::registered : Support::missing;
    support.store(found);
    return found;
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
