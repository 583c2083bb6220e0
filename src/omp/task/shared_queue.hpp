// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ready tasks of a team that lie in no thread's deque: tasks with a priority (OpenMP 5.2 §12.4), tasks that became ready where
// no deque was at hand or the deque was full, and tasks that a thread must not execute while it waits. Ordered by priority,
// then oldest first. One lock covers the queue. A task in it is not gone.
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

    // Looks without the lock: the number of tasks, whether some have a priority, and a number that advances with each push, by
    // which a thread that found nothing for itself knows whether to look again.
    std::uint32_t count() const { return count_.load(std::memory_order_seq_cst); }
    bool any() const { return count_.load(std::memory_order_relaxed) != 0; }
    bool any_urgent() const { return urgent_.load(std::memory_order_relaxed) != 0; }
    std::uint32_t pushes() const { return pushes_.load(std::memory_order_relaxed); }

    // Under the lock.
    void push(Task& task) {
        const std::uint32_t level = task.priority;
        task.next = nullptr;
        (first_[level] == nullptr ? first_[level] : last_[level]->next) = &task;
        last_[level] = &task;
        levels_used_ |= std::uint64_t{1} << level;
        if (level != 0) urgent_.fetch_add(1, std::memory_order_relaxed);
        pushes_.fetch_add(1, std::memory_order_relaxed);
        count_.fetch_add(1, std::memory_order_seq_cst);  // pairs with work_shared, before a thread sleeps
    }

    // Under the lock. Takes the most urgent task for which accept(task) is true; null: none.
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
    std::uint64_t levels_used_ = 0;
    Task* first_[levels] = {};
    Task* last_[levels] = {};
    // Apart from the lock: a thread without work looks at these now and then,
    alignas(no_share) std::atomic<std::uint32_t> count_{0};
    std::atomic<std::uint32_t> pushes_{0};
    // and at this every thread before each of its own tasks.
    alignas(no_share) std::atomic<std::uint32_t> urgent_{0};
};

}  // namespace gossamer::omp
