// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cancel and cancellation point constructs (OpenMP 5.2 §16.1-16.2). Both do nothing where cancel-var is
// false.
#pragma once

#include "omp/task/task.hpp"

namespace gossamer::omp {

enum CancelKind : std::uint32_t;

// Activates cancellation of the innermost region of that kind. True: the caller has to go to the region's end. Suspends in
// chaos mode only.
bool cancel(Thread& thread, CancelKind kind);

// Whether cancellation of that kind is active for the caller. If not, may suspend, to let other threads run.
bool cancellation_point(Thread& thread, CancelKind kind);

// Whether the current task's taskgroup is cancelled.
bool taskgroup_cancelled(const Thread& thread);

// Whether a task that `thread` generates, or has taken, in `group` must not begin any more (§16.1).
bool tasks_cancelled(const Thread& thread, Taskgroup* group);

}  // namespace gossamer::omp
