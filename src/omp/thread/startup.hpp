// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens once a process: the scheduler is configured by the ICVs, and the hooks for ends of threads and stack overflows
// are set.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"
#include "omp/icv/icv.hpp"

namespace gossamer::omp {

namespace detail {
extern std::atomic<bool> prepared;
GOSSAMER_COLD void prepare_once();
}  // namespace detail

// Any thread, before its first call of the fiber layer. Never suspends.
inline void prepare_runtime() {
    // acquire pairs with prepare_once
    if (GOSSAMER_UNLIKELY(!detail::prepared.load(std::memory_order_acquire))) detail::prepare_once();
}

// In the child of a fork, whose parent's other threads may have held the lock.
void forget_startup_lock();

// How long an idle carrier looks for work before it parks, by OMP_WAIT_POLICY, KMP_BLOCKTIME and GOMP_SPINCOUNT. `adaptive`: at
// most that long, because the user set nothing.
struct Patience {
    std::uint64_t ns;
    bool adaptive;
};
Patience patience(const GlobalIcvs& icvs);

// Tells the carriers, if there are any yet, that GlobalIcvs::waiting has changed. Never suspends.
void apply_waiting();

}  // namespace gossamer::omp
