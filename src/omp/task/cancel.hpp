// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cancel and cancellation point constructs (OpenMP 5.2 §16.1-16.2). Both do nothing where cancel-var is
// false.
#pragma once

#include "omp/task/task.hpp"

namespace gossamer::omp {

enum CancelKind : std::uint32_t;

// Activates cancellation of the innermost region of that kind. True: the caller has to go to its end. Never
// suspends.
bool cancel(Thread& thread, CancelKind kind);

// True if cancellation of that kind is active for the caller; otherwise may suspend, to let others run.
bool cancellation_point(Thread& thread, CancelKind kind);

// True if a task generated in `group` by `thread` is not to begin any more (§16.1).
bool tasks_cancelled(const Thread& thread, const Taskgroup* group);

}  // namespace gossamer::omp
