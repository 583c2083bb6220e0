// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The taskloop construct (OpenMP 5.2 §12.6). The program makes one task as a pattern, with the whole loop's
// bounds, both inclusive, in its record; each task gets a copy with its own.
#include "abi/kmpc/task.hpp"

using namespace gossamer;
using abi::Ident;
using abi::KmpcTask;
using abi::TaskRecord;

namespace {

// Makes what memcpy cannot of `to`, a copy of `from`; `last` not 0: it has the last iteration.
using Duplicate = void (*)(TaskRecord* to, TaskRecord* from, int32_t last);

uint64_t trip_count(uint64_t lower, uint64_t upper, int64_t step) {
    if (step > 0)
        return (upper - lower) / static_cast<uint64_t>(step) + 1;
    return (lower - upper) / (0 - static_cast<uint64_t>(step)) + 1;
}

omp::TaskloopClause decode(int clause) {
    return clause == 1   ? omp::TaskloopClause::grainsize
           : clause == 2 ? omp::TaskloopClause::num_tasks
                         : omp::TaskloopClause::none;
}

struct Loop {
    uint64_t* lower; // in the pattern's record
    uint64_t* upper;
    int64_t step;
};

uint64_t& place_in(TaskRecord& record, const TaskRecord& pattern, const uint64_t* place) {
    const auto offset = reinterpret_cast<const char*>(place) - reinterpret_cast<const char*>(&pattern);
    return *reinterpret_cast<uint64_t*>(reinterpret_cast<char*>(&record) + offset);
}

void run_tasks(omp::Thread& thread, KmpcTask& pattern, const Loop& loop, const omp::TaskloopPlan& plan,
               Duplicate duplicate, bool undeferred) {
    TaskRecord& from = pattern.record();
    uint64_t first = *loop.lower;
    for (uint64_t number = 0; number < plan.tasks; ++number) {
        const uint64_t next = first + taskloop_share(plan, number) * static_cast<uint64_t>(loop.step);
        KmpcTask& task = abi::copy_task(thread, pattern);
        TaskRecord& record = task.record();
        place_in(record, from, loop.lower) = first;
        place_in(record, from, loop.upper) = next - static_cast<uint64_t>(loop.step);
        if (duplicate != nullptr)
            duplicate(&record, &from, number == plan.tasks - 1);
        abi::submit_task(thread, task, {}, undeferred);
        first = next;
    }
}

void taskloop(TaskRecord* record, const Loop& loop, bool if_clause, bool group, int clause, uint64_t value, bool strict,
              Duplicate duplicate) {
    omp::Thread& thread = omp::current();
    KmpcTask& pattern = abi::task_of(record);
    if (group)
        omp::taskgroup_begin(thread);
    const bool empty = loop.step > 0 ? *loop.upper + 1 == *loop.lower : *loop.lower + 1 == *loop.upper;
    if (!empty) {
        const uint64_t count = trip_count(*loop.lower, *loop.upper, loop.step);
        run_tasks(thread, pattern, loop,
                  omp::plan_taskloop(count, decode(clause), value, strict, thread.team->size), duplicate, !if_clause);
    }
    if ((pattern.marks & abi::has_destructors) != 0)
        record->destroy.destructors(abi::global_id(), record);
    omp::task_drop(thread, pattern);
    if (group)
        omp::taskgroup_end(thread);
}

} // namespace

// clause: 0 none, 1 grainsize, 2 num_tasks, with its value.
GOSSAMER_EXPORT void __kmpc_taskloop(Ident*, int, TaskRecord* task, int if_clause, uint64_t* lower, uint64_t* upper,
                                     int64_t step, int nogroup, int clause, uint64_t value,
                                     Duplicate duplicate) {
    taskloop(task, {lower, upper, step}, if_clause != 0, nogroup == 0, clause, value, false, duplicate);
}

GOSSAMER_EXPORT void __kmpc_taskloop_5(Ident*, int, TaskRecord* task, int if_clause, uint64_t* lower, uint64_t* upper,
                                       int64_t step, int nogroup, int clause, uint64_t value, int strict,
                                       Duplicate duplicate) {
    taskloop(task, {lower, upper, step}, if_clause != 0, nogroup == 0, clause, value, strict != 0, duplicate);
}
