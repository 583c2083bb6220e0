// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/icv/thread_lists.hpp"

#include <atomic>

#include "base/base.hpp"
#include "omp/icv/global_icvs.hpp"

namespace gossamer::omp {

namespace {

// One list after another: its length, its elements, a zero. A thread that adds a list reserves the place, and writes the length
// last. A search ends at a place that is reserved and not written yet, and at worst adds a list that is there already. There is
// no lock that a thread could hold when the process forks.
constexpr std::uint32_t room = 4096;
constexpr std::uint16_t first_index = GlobalIcvs::max_list;
static_assert(room + first_index <= UINT16_MAX);
constinit std::atomic<std::uint32_t> words[room] = {};
constinit std::atomic<std::uint32_t> used{0};
constinit std::atomic<bool> said_full{false};

std::uint32_t at_least_one(std::int32_t threads) { return threads > 0 ? static_cast<std::uint32_t>(threads) : 1; }

bool holds(std::uint32_t at, const std::int32_t* threads, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
        if (words[at + 1 + i].load(std::memory_order_relaxed) != at_least_one(threads[i])) return false;
    }
    return true;
}

std::uint16_t index_of(std::uint32_t at) { return static_cast<std::uint16_t>(first_index + at + 1); }

}  // namespace

std::uint16_t keep_thread_list(const std::int32_t* threads, std::uint32_t count) {
    if (count == 0) return 0;
    const std::uint32_t end = used.load(std::memory_order_relaxed);
    for (std::uint32_t at = 0, length; at < end; at += length + 2) {
        length = words[at].load(std::memory_order_acquire);  // pairs with the store of the length
        if (length == 0) break;
        if (length == count && holds(at, threads, count)) return index_of(at);
    }
    std::uint32_t at = used.load(std::memory_order_relaxed);
    do {
        if (count > room - 2 || at > room - 2 - count) {
            say_once(said_full,
                     "the lists of num_threads clauses have more than %u elements in all: a further one holds for its own "
                     "construct and says nothing about those inside",
                     room);
            return 0;
        }
    } while (!used.compare_exchange_weak(at, at + count + 2, std::memory_order_relaxed, std::memory_order_relaxed));
    for (std::uint32_t i = 0; i < count; ++i) words[at + 1 + i].store(at_least_one(threads[i]), std::memory_order_relaxed);
    words[at].store(count, std::memory_order_release);  // pairs with the search above
    return index_of(at);
}

bool is_kept_thread_list(std::uint16_t index) { return index > first_index; }

ThreadListElement kept_thread_list(std::uint16_t index) {
    // relaxed: the elements were written before the index was passed on
    const std::uint32_t at = index - first_index;
    const bool more = words[at + 1].load(std::memory_order_relaxed) != 0;
    return {words[at].load(std::memory_order_relaxed), static_cast<std::uint16_t>(more ? index + 1 : 0)};
}

}  // namespace gossamer::omp
