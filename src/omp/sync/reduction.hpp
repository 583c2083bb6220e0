// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the threads of a team combine their private copies at the end of a region (OpenMP 5.2 §5.5.5), where the compiler leaves
// the choice to the runtime: one after the other under a lock, by atomic updates, or in a tree by thread number.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/base.hpp"

namespace gossamer::omp {

struct Thread;

enum class ReductionMethod : std::uint8_t {
    single,    // a team of one, and none of a league: the thread combines
    critical,  // each thread combines while it holds the lock
    atomic,    // each thread combines by atomic operations that the compiler has laid out
    tree,      // each thread combines what its children in a binomial tree bring; number 0 is the root
};

// What the compiler has prepared for a reduction.
struct ReductionOffer {
    std::uint32_t variables = 0;
    void* data = nullptr;                               // the thread's private copies, null: no tree
    void (*combine)(void* into, void* from) = nullptr;  // null: no tree
    bool atomic = false;
};

// What a thread keeps for the reduction it is in.
struct ThreadReduction {
    ReductionMethod method = ReductionMethod::single;
    std::atomic<void*> ready{nullptr};  // the result of its subtree; its parent in the tree takes it and clears this
};

enum class ReductionRole : std::uint8_t { nothing = 0, combines = 1, combines_atomically = 2 };

// Returns what the calling thread has to do; unless that is `nothing` it calls reduction_end afterwards. `nothing` is returned
// only when the tree's root has all results. `lock`: the program's variable for it, which is not written. `waits`: the
// construct ends in a barrier. May suspend.
ReductionRole reduction_begin(Thread& thread, const void* lock, const ReductionOffer& offer, bool waits);
void reduction_end(Thread& thread, const void* lock, bool waits);

// In the child of a fork: threads that are gone may have held the locks of these, or the one that gcc's reductions use, which
// is that of atomic sections without a name.
void forget_reduction_locks();

}  // namespace gossamer::omp
