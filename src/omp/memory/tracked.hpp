// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of memory that have to be told from others by their address alone.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/base.hpp"

namespace gossamer::omp {

class TrackedBlocks {
public:
    constexpr TrackedBlocks() = default;
    TrackedBlocks(const TrackedBlocks&) = delete;
    TrackedBlocks& operator=(const TrackedBlocks&) = delete;

    // track notes an address, and ignores nullptr; it ends the program when memory is out. untrack tells whether the address
    // was noted, and forgets it. None of these suspends.
    void track(void* block);
    bool untrack(void* block);
    bool holds(const void* block);

    // In the child of a fork, whose parent's other threads may have held the lock.
    void forget_lock() { lock_.unlock(); }

private:
    struct Note {
        const void* block;
        Note* next;
    };
    static constexpr std::size_t buckets = 256;

    Note** find(const void* block);

    SpinLock lock_;
    std::atomic<std::size_t> count_{0};  // under the lock; read without, since who frees a block knows that it was noted
    Note* chains_[buckets] = {};
};

// Fortran's allocatable variables under an allocate directive (OpenMP 5.2 §6.5): compiled code notes which of them hold memory
// of omp_alloc, and asks when they are deallocated.
extern TrackedBlocks allocatables __attribute__((visibility("hidden")));

// What clang's programs allocate for depend objects (§15.9.4), and a few blocks that look so.
extern TrackedBlocks depend_objects __attribute__((visibility("hidden")));

}  // namespace gossamer::omp
