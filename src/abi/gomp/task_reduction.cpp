// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Task reductions (OpenMP 5.2 §5.5.6-5.5.10); those of loops, sections and scope begin with the construct.
#include "abi/bind_clause.hpp"
#include "abi/gomp/gomp.hpp"

using namespace gossamer;
using abi::Function;

namespace {

struct Call {
    Function function;
    void* data;
    omp::Taskgroup group;
};

// Every implicit task of the region is in the one taskgroup.
void run(omp::Thread& thread, void*, void* data) {
    Call& call = *static_cast<Call*>(data);
    thread.task->taskgroup = &call.group;
    call.function(call.data);
    thread.task->taskgroup = nullptr;
}

}  // namespace

GOSSAMER_EXPORT void GOMP_taskgroup_reduction_register(uintptr_t* data) {
    omp::Thread& thread = omp::current();
    omp::gnu_reduction_register(*thread.task->taskgroup, data, thread.team->size);
}

GOSSAMER_EXPORT void GOMP_taskgroup_reduction_unregister(uintptr_t* data) { omp::gnu_reduction_unregister(data); }

GOSSAMER_EXPORT void GOMP_task_reduction_remap(size_t count, size_t originals, void** addresses) {
    omp::gnu_reduction_remap(omp::current(), count, originals, addresses);
}

GOSSAMER_EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled) {
    omp::workshare_reduction_end(omp::current(), cancelled);
}

// The arguments begin with the reductions' array. Returns the number of threads, whose copies the program has to combine.
GOSSAMER_EXPORT unsigned GOMP_parallel_reductions(Function function, void* data, unsigned threads, unsigned flags) {
    omp::Thread& thread = omp::current();
    Call call{function, data, {}};
    // The team may turn out smaller than it asks for, never larger; asked again, dyn-var might allow more threads.
    const uint32_t most = omp::team_size(thread, threads, true);
    omp::gnu_reduction_register(call.group, *static_cast<uintptr_t**>(data), most);
    omp::Thread& primary = omp::parallel_begin(thread, most, true, {run, &call, abi::bind_clause(flags & 7)});
    const unsigned size = primary.team->size;
    run(primary, nullptr, &call);
    omp::parallel_end(primary);
    return size;
}
