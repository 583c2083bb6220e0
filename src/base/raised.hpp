// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A flag that is up for as long as its scope lasts.
#pragma once

#include <atomic>

namespace gossamer {

// relaxed: other threads take the flag for a hint, or the owner publishes it by a later step of its own.
class Raised {
public:
    // null: there is no flag to raise.
    explicit Raised(std::atomic<bool>* flag) : flag_(flag) { set(true); }
    ~Raised() { set(false); }
    Raised(const Raised&) = delete;
    Raised& operator=(const Raised&) = delete;

    void set(bool up) const {
        if (flag_ != nullptr) flag_->store(up, std::memory_order_relaxed);
    }

private:
    std::atomic<bool>* const flag_;
};

}  // namespace gossamer
