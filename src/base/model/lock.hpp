// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/model/atomics.hpp"

namespace gossamer::model {

/// A lock whose waiter sleeps, since a model must not spin. States: 0 free, 1 held, 2 held and awaited.
class Lock {
public:
    bool try_lock() {
        int free = 0;
        return state_.compare_exchange_strong(free, 1, std::memory_order_acquire,
                                              std::memory_order_relaxed);  // pairs with unlock
    }
    void lock() {
        if (try_lock()) return;
        while (state_.exchange(2, std::memory_order_acquire) != 0) freed_.take();  // pairs with unlock
    }
    template <class Pause>
    void lock(const Pause&) {
        lock();
    }
    void unlock() {
        if (state_.exchange(0, std::memory_order_release) == 2) freed_.give();  // pairs with try_lock and lock
    }

private:
    Atomic<int> state_{0};
    Token freed_;
};

}  // namespace gossamer::model
