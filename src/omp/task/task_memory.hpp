// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of tasks: one block for a task's descriptor, its arguments and its private variables.
//
// A thread keeps the blocks it has freed, whichever thread took them. When it has too many it gives a batch to the process's
// depot; when it has none it takes a batch there. So a producer and its consumers meet at the depot's lock once for each batch.
//
// A block's memory stays a block's, of the same size class, for ever: a thief may read a task that another thread has taken
// meanwhile (docs/protocols/tasks.md). The process keeps at most what was in use at one time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/base.hpp"

namespace gossamer::omp {

class BlockCache {
    static constexpr std::size_t grain = cache_line;
    static constexpr std::uint8_t fine_classes = 16;  // 64, 128 … 1024 bytes; then powers of two

public:
    static constexpr std::size_t most_fine = fine_classes * grain;

    constexpr BlockCache() = default;
    BlockCache(const BlockCache&) = delete;
    BlockCache& operator=(const BlockCache&) = delete;
    ~BlockCache() { flush(); }

    // The class whose blocks have room for `size` bytes.
    static constexpr std::uint8_t class_of(std::size_t size) {
        if (GOSSAMER_LIKELY(size <= fine_classes * grain)) return static_cast<std::uint8_t>((size - 1) / grain);
        return coarse_class(size);
    }

    // A block, aligned to a cache line. Ends the program when memory is out. Never suspends.
    void* take(std::uint8_t size_class) {
        if (GOSSAMER_LIKELY(size_class < fine_classes)) {
            if (void* const block = take_fine(size_class); GOSSAMER_LIKELY(block != nullptr)) return block;
        }
        return refill(size_class);
    }

    // Takes a block of a fine class if the cache holds one; else null.
    void* take_fine(std::uint8_t size_class) {
        Block* const block = first_[size_class];
        if (GOSSAMER_UNLIKELY(block == nullptr)) return nullptr;
        first_[size_class] = block->next;
        --count_[size_class];
        return block;
    }

    void give(std::uint8_t size_class, void* memory) {
        if (GOSSAMER_UNLIKELY(!is_fine(size_class))) return give_to_depot(size_class, memory);
        give_fine(size_class, memory);
    }

    // The same for a fine class. Most tasks' blocks are of such a class, and only those are kept by threads.
    static constexpr bool is_fine(std::uint8_t size_class) { return size_class < fine_classes; }
    void give_fine(std::uint8_t size_class, void* memory) {
        Block* const block = static_cast<Block*>(memory);
        block->next = first_[size_class];
        first_[size_class] = block;
        if (GOSSAMER_UNLIKELY(++count_[size_class] >= 2 * batch)) spill(size_class);
    }

    // For callers without a cache.
    static void give_to_depot(std::uint8_t size_class, void* memory);

    // Everything to the depot.
    void flush();

    // In the child of a fork, whose parent's other threads may have held a lock.
    static void forget_locks();

private:
    // A thread keeps up to 256 blocks of a class, as many as a depth-first walk has outstanding, whose tasks come and go by
    // turns. The first few batches that it takes are smaller, for threads that generate few tasks.
    static constexpr std::uint32_t batch = 128;
    static constexpr std::uint32_t first_batch = 16;
    static constexpr std::size_t all_classes = fine_classes + 40;

    struct Block {
        Block* next;
    };
    struct Depot;
    static Depot depots[all_classes];

    static std::uint8_t coarse_class(std::size_t size);
    static std::size_t size_of(std::uint8_t size_class);
    void* refill(std::uint8_t size_class);
    void spill(std::uint8_t size_class);

    Block* first_[fine_classes] = {};
    std::uint32_t count_[fine_classes] = {};
    std::uint32_t next_batch_[fine_classes] = {};  // size of the next batch that it takes; 0: it has not taken one
};

}  // namespace gossamer::omp
