// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of a team's loops are uneven: chunks that a thread had taken at once, since those before were short, turned out long.
// Where long chunks lie side by side the loop's length then depends on the thread that has got them all, and the time that
// short ones save is nothing beside them. So threads take chunks one by one in such a loop, in the next regions, too.
//
// A chunk may also have been long because the system had taken the processor away. So after a few such loops all are tried
// again; and where one turns out uneven soon after that, after twice as many, and so on (ahead.cpp, docs/decisions/0049).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"

namespace gossamer::omp {

// Tells loops of the program apart by an address in their code; some share a number, below 64.
inline uint8_t loop_site(const void* code) {
    constexpr uint64_t golden = 0x9e3779b97f4a7c15;  // 2^64 / 1.618...: Knuth's multiplicative hash
    return static_cast<uint8_t>(reinterpret_cast<uintptr_t>(code) * golden >> 58);
}

// All orders are relaxed: hints.
class UnevenLoops {
public:
    bool has(uint8_t site) const { return (sites_.load(std::memory_order_relaxed) >> site & 1) != 0; }

    // `even`: loops of another kind that the caller has met since it met an uneven one.
    void add(uint8_t site, uint32_t even) {
        const uint32_t tried = tried_after_.load(std::memory_order_relaxed);
        tried_after_.store(even > soon                ? first_tried_after
                           : tried < last_tried_after ? 2 * tried
                                                      : tried,
                           std::memory_order_relaxed);
        sites_.fetch_or(uint64_t{1} << site, std::memory_order_relaxed);
    }

    // Thread 0 of the team, in each uneven loop that it comes to.
    void count() {
        if (++met_ < tried_after_.load(std::memory_order_relaxed)) return;
        met_ = 0;
        sites_.store(0, std::memory_order_relaxed);
    }

    static constexpr uint32_t soon = 32;
    static constexpr uint32_t first_tried_after = 8, last_tried_after = 1024;

private:
    std::atomic<uint64_t> sites_{0};
    std::atomic<uint32_t> tried_after_{first_tried_after};
    uint32_t met_ = 0;  // thread 0's
};

}  // namespace gossamer::omp
