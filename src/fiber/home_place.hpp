// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the context of a carrier's home is, and who may run it (docs/protocols/relief.md):
//
//   running   on its own native thread
//   out       saved: its own carrier claims it, anybody else takes it away; one of them wins
//   away      on another carrier, or on its way there
//
// Whoever gives the home an order or its permit looks at nothing here: that line would have to come from the home's carrier
// each time. So whoever leaves a home looks afterwards, behind a full fence, whether it is wanted and whether the monitor is
// awake; and whoever looks for a home that is wanted does so behind a full fence of its own.
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

    /// Whoever runs after the home, on the native thread that it has left, once its context is saved. From here on the home is
    /// others'. What follows is ordered behind it.
    void leave() {
        place_.store(Place::out, std::memory_order_release);  // pairs with claim and take
        A::fence(std::memory_order_seq_cst);                  // pairs with the fences of who calls the home, and of the monitor
    }

    /// A snapshot, by anyone; relaxed, as the fences before it order it.
    bool is_out() const { return place_.load(std::memory_order_relaxed) == Place::out; }

    /// Whether somebody else has it; by its own carrier, behind a fence that pairs with the taker's. acquire pairs with leave: once it
    /// is back, what the home has done with its thread-local storage is seen.
    bool is_away() const { return place_.load(std::memory_order_acquire) == Place::away; }

    /// Its own carrier. True: out -> running, and the caller runs it.
    bool claim() { return move_to(Place::running); }

    /// Anybody else. True: out -> away, and the caller has it run.
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
