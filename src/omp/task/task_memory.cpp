// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/task_memory.hpp"

#include <bit>
#include <cstdlib>

#include "omp/task/lock_pause.hpp"

namespace gossamer::omp {

struct BlockCache::Depot {
    SpinLock lock;
    Block* first = nullptr;
    // The rest of a chunk that was never handed out, in bytes.
    char* fresh = nullptr;
    std::size_t fresh_size = 0;
};

constinit BlockCache::Depot BlockCache::depots[all_classes];

namespace {

constexpr std::size_t chunk_size = 64 * 1024;

}  // namespace

std::uint8_t BlockCache::coarse_class(std::size_t size) {
    constexpr int first = std::bit_width(fine_classes * grain);
    const int power = std::bit_width(size - 1);  // the smallest power of two with room
    GOSSAMER_CHECK(fine_classes + power - first < static_cast<int>(all_classes), "a task is too large");
    return static_cast<std::uint8_t>(fine_classes + power - first);
}

std::size_t BlockCache::size_of(std::uint8_t size_class) {
    if (size_class < fine_classes) return (size_class + std::size_t{1}) * grain;
    return 2 * fine_classes * grain << (size_class - fine_classes);
}

void* BlockCache::refill(std::uint8_t size_class) {
    Depot& depot = depots[size_class];
    const std::size_t size = size_of(size_class);
    std::uint32_t wanted = 1;
    if (size_class < fine_classes) {
        std::uint32_t& next = next_batch_[size_class];
        wanted = next != 0 ? next : first_batch;
        if (wanted < batch) next = 2 * wanted;
    }
    SpinGuard guard(depot.lock, LockPause());
    Block* first = nullptr;
    std::uint32_t count = 0;
    for (; count < wanted; ++count) {
        Block* block = depot.first;
        if (block != nullptr) {
            depot.first = block->next;
        } else {
            if (depot.fresh_size < size) {
                if (first != nullptr) break;
                const std::size_t chunk = size < chunk_size ? align_down(chunk_size, size) : size;
                depot.fresh = static_cast<char*>(std::aligned_alloc(cache_line, align_up(chunk, cache_line)));
                if (depot.fresh == nullptr) fatal("out of memory for a task of %zu bytes", size);
                depot.fresh_size = chunk;
            }
            block = reinterpret_cast<Block*>(depot.fresh);
            depot.fresh += size;
            depot.fresh_size -= size;
        }
        block->next = first;
        first = block;
    }
    if (size_class < fine_classes) {
        first_[size_class] = first->next;
        count_[size_class] = count - 1;
    }
    return first;
}

void BlockCache::spill(std::uint8_t size_class) {
    Block* const first = first_[size_class];
    Block* last = first;
    for (std::uint32_t i = 1; i < batch; ++i) last = last->next;
    first_[size_class] = last->next;
    count_[size_class] -= batch;
    Depot& depot = depots[size_class];
    SpinGuard guard(depot.lock, LockPause());
    last->next = depot.first;
    depot.first = first;
}

void BlockCache::give_to_depot(std::uint8_t size_class, void* memory) {
    Depot& depot = depots[size_class];
    Block* const block = static_cast<Block*>(memory);
    SpinGuard guard(depot.lock, LockPause());
    block->next = depot.first;
    depot.first = block;
}

void BlockCache::flush() {
    for (std::uint8_t size_class = 0; size_class < fine_classes; ++size_class) {
        while (Block* const block = first_[size_class]) {
            first_[size_class] = block->next;
            give_to_depot(size_class, block);
        }
        count_[size_class] = 0;
    }
}

void BlockCache::forget_locks() {
    for (Depot& each : depots) renew_if_locked(each);
}

}  // namespace gossamer::omp
