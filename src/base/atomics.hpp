// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>

namespace gossamer {

/// The atomics that a lock-free core stands on. A core is a template over such a policy, so that the
/// interleaving checker (base/model/) runs the very code that ships, with its own Atomic and fence in place
/// of these.
struct StdAtomics {
    template <class T>
    using Atomic = std::atomic<T>;

    static void fence(std::memory_order order) noexcept { std::atomic_thread_fence(order); }
};

}  // namespace gossamer
