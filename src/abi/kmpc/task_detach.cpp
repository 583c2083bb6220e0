// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks that are complete when a call says so: the detach clause (OpenMP 5.2 §12.5), and libomp's older proxy tasks.
#include "abi/kmpc/task.hpp"

using namespace gossamer;
using abi::Ident;
using abi::TaskRecord;

// The event handle of a task that is not submitted yet.
GOSSAMER_EXPORT void* __kmpc_task_allow_completion_event(Ident*, int, TaskRecord* record) {
    omp::Task& task = abi::task_of(record);
    task.make_detachable();
    return &task;
}

GOSSAMER_EXPORT void __kmpc_proxy_task_completed(int32_t, TaskRecord* record) { omp::task_fulfil(abi::task_of(record)); }

// The caller need not be an OpenMP thread.
GOSSAMER_EXPORT void __kmpc_proxy_task_completed_ooo(TaskRecord* record) { omp::task_fulfil(abi::task_of(record)); }

// No task of ours waits for a device.
GOSSAMER_EXPORT bool __kmpc_omp_has_task_team(int32_t) { return false; }
GOSSAMER_EXPORT void** __kmpc_omp_get_target_async_handle_ptr(int32_t) { return nullptr; }
