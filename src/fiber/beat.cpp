// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The beat: what keeps native threads moving that wait for each other by spinning, when there are more of them than
// processors.
//
// The kernel lets a thread that never sleeps keep its processor until a tick of the kernel's clock finds its time slice
// used up: 4 ms with the usual 250 ticks a second. A pipeline of spinning threads makes one step in that time. But the
// kernel also chooses anew whenever a thread wakes on that processor. So while more threads run apart than there are
// processors, and none of them comes to a scheduling point, the monitor sleeps for a fifth of a millisecond at a time.
// Each of its wakes costs some microseconds of one processor; a step costs a wake instead of a tick.
//
// Threads that only compute look the same and gain nothing, so the longer it lasts, the slower the beat.

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

namespace {

constexpr std::uint64_t quickest_ns = 200'000;
constexpr std::uint64_t slowest_ns = 1'600'000;
constexpr std::uint64_t slower_after_ns = 1'000'000'000;  // twice as slow after this, then after twice this, and so on
constexpr std::uint64_t window_ns = 40'000'000;           // how long they are watched before it is decided again: many ticks
constexpr std::uint64_t busy_ns = 50'000;                 // CPU time in that window which one that sleeps does not use

// What a carrier had done when the window began.
struct Mark {
    std::uint32_t progress;
    std::uint64_t cpu_ns;
};
constinit Mark marks[max_carriers];
constinit std::uint64_t window_begin_ns = 0;  // 0: nothing ran apart
constinit std::uint64_t since_ns = 0;         // when the beat began; 0: there is none

// How many native threads have computed in this window and come to no scheduling point; a new window begins.
std::uint32_t count_busy() {
    std::uint32_t busy = 0;
    const std::uint32_t slots = g.slots.load(std::memory_order_acquire);  // pairs with the store that follows a new carrier
    for (std::uint32_t index = 0; index < slots; ++index) {
        const Carrier* const carrier = g.carriers[index].load(std::memory_order_acquire);
        if (carrier == nullptr || carrier->closed.load(std::memory_order_relaxed)) continue;
        const Mark now{carrier->progress.load(std::memory_order_relaxed),
                       os::cpu_time_ns(carrier->native_thread.load(std::memory_order_relaxed))};
        const Mark before = marks[index];
        marks[index] = now;
        if (now.progress == before.progress && now.cpu_ns > before.cpu_ns + busy_ns) ++busy;
    }
    return busy;
}

std::uint64_t pace(std::uint64_t lasted_ns) {
    std::uint64_t beat = quickest_ns;
    for (std::uint64_t limit = slower_after_ns; lasted_ns > limit && beat < slowest_ns; limit *= 2) beat *= 2;
    return beat;
}

}  // namespace

std::uint64_t beat_now() {
    if (g.apart.load(std::memory_order_relaxed) == 0) {
        window_begin_ns = since_ns = 0;
        return 0;
    }
    const std::uint64_t now_ns = os::now_ns();
    if (window_begin_ns == 0 || now_ns - window_begin_ns >= window_ns) {
        const bool first = window_begin_ns == 0;  // its marks are old
        const bool crowd = count_busy() > g.config.carriers && !first;
        window_begin_ns = now_ns;
        if (!crowd) since_ns = 0;
        if (crowd && since_ns == 0) since_ns = now_ns;
    }
    if (since_ns == 0) return 0;
    g.beats.fetch_add(1, std::memory_order_relaxed);
    return pace(now_ns - since_ns);
}

}  // namespace gossamer::fiber
