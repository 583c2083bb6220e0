// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The taskloop construct (OpenMP 5.2 §12.6). A task's arguments begin with its first iteration and the one behind its last;
// with a reduction clause, the reductions' array follows.
#include "abi/gomp/loop.hpp"
#include "abi/gomp/task.hpp"

using namespace gossamer;
using abi::CopyArguments;
using abi::Function;

namespace {

template <class T>
struct Head {
    T first;
    T end;
    uintptr_t* reductions;
};

uint64_t trip_count(long first, long end, long step, unsigned) { return omp::iterations_exclusive<int64_t>(first, end, step); }

uint64_t trip_count(abi::Ull first, abi::Ull end, abi::Ull step, unsigned flags) {
    return abi::iterations((flags & abi::task_up) != 0, first, end, step);
}

template <class T>
struct Loop {
    Function function;
    void* data;
    CopyArguments copy;
    size_t size;
    size_t alignment;
    bool final;
    bool untied;
    bool undeferred;
    uint8_t priority;
    T first;
    T step;
    omp::TaskloopPlan plan;
};

template <class T>
void generate(omp::Thread& thread, const void* of, uint64_t number, uint64_t end) {
    const Loop<T>& loop = *static_cast<const Loop<T>*>(of);
    // Unsigned, because the last bound may lie beyond the type's range.
    const auto step = static_cast<uint64_t>(loop.step);
    uint64_t first = static_cast<uint64_t>(loop.first) + taskloop_before(loop.plan, number) * step;
    for (; number < end; ++number) {
        if (omp::tasks_cancelled(thread, thread.task->taskgroup)) return;
        abi::GompTask& task = abi::make_task(thread, loop.function, loop.size, loop.alignment, loop.final, loop.untied);
        task.priority = loop.priority;
        abi::copy_arguments(thread, task, loop.copy, loop.data, loop.size);
        auto& head = *static_cast<Head<T>*>(task.data);
        head.first = static_cast<T>(first);
        first += taskloop_share(loop.plan, number) * step;
        head.end = static_cast<T>(first);
        omp::task_submit(thread, task, {}, loop.undeferred);
    }
}

template <class T>
void taskloop(Function function, void* data, CopyArguments copy, long size, long alignment, unsigned flags, unsigned long value,
              int priority, T first, T end, T step) {
    omp::Thread& thread = omp::current();
    const bool group = (flags & abi::task_nogroup) == 0;
    const bool reduces = group && (flags & abi::task_reduction) != 0;
    uintptr_t** const reductions = reduces ? &static_cast<Head<T>*>(data)->reductions : nullptr;
    const uint64_t count = trip_count(first, end, step, flags);
    if (count == 0 || omp::tasks_cancelled(thread, nullptr)) {
        if (reduces) (*reductions)[2] = 0;  // tells the program that there are no copies
        return;
    }
    if (group) {
        omp::Taskgroup& taskgroup = omp::taskgroup_begin(thread);
        if (reduces) omp::gnu_reduction_register(taskgroup, *reductions, thread.team->size);
    }
    const auto clause = (flags & abi::task_grainsize) != 0 ? omp::TaskloopClause::grainsize : omp::TaskloopClause::num_tasks;
    const bool strict = (flags & abi::task_strict) != 0;
    const Loop<T> loop{function,
                       data,
                       copy,
                       static_cast<size_t>(size),
                       alignment > 0 ? static_cast<size_t>(alignment) : 1,
                       (flags & abi::task_final) != 0,
                       (flags & abi::task_untied) != 0,
                       (flags & abi::task_if) == 0,
                       (flags & abi::task_priority) != 0 ? omp::task_priority(priority) : uint8_t{0},
                       first,
                       step,
                       omp::plan_taskloop(count, clause, value, strict, thread.team->size)};
    // The program's copy function may not be called by two threads at a time.
    const bool by_parts = group && copy == nullptr && !loop.undeferred && loop.priority == 0;
    omp::generate_taskloop(thread, generate<T>, &loop, loop.plan.tasks, by_parts);
    if (group) omp::taskgroup_end(thread);
}

}  // namespace

// value: of the grainsize or num_tasks clause; 0: there is neither.
GOSSAMER_EXPORT void GOMP_taskloop(Function function, void* data, CopyArguments copy, long size, long alignment, unsigned flags,
                                   unsigned long value, int priority, long first, long end, long step) {
    taskloop(function, data, copy, size, alignment, flags, value, priority, first, end, step);
}

GOSSAMER_EXPORT void GOMP_taskloop_ull(Function function, void* data, CopyArguments copy, long size, long alignment,
                                       unsigned flags, unsigned long value, int priority, abi::Ull first, abi::Ull end,
                                       abi::Ull step) {
    taskloop(function, data, copy, size, alignment, flags, value, priority, first, end, step);
}
