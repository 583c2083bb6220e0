// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The taskloop construct (OpenMP 5.2 §12.6). The program makes one task as a pattern, with the whole loop's bounds, both
// inclusive, in its record; each generated task has a copy of the record with its own bounds.
#include "abi/kmpc/task.hpp"

using namespace gossamer;
using abi::Ident;
using abi::KmpcTask;
using abi::TaskRecord;

namespace {

// Makes of `to`, a bytewise copy of `from`, what memcpy cannot. `last` not 0: the task has the last iteration.
using Duplicate = void (*)(TaskRecord* to, TaskRecord* from, int32_t last);

uint64_t trip_count(uint64_t lower, uint64_t upper, int64_t step) {
    if (step > 0) return (upper - lower) / static_cast<uint64_t>(step) + 1;
    return (lower - upper) / (0 - static_cast<uint64_t>(step)) + 1;
}

omp::TaskloopClause decode(int clause) {
    return clause == 1   ? omp::TaskloopClause::grainsize
           : clause == 2 ? omp::TaskloopClause::num_tasks
                         : omp::TaskloopClause::none;
}

struct Loop {
    KmpcTask* pattern;
    uint64_t* lower;  // in the pattern's record
    uint64_t* upper;
    int64_t step;
    Duplicate duplicate;
    bool undeferred;
    omp::TaskloopPlan plan;
};

uint64_t& place_in(TaskRecord& record, const TaskRecord& pattern, const uint64_t* place) {
    const auto offset = reinterpret_cast<const char*>(place) - reinterpret_cast<const char*>(&pattern);
    return *reinterpret_cast<uint64_t*>(reinterpret_cast<char*>(&record) + offset);
}

void generate(omp::Thread& thread, const void* of, uint64_t number, uint64_t end) {
    const Loop& loop = *static_cast<const Loop*>(of);
    TaskRecord& from = loop.pattern->record();
    const auto step = static_cast<uint64_t>(loop.step);
    uint64_t first = *loop.lower + taskloop_before(loop.plan, number) * step;
    for (; number < end; ++number) {
        const uint64_t next = first + taskloop_share(loop.plan, number) * step;
        KmpcTask& task = abi::copy_task(thread, *loop.pattern);
        TaskRecord& record = task.record();
        place_in(record, from, loop.lower) = first;
        place_in(record, from, loop.upper) = next - step;
        if (loop.duplicate != nullptr) loop.duplicate(&record, &from, number == loop.plan.tasks - 1);
        abi::submit_task(thread, task, {}, loop.undeferred);
        first = next;
    }
}

void taskloop(Loop&& loop, bool group, int clause, uint64_t value, bool strict) {
    omp::Thread& thread = omp::current();
    KmpcTask& pattern = *loop.pattern;
    if (group) omp::taskgroup_begin(thread);
    const bool empty = loop.step > 0 ? *loop.upper + 1 == *loop.lower : *loop.lower + 1 == *loop.upper;
    if (!empty) {
        const uint64_t count = trip_count(*loop.lower, *loop.upper, loop.step);
        loop.plan = omp::plan_taskloop(count, decode(clause), value, strict, thread.team->size);
        // The program's copy function may not be called by two threads at a time.
        const bool by_parts = group && loop.duplicate == nullptr && !loop.undeferred && pattern.marks == 0;
        omp::generate_taskloop(thread, generate, &loop, loop.plan.tasks, by_parts);
    }
    if (group) omp::taskgroup_end(thread);
    if ((pattern.marks & abi::has_destructors) != 0) pattern.record().destroy.destructors(abi::global_id(), &pattern.record());
    omp::task_drop(thread, pattern);
}

}  // namespace

// clause: 0 none, 1 grainsize, 2 num_tasks, with its value.
GOSSAMER_EXPORT void __kmpc_taskloop(Ident*, int, TaskRecord* task, int if_clause, uint64_t* lower, uint64_t* upper,
                                     int64_t step, int nogroup, int clause, uint64_t value, Duplicate duplicate) {
    taskloop({&abi::task_of(task), lower, upper, step, duplicate, if_clause == 0, {}}, nogroup == 0, clause, value, false);
}

GOSSAMER_EXPORT void __kmpc_taskloop_5(Ident*, int, TaskRecord* task, int if_clause, uint64_t* lower, uint64_t* upper,
                                       int64_t step, int nogroup, int clause, uint64_t value, int strict, Duplicate duplicate) {
    taskloop({&abi::task_of(task), lower, upper, step, duplicate, if_clause == 0, {}}, nogroup == 0, clause, value,
             strict != 0);
}
