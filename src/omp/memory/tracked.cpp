// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/memory/tracked.hpp"

#include <atomic>
#include <cstdlib>

#include "os/os.hpp"

namespace gossamer::omp {

constinit TrackedBlocks allocatables;
constinit TrackedBlocks depend_objects;

// The link that leads to the note of `block`, or to nullptr. Under the lock.
TrackedBlocks::Note** TrackedBlocks::find(const void* block) {
    Note** link = &chains_[mix64(reinterpret_cast<std::uintptr_t>(block)) % buckets];
    while (*link != nullptr && (*link)->block != block) link = &(*link)->next;
    return link;
}

void TrackedBlocks::track(void* block) {
    if (block == nullptr) return;
    auto* note = static_cast<Note*>(std::malloc(sizeof(Note)));
    GOSSAMER_CHECK(note != nullptr, "out of memory for the note of a block");
    SpinGuard guard(lock_, os::yield_native);
    Note*& first = chains_[mix64(reinterpret_cast<std::uintptr_t>(block)) % buckets];
    *note = {block, first};
    // release: a child that is forked here finds either list, and all of its notes written.
    std::atomic_ref(first).store(note, std::memory_order_release);
    count_.fetch_add(1, std::memory_order_relaxed);
}

bool TrackedBlocks::untrack(void* block) {
    if (count_.load(std::memory_order_relaxed) == 0) return false;
    Note* found = nullptr;
    {
        SpinGuard guard(lock_, os::yield_native);
        Note** const link = find(block);
        found = *link;
        if (found != nullptr) {
            *link = found->next;
            count_.fetch_sub(1, std::memory_order_relaxed);
        }
    }
    std::free(found);
    return found != nullptr;
}

bool TrackedBlocks::holds(const void* block) {
    SpinGuard guard(lock_, os::yield_native);
    return *find(block) != nullptr;
}

}  // namespace gossamer::omp
