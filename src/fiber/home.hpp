// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Homes away from their carriers, and on the way back (home.cpp, docs/protocols/relief.md).
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

// While it lives, what the caller, a home, waits for besides its permit and orders: that `count` is zero. Without a count it
// only yields, and goes on at the next decision; not by its permit, which may be there already for the wait that comes next.
class Awaits {
public:
    explicit Awaits(Fiber& home, const std::atomic<std::uint32_t>& count = nothing) : home_(home), before_(get()) {
        set(&count);
    }
    ~Awaits() { set(before_); }
    // Another thread has made of it a wait for nothing. acquire and release: the home sees what it is disturbed for.
    bool disturbed() const { return home_.awaited.load(std::memory_order_acquire) == &nothing; }
    static bool disturb(Fiber& home, const std::atomic<std::uint32_t>& count) {
        Count awaited = home.awaited.load(std::memory_order_relaxed);  // the swap alone would take the line from the home
        return awaited == &count &&
               home.awaited.compare_exchange_strong(awaited, &nothing, std::memory_order_release, std::memory_order_relaxed);
    }
    Awaits(const Awaits&) = delete;
    Awaits& operator=(const Awaits&) = delete;

private:
    using Count = const std::atomic<std::uint32_t>*;
    static constexpr std::atomic<std::uint32_t> nothing{0};

    // relaxed: HomePlace::leave publishes it, and whoever counts down does not look at it.
    Count get() const { return home_.awaited.load(std::memory_order_relaxed); }
    void set(Count count) { home_.awaited.store(count, std::memory_order_relaxed); }

    Fiber& home_;
    const Count before_;
};

// Leaves a home that is away to its own carrier. Returns when that carrier, or another thread once more, runs it.
void come_home(Fiber& home);
// The same, until the home is there.
void be_home(Fiber& home);

// Whether a home that is away may go on where it is: its wait is over, and it does not keep another home from its own carrier.
bool goes_on_away(const Fiber& home);

// By a thread other than the home's own carrier: takes a home that was left, to run it elsewhere. False: the home stays.
bool take_home(Carrier& own);

}  // namespace gossamer::fiber
