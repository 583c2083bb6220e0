// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task construct (OpenMP 5.2 §12.5).
#include "abi/gomp/task.hpp"

#include <cstring>
#include <new>

using namespace gossamer;
using abi::Function;

namespace {

void run_call(omp::Task& task) {
    auto& call = static_cast<abi::GompCall&>(task);
    call.function(call.data);
}

constexpr omp::TaskKind call_kind{run_call, nullptr, [](omp::Task&) {}};

// A task that may be late; its arguments lie behind it.
struct GompTask : omp::Task {
    Function function;
    void* data;
};

void run_task(omp::Task& task) {
    auto& mine = static_cast<GompTask&>(task);
    mine.function(mine.data);
}

constexpr omp::TaskKind task_kind{run_task, nullptr,
                                  [](omp::Task& task) { std::free(&static_cast<GompTask&>(task)); }};

GompTask& make_task(omp::Thread& thread, Function function, size_t size, size_t alignment, bool final) {
    void* const memory = std::malloc(sizeof(GompTask) + size + alignment);
    if (memory == nullptr)
        fatal("out of memory for a task");
    GompTask* const task = ::new (memory) GompTask;
    omp::task_init(thread, *task, task_kind, final);
    task->function = function;
    task->data = align_up(static_cast<void*>(task + 1), alignment);
    return *task;
}

// The copy function runs as part of the new task.
void copy_arguments(omp::Thread& thread, omp::Task& task, abi::CopyArguments copy, void* to, void* from,
                    size_t size) {
    if (copy == nullptr) {
        if (size != 0)
            std::memcpy(to, from, size);
        return;
    }
    omp::Task* const outer = thread.task;
    thread.task = &task;
    copy(to, from);
    thread.task = outer;
}

} // namespace

abi::GompCall::GompCall(omp::Thread& thread, Function function_called, void* data_passed, bool final)
    : function(function_called), data(data_passed) {
    omp::task_init(thread, *this, call_kind, final);
}

abi::ArgumentSpace::ArgumentSpace(size_t size, size_t alignment) {
    if (size <= small && alignment <= cache_line)
        return;
    heap_ = std::malloc(size + alignment);
    if (heap_ == nullptr)
        fatal("out of memory for a task");
    at_ = align_up(heap_, alignment);
}

// Arguments that the flags do not announce are not there: older compilers pass fewer.
GOSSAMER_EXPORT void GOMP_task(Function function, void* data, abi::CopyArguments copy, long size_passed,
                               long alignment_passed, bool if_clause, unsigned flags, void** depend, int,
                               void* detach) {
    omp::Thread& thread = omp::current();
    const auto size = static_cast<size_t>(size_passed);
    const size_t alignment = alignment_passed > 0 ? static_cast<size_t>(alignment_passed) : 1;
    if (omp::tasks_cancelled(thread, thread.task->taskgroup))
        return;

    const bool detachable = (flags & abi::task_detach) != 0;
    const bool final = (flags & abi::task_final) != 0;
    const bool undeferred = !if_clause || thread.icvs().final;
    const bool needs_depends =
        (flags & abi::task_depend) != 0 && (detachable || thread.task->depends != nullptr);
    abi::DependList depends(needs_depends ? abi::depend_count(depend) : 0);
    if (needs_depends)
        abi::decode_depends(depend, depends);

    if (detachable || (!undeferred && omp::task_would_wait(thread, depends.all()))) {
        GompTask& task = make_task(thread, function, size, alignment, final);
        task.detachable = detachable;
        if (detachable) {
            omp::Task* const event = &task;
            *static_cast<void**>(detach) = event;
            if (data != nullptr)
                *static_cast<void**>(data) = event; // the task's own copy of the handle comes first
        }
        copy_arguments(thread, task, copy, task.data, data, size);
        omp::task_submit(thread, task, depends.all(), undeferred);
        return;
    }

    fiber::scheduling_point();
    omp::taskwait(thread, depends.all());
    abi::GompCall call(thread, function, data, final);
    if (copy == nullptr) {
        omp::task_call(thread, call);
    } else {
        abi::ArgumentSpace space(size, alignment);
        copy_arguments(thread, call, copy, space.get(), data, size);
        call.data = space.get();
        omp::task_call(thread, call);
    }
}

// No device runs tasks of ours.
GOSSAMER_EXPORT void GOMP_PLUGIN_target_task_completion(void*) {}
