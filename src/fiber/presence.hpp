// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a root uses a processor, in a region or out of it.
//
// Between its regions a root's native thread belongs to the program. It may sleep there, and leave its processor to a worker.
// Or it may compute, or spin until another root is through, as ranks do that are threads of one process: then a worker that
// is woken in its place only takes turns with it. Nothing announces which; but a root mostly does what it did before. So now
// and then the root measures the time from one region to the next, and its CPU time. A root whose gaps were mostly CPU time
// lingers: Scheduler::inside counts it until its next region as if it were still in the last. If it sleeps for once, the
// monitor lets it go.
//
//   out, lingers -> inside    enter, by the root
//   inside -> out, lingers    leave, by the root
//   lingers -> out            let_go, by the monitor, of the gap that it has looked at twice; or end, by the root's last step
//
// The thread that moves a root to `out` takes it off the count; the one that moves it from `out` adds it. Every step but
// leave may meet another, and is one compare-and-swap; the gap's number in the word keeps the monitor from letting go in a
// later gap. The count is a hint and orders nothing (roots.cpp says what does), so all accesses are relaxed.
#pragma once

#include <cstdint>

#include "base/base.hpp"

namespace gossamer::fiber {

class Presence {
public:
    // For the root.
    bool inside() const { return (word_.load(std::memory_order_relaxed) & state) == is_inside; }
    /// True: the root was `out`, and the caller adds it to the count.
    bool enter() { return (change(is_inside) & state) == is_out; }
    /// From inside. Unless the root lingers, the caller takes it off the count.
    void leave(bool lingers) {
        const std::uint32_t gap = (word_.load(std::memory_order_relaxed) & ~state) + a_gap;
        word_.store(gap | (lingers ? lingering : is_out), std::memory_order_relaxed);
    }
    /// From outside. True: the root lingered, and the caller takes it off the count.
    bool end() { return (change(is_out) & state) == lingering; }

    // For the monitor.
    /// The gap in which the root lingers; 0: it does not linger.
    std::uint32_t gap() const {
        const std::uint32_t word = word_.load(std::memory_order_relaxed);
        return (word & state) == lingering ? word : 0;
    }
    /// True: the root still lingered in that gap and is `out` now; the caller takes it off the count.
    bool let_go(std::uint32_t gap) {
        return word_.compare_exchange_strong(gap, (gap & ~state) | is_out, std::memory_order_relaxed);
    }

private:
    static constexpr std::uint32_t state = 3, is_out = 0, is_inside = 1, lingering = 2, a_gap = 4;

    // By the root; only the monitor's let_go may come in between.
    std::uint32_t change(std::uint32_t to) {
        std::uint32_t word = word_.load(std::memory_order_relaxed);
        while (!word_.compare_exchange_weak(word, (word & ~state) | to, std::memory_order_relaxed)) {}
        return word;
    }

    std::atomic<std::uint32_t> word_{is_out};  // the state, and the number of the gap above it
};

// What a root has learned of its gaps; only the root touches it. Times in ns.
class Gaps {
public:
    bool are_busy() const { return busy_; }

    void add(std::uint64_t length, std::uint64_t cpu) {
        if (length == 0) return;
        if (cpu > length) cpu = length;
        if (length > window) {
            cpu = static_cast<std::uint64_t>(static_cast<double>(cpu) * window / static_cast<double>(length));
            length = window;
        }
        length_ += length;
        cpu_ += cpu;
        busy_ = length_ >= enough && 2 * cpu_ > length_;
        if (length_ < window) return;
        length_ /= 2;
        cpu_ /= 2;
    }

    /// The root lingered, but slept.
    void slept() { add(window, 0); }

private:
    static constexpr std::uint64_t window = 10'000'000;  // the latest gaps of this total length decide,
    static constexpr std::uint64_t enough = 10'000;      // once there is this much

    std::uint64_t length_ = 0, cpu_ = 0;
    bool busy_ = false;
};

}  // namespace gossamer::fiber
