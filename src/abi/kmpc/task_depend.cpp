// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks and taskwait with depend clauses (OpenMP 5.2 §15.9.5). The program itself
// puts the items of depend objects into the list.
#include "abi/kmpc/task.hpp"

using namespace gossamer;
using abi::DependInfo;
using abi::Ident;
using abi::KmpcDepends;
using abi::KmpcTask;
using abi::TaskRecord;

namespace {

enum Flag : uint8_t { in = 1, out = 2, mutexinoutset = 4, inoutset = 8, all_memory = 0x80 };

// An item that stands for omp_all_memory has the flag, or this address.
constexpr intptr_t everywhere = -1;

omp::DependKind decode(const DependInfo& item) {
    const uint8_t flags = item.flags;
    if ((flags & all_memory) != 0 || item.address == everywhere) return omp::DependKind::all_memory;
    if ((flags & out) != 0) return omp::DependKind::exclusive;
    if ((flags & mutexinoutset) != 0) return omp::DependKind::mutexinoutset;
    return (flags & inoutset) != 0 ? omp::DependKind::inoutset : omp::DependKind::in;
}

}  // namespace

abi::KmpcDepends::KmpcDepends(bool needed, int32_t count, const DependInfo* list, int32_t noalias_count,
                              const DependInfo* noalias)
    : list_(needed ? static_cast<size_t>(count) + static_cast<size_t>(noalias_count) : 0) {
    if (!needed) return;
    const auto add = [this](const DependInfo& item) { list_.add(reinterpret_cast<const void*>(item.address), decode(item)); };
    for (int32_t i = 0; i < count; ++i) add(list[i]);
    for (int32_t i = 0; i < noalias_count; ++i) add(noalias[i]);
}

namespace {

// Submits a task of any kind, for any caller.
GOSSAMER_NOINLINE int32_t submit_any(TaskRecord* record, int32_t count, const DependInfo* list, int32_t noalias_count,
                                     const DependInfo* noalias) {
    omp::Thread& thread = omp::current();
    KmpcTask& task = abi::task_of(record);
    const bool needed = thread.team->size != 1 || omp::dependences_matter(thread, task.detachable);
    const KmpcDepends depends(needed, count, list, noalias_count, noalias);
    abi::submit_task(thread, task, depends.all());
    return 0;
}

}  // namespace

// A task that needs nothing but a call is executed here.
GOSSAMER_EXPORT int32_t __kmpc_omp_task_with_deps(Ident*, int32_t, TaskRecord* record, int32_t count, const DependInfo* list,
                                                  int32_t noalias_count, const DependInfo* noalias) {
    omp::Thread* const known = omp::known_current();
    KmpcTask& task = abi::task_of(record);
    if (GOSSAMER_UNLIKELY(known == nullptr || task.marks != 0 || !task.plain || known->task == &task ||
                          !omp::call_is_enough(*known))) {
        return submit_any(record, count, list, noalias_count, noalias);
    }
    abi::execute_here(*known, task);
    return 0;
}

// Also what the program calls before the block of an undeferred task.
GOSSAMER_EXPORT void __kmpc_omp_taskwait_deps_51(Ident*, int32_t, int32_t count, const DependInfo* list, int32_t noalias_count,
                                                 const DependInfo* noalias, int32_t nowait) {
    omp::Thread& thread = omp::current();
    KmpcDepends depends(omp::dependences_matter(thread, false), count, list, noalias_count, noalias);
    if (nowait != 0) return omp::taskwait_nowait(thread, depends.all());
    depends.put_sets_in_order();
    omp::taskwait(thread, depends.all());
}

GOSSAMER_EXPORT void __kmpc_omp_wait_deps(Ident* where, int32_t gtid, int32_t count, const DependInfo* list,
                                          int32_t noalias_count, const DependInfo* noalias) {
    __kmpc_omp_taskwait_deps_51(where, gtid, count, list, noalias_count, noalias, 0);
}
