// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ready tasks of a team that lie in no thread's deque: those with a priority (OpenMP 5.2 §12.4), those that became ready
// where no deque was at hand or it was full, and what a thread that goes to sleep may not execute itself. By priority, then
// oldest first. All under one lock; tasks in it are live.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

#include "base/base.hpp"
#include "omp/task/task.hpp"

namespace gossamer::omp {

class SharedQueue {
public:
    static constexpr std::uint32_t levels = 64;

    SpinLock lock;

    // Looks without the lock: how many there are, how many of those have a priority; and a number that advances with each
    // push, so that who found nothing for itself need not look again.
    std::uint32_t count() const { return count_.load(std::memory_order_seq_cst); }
    bool any() const { return count_.load(std::memory_order_relaxed) != 0; }
    bool any_urgent() const { return urgent_.load(std::memory_order_relaxed) != 0; }
    std::uint32_t pushes() const { return pushes_.load(std::memory_order_relaxed); }

    // The rest under the lock.
    void push(Task& task) {
        const std::uint32_t level = task.priority;
        task.next = nullptr;
        (first_[level] == nullptr ? first_[level] : last_[level]->next) = &task;
        last_[level] = &task;
        levels_used_ |= std::uint64_t{1} << level;
        if (level != 0) urgent_.fetch_add(1, std::memory_order_relaxed);
        pushes_.fetch_add(1, std::memory_order_relaxed);
        count_.fetch_add(1, std::memory_order_seq_cst);  // pairs with the look before a thread sleeps
    }

    // The most urgent task that accept(task) is true for; null: none.
    template <class Accept>
    Task* take(const Accept& accept) {
        for (std::uint64_t left = levels_used_; left != 0;) {
            const auto level = static_cast<std::uint32_t>(63 - std::countl_zero(left));
            left &= ~(std::uint64_t{1} << level);
            Task* previous = nullptr;
            for (Task* at = first_[level]; at != nullptr; previous = at, at = at->next) {
                if (!accept(*at)) continue;
                (previous == nullptr ? first_[level] : previous->next) = at->next;
                if (last_[level] == at) last_[level] = previous;
                if (first_[level] == nullptr) levels_used_ &= ~(std::uint64_t{1} << level);
                if (level != 0) urgent_.fetch_sub(1, std::memory_order_relaxed);
                count_.fetch_sub(1, std::memory_order_relaxed);
                return at;
            }
        }
        return nullptr;
    }

private:
    std::atomic<std::uint32_t> count_{0};
    std::atomic<std::uint32_t> urgent_{0};
    std::atomic<std::uint32_t> pushes_{0};
    std::uint64_t levels_used_ = 0;
    Task* first_[levels] = {};
    Task* last_[levels] = {};
};

}  // namespace gossamer::omp
