// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/sync/nest_lock.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace gossamer::omp {

NestLock& nest_lock_in(const void* storage) {
    NestLock* lock;
    std::memcpy(&lock, storage, sizeof lock);
    return *lock;
}

void nest_lock_init(void* storage) {
    void* const memory = std::malloc(sizeof(NestLock));
    if (memory == nullptr) fatal("out of memory for a nestable lock");
    NestLock* const lock = ::new (memory) NestLock;
    std::memcpy(storage, &lock, sizeof lock);
}

void nest_lock_destroy(void* storage) {
    NestLock* const lock = &nest_lock_in(storage);
    const NestLock* const none = nullptr;
    std::memcpy(storage, &none, sizeof none);
    std::free(lock);
}

}  // namespace gossamer::omp
