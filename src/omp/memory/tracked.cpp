// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/memory/tracked.hpp"

#include <atomic>
#include <cstdlib>

#include "base/base.hpp"
#include "os/os.hpp"

namespace gossamer::omp {

namespace {

struct Note {
    void* block;
    Note* next;
};

constexpr std::size_t buckets = 256;

struct Notes {
    SpinLock lock;
    Note* chains[buckets] = {};
};
constinit Notes notes;

Note*& chain_of(void* block) { return notes.chains[mix64(reinterpret_cast<std::uintptr_t>(block)) % buckets]; }

}  // namespace

void track(void* block) {
    if (block == nullptr) return;
    auto* note = static_cast<Note*>(std::malloc(sizeof(Note)));
    GOSSAMER_CHECK(note != nullptr, "out of memory for the note of an allocatable variable");
    SpinGuard guard(notes.lock, os::yield_native);
    Note*& first = chain_of(block);
    *note = {block, first};
    // release: a child that is forked here finds either list, and all of its notes written.
    std::atomic_ref(first).store(note, std::memory_order_release);
}

bool untrack(void* block) {
    Note* found = nullptr;
    {
        SpinGuard guard(notes.lock, os::yield_native);
        Note** link = &chain_of(block);
        while (*link != nullptr && (*link)->block != block) link = &(*link)->next;
        found = *link;
        if (found != nullptr) *link = found->next;
    }
    std::free(found);
    return found != nullptr;
}

void tracked_forget_lock() { notes.lock.unlock(); }

}  // namespace gossamer::omp
