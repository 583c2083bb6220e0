// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/cancel.hpp"

#include "omp/task/taskgroup.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {

namespace {

// relaxed, all: what a thread does in a cancelled region need not be visible to its siblings before the region's end.
bool is_cancelled(const Team& team, std::uint32_t kinds) {
    return (team.cancelled.load(std::memory_order_relaxed) & kinds) != 0;
}

bool is_cancelled(Taskgroup* group) {
    if (group == nullptr) return false;
    if (group->cancelled.load(std::memory_order_relaxed) != 0) return true;
    return cancellable_group(group)->cancelled.load(std::memory_order_relaxed) != 0;
}

}  // namespace

bool cancel(Thread& thread, CancelKind kind) {
    if (!globals().cancellation) return false;
    fiber::scheduling_point();
    if (kind == cancel_taskgroup) {
        if (Taskgroup* const group = cancellable_group(thread.task->taskgroup)) {
            group->cancelled.store(1, std::memory_order_relaxed);
        }
        return true;
    }
    Team& team = *thread.team;
    if ((team.cancelled.fetch_or(kind, std::memory_order_seq_cst) & kind) == 0 && kind == cancel_parallel) {
        wake_cancelled(team);
    }
    if (kind == cancel_parallel) share_depart(thread);
    return true;
}

bool cancellation_point(Thread& thread, CancelKind kind) {
    if (!globals().cancellation) return false;
    fiber::scheduling_point();
    // A cancelled region takes its tasks with it.
    const std::uint32_t kinds = kind == cancel_taskgroup ? static_cast<std::uint32_t>(cancel_parallel) : kind;
    if (is_cancelled(*thread.team, kinds)) {
        if (kind == cancel_parallel) share_depart(thread);
        return true;
    }
    if (kind == cancel_taskgroup && is_cancelled(thread.task->taskgroup)) return true;
    // The thread that is about to cancel may be queued behind this one on its carrier.
    fiber::yield();
    return false;
}

bool taskgroup_cancelled(const Thread& thread) { return is_cancelled(thread.task->taskgroup); }

bool tasks_cancelled(const Thread& thread, Taskgroup* group) {
    if (GOSSAMER_LIKELY(!globals().cancellation)) return false;
    return is_cancelled(*thread.team, cancel_parallel) || is_cancelled(group);
}

}  // namespace gossamer::omp
