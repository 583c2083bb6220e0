// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/ids.hpp"

#include <cstdlib>

#include "base/base.hpp"
#include "os/os.hpp"

namespace gossamer::fiber {

namespace {

// Free ids lie on a stack whose memory grows by doubling. All under the lock.
struct Ids {
    SpinLock lock;
    std::uint32_t* free = nullptr;
    std::uint32_t count = 0;
    std::uint32_t capacity = 0;
    std::uint32_t next = 0;
};
constinit Ids ids;

}  // namespace

std::uint32_t take_id() {
    SpinGuard guard(ids.lock, os::yield_native);
    return ids.count > 0 ? ids.free[--ids.count] : ids.next++;
}

void give_id(std::uint32_t id) {
    SpinGuard guard(ids.lock, os::yield_native);
    if (ids.count == ids.capacity) {
        const std::uint32_t capacity = ids.capacity == 0 ? 64 : 2 * ids.capacity;
        void* const grown = std::realloc(ids.free, capacity * sizeof(std::uint32_t));
        if (grown == nullptr) return;  // the id is never used again, which costs nothing but a gap
        ids.free = static_cast<std::uint32_t*>(grown);
        ids.capacity = capacity;
    }
    ids.free[ids.count++] = id;
}

void forget_ids() {
    const std::uint32_t next = ids.next;
    renew(ids);
    ids.next = next;  // the caller's own id stays unique
}

}  // namespace gossamer::fiber
