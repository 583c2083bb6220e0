// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime did, for GOSSAMER_STATS: a summary on standard error when the process ends.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"

namespace gossamer::omp {

struct Stats {
    std::atomic<bool> on{false};
    std::atomic<std::uint64_t> regions{0};  // parallel regions of more than one thread
    std::atomic<std::uint64_t> serial{0};   // parallel regions of one thread
    std::atomic<std::uint64_t> threads{0};  // OpenMP threads in `regions`, primary threads included
};
extern Stats stats __attribute__((visibility("hidden")));

inline void count_region(std::uint32_t threads) {
    if (GOSSAMER_LIKELY(!stats.on.load(std::memory_order_relaxed))) return;
    // relaxed, all: the sums are read when the program is over.
    (threads > 1 ? stats.regions : stats.serial).fetch_add(1, std::memory_order_relaxed);
    if (threads > 1) stats.threads.fetch_add(threads, std::memory_order_relaxed);
}

}  // namespace gossamer::omp
