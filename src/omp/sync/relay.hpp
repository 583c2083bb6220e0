// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last thread to arrive at a barrier does not wake everyone: each home's share of a dealt team is woken by one of its own
// threads, on the carrier where the others lie (docs/protocols/barrier.md, "Relays").
//
//   last thread to arrive                             a thread that leaves the barrier
//   order(): each other share's relay                 is_mine(): takes its share's order, if there is one
//   releases the barrier                                yes: wakes its share
//   wakes the home of each other share, and its own share
//
// The order is made before the release, so whoever sees the release sees it. Its words are relaxed: one exchange decides
// which thread has the order, and the release publishes it with the slots that it is about. An order that nobody takes, because
// a region was cancelled, costs a look at empty slots later.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"

namespace gossamer::omp {

template <class A = StdAtomics>
class BasicRelay {
public:
    void order() { ordered_.store(1, std::memory_order_relaxed); }

    bool is_mine() {
        return GOSSAMER_UNLIKELY(ordered_.load(std::memory_order_relaxed) != 0) &&
               ordered_.exchange(0, std::memory_order_relaxed) != 0;
    }

private:
    typename A::template Atomic<std::uint32_t> ordered_{0};
};

using Relay = BasicRelay<>;

}  // namespace gossamer::omp
