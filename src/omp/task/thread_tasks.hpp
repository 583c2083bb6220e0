// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The late tasks that one thread has generated: those that are not complete though their generation is over.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"
#include "omp/task/task.hpp"

namespace gossamer::omp {

struct ThreadTasks {
    SpinLock lock; // over every late task of this thread, and the parents' fields for them
    std::atomic<std::uint32_t> late{0}; // how many there are
    std::atomic<std::uint32_t> changes{
        0};                      // advances when one completes or becomes ready; what the thread waits on
    Task* first_ready = nullptr; // deferred ones whose predecessors are complete, oldest first
    Task* last_ready = nullptr;
};

// Executes and waits for all tasks that `thread` has generated in its region, and their descendants. May
// suspend.
void complete_late_tasks(Thread& thread);

} // namespace gossamer::omp
