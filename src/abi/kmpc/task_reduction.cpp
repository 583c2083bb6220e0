// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Task reductions (OpenMP 5.2 §5.5.6-5.5.10).
#include "abi/kmpc/kmpc.hpp"

using namespace gossamer;
using abi::Ident;

namespace {

// A variable of a task reduction. OldItem: its initialiser takes no original.
struct OldItem {
    void* variable;
    size_t size;
    void* init;
    void* fini;
    void* combine;
    uint32_t flags;  // a hint: make the copies only when they are used
};

struct Item {
    void* variable;
    void* original;
    size_t size;
    void* init;
    void* fini;
    void* combine;
    uint32_t flags;
};

void decode(omp::ReductionItem& to, const OldItem& from) {
    to.variable = from.variable;
    to.size = from.size;
    to.init = from.init;
    to.fini = reinterpret_cast<void (*)(void*)>(from.fini);
    to.combine = reinterpret_cast<void (*)(void*, void*)>(from.combine);
}

void decode(omp::ReductionItem& to, const Item& from) {
    decode(to, OldItem{from.variable, from.size, from.init, from.fini, from.combine, from.flags});
    to.original = from.original != nullptr ? from.original : from.variable;
}

template <class From>
omp::TaskReductions& decode_all(int count, const From* from) {
    omp::TaskReductions& reductions = omp::task_reductions(static_cast<uint32_t>(count));
    for (int i = 0; i < count; ++i) decode(reductions.items[i], from[i]);
    return reductions;
}

template <class From>
void* begin_taskgroup(int count, const void* items) {
    omp::Thread& thread = omp::current();
    if (thread.team->size > 1) omp::reduction_begin_taskgroup(thread, decode_all(count, static_cast<const From*>(items)));
    return thread.task->taskgroup;
}

template <class From>
void* begin_region(bool worksharing, int count, const void* items) {
    omp::Thread& thread = omp::current();
    if (thread.team->size > 1) {
        omp::reduction_begin_region(thread, decode_all(count, static_cast<const From*>(items)), worksharing);
    } else {
        omp::taskgroup_begin(thread);
    }
    return thread.task->taskgroup;
}

}  // namespace

GOSSAMER_EXPORT void* __kmpc_task_reduction_init(int, int count, void* items) { return begin_taskgroup<OldItem>(count, items); }

GOSSAMER_EXPORT void* __kmpc_taskred_init(int, int count, void* items) { return begin_taskgroup<Item>(count, items); }

GOSSAMER_EXPORT void* __kmpc_task_reduction_modifier_init(Ident*, int, int worksharing, int count, void* items) {
    return begin_region<OldItem>(worksharing != 0, count, items);
}

GOSSAMER_EXPORT void* __kmpc_taskred_modifier_init(Ident*, int, int worksharing, int count, void* items) {
    return begin_region<Item>(worksharing != 0, count, items);
}

GOSSAMER_EXPORT void __kmpc_task_reduction_modifier_fini(Ident*, int, int) { omp::taskgroup_end(omp::current()); }

GOSSAMER_EXPORT void* __kmpc_task_reduction_get_th_data(int, void* group, void* address) {
    return omp::reduction_copy(omp::current(), static_cast<omp::Taskgroup*>(group), address);
}
