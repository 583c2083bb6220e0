// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/failures.hpp"

#include <atomic>

#include "base/base.hpp"

namespace gossamer::os {

namespace {

// How often each kind was asked since the last inject_failures, and the calls that fail: [first, first +
// count). armed is off but in tests. Its release pairs with the acquire of slow_failure_due, for the two
// limits.
struct Plan {
    std::atomic<bool> armed{false};
    std::atomic<std::uint32_t> first{0};
    std::atomic<std::uint32_t> count{0};
    std::atomic<std::uint32_t> asked{0};
};

constinit Plan plans[2];

GOSSAMER_COLD bool slow_failure_due(Plan& plan) {
    if (!plan.armed.load(std::memory_order_acquire)) return false;
    std::uint32_t call = plan.asked.fetch_add(1, std::memory_order_relaxed) + 1;
    std::uint32_t first = plan.first.load(std::memory_order_relaxed);
    return call >= first && call - first < plan.count.load(std::memory_order_relaxed);
}

}  // namespace

void inject_failures(Failure kind, std::uint32_t at, std::uint32_t count) {
    Plan& plan = plans[static_cast<unsigned>(kind)];
    plan.armed.store(false, std::memory_order_relaxed);
    plan.asked.store(0, std::memory_order_relaxed);
    plan.first.store(at, std::memory_order_relaxed);
    plan.count.store(count, std::memory_order_relaxed);
    // release pairs with slow_failure_due's acquire.
    plan.armed.store(at != 0, std::memory_order_release);
}

bool failure_due(Failure kind) {
    Plan& plan = plans[static_cast<unsigned>(kind)];
    // relaxed: a hint, slow_failure_due looks again.
    if (GOSSAMER_LIKELY(!plan.armed.load(std::memory_order_relaxed))) return false;
    return slow_failure_due(plan);
}

}  // namespace gossamer::os
