// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the context of a carrier's home is, and which thread may run it (docs/protocols/relief.md):
//
//   running   on its own native thread
//   out       saved: its own carrier claims it, any other thread takes it away; one of them wins
//   away      on another carrier, or on its way there
//
// A thread that gives an order or its permit to a home whose carrier is awake reads nothing here, unless there are several
// roots: it would have to fetch this line from the home's carrier each time. So the carrier that leaves a home looks
// afterwards, behind a full fence, whether the home is wanted and whether the monitor is awake; and a thread that looks for
// wanted homes does so behind a full fence of its own.
#pragma once

#include <cstdint>

#include "base/base.hpp"

namespace gossamer::fiber {

template <class A = StdAtomics>
class BasicHomePlace {
public:
    constexpr BasicHomePlace() = default;
    BasicHomePlace(const BasicHomePlace&) = delete;
    BasicHomePlace& operator=(const BasicHomePlace&) = delete;

    /// The next fiber on the home's native thread, once the home's context is saved. From here on other threads may have the
    /// home. What the caller does next is ordered behind it.
    void leave() {
        place_.store(Place::out, std::memory_order_release);  // pairs with claim and take
        A::fence(std::memory_order_seq_cst);                  // pairs with the fences of call_home, and of the monitor
    }

    /// Any thread; a snapshot. relaxed: the fences named above order it.
    bool is_out() const { return place_.load(std::memory_order_relaxed) == Place::out; }

    /// Its own carrier, behind a fence that pairs with the taker's: whether another thread has the home. acquire pairs with
    /// leave: once the home is back, the carrier sees what it has done with its thread-local storage.
    bool is_away() const { return place_.load(std::memory_order_acquire) == Place::away; }

    /// Its own carrier. True: out -> running, and the caller runs it.
    bool claim() { return move_to(Place::running); }

    /// Any other thread. True: out -> away, and the caller has the home run.
    bool take() { return move_to(Place::away); }

private:
    enum class Place : std::uint32_t { running, out, away };

    bool move_to(Place there) {
        Place out = Place::out;
        // acquire pairs with leave: the context is saved.
        return place_.compare_exchange_strong(out, there, std::memory_order_acquire, std::memory_order_relaxed);
    }

    typename A::template Atomic<Place> place_{Place::running};
};

using HomePlace = BasicHomePlace<>;

}  // namespace gossamer::fiber
