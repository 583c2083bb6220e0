// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depend clauses as gcc lays them out (OpenMP 5.2 §15.9.5): an array of words.
//   n, outs, addresses of outs, then of ins                                            with n > 0, or
//   0, n, outs, mutexinoutsets, ins, addresses in this order, then of depend objects,
// where a depend object is an address and a kind. An out at address 0 is omp_all_memory.
#include "abi/gomp/task.hpp"

using namespace gossamer;
using omp::DependKind;

namespace {

enum ObjectKind : uintptr_t { in = 1, out = 2, inout = 3, mutexinoutset = 4, inoutset = 5 };

size_t number(void* word) { return reinterpret_cast<uintptr_t>(word); }

DependKind out_kind(const void* address) { return address == nullptr ? DependKind::all_memory : DependKind::exclusive; }

void add_object(abi::DependList& list, void** object) {
    switch (number(object[1])) {
        case in: list.add(object[0], DependKind::in); break;
        case inoutset: list.add(object[0], DependKind::inoutset); break;
        case mutexinoutset: list.add(object[0], DependKind::mutexinoutset); break;
        case out:
        case inout: list.add(object[0], out_kind(object[0])); break;
        default: fatal("a depend object has kind %zu, which is none", number(object[1]));
    }
}

size_t depend_count(void** depend) { return number(depend[0] != nullptr ? depend[0] : depend[1]); }

}  // namespace

abi::GompDepends::GompDepends(bool needed, void** depend) : list_(needed ? depend_count(depend) : 0) {
    const size_t count = needed ? depend_count(depend) : 0;
    if (count == 0) return;  // an iterator without values: two words, which look like the long form but have no more
    const bool short_form = depend[0] != nullptr;
    void** const items = depend + (short_form ? 2 : 5);
    const size_t outs = number(depend[short_form ? 1 : 2]);
    const size_t mutexes = short_form ? 0 : number(depend[3]);
    const size_t ins = short_form ? count - outs : number(depend[4]);
    for (size_t i = 0; i < count; ++i) {
        if (i < outs) {
            list_.add(items[i], out_kind(items[i]));
        } else if (i < outs + mutexes) {
            list_.add(items[i], DependKind::mutexinoutset);
        } else if (i < outs + mutexes + ins) {
            list_.add(items[i], DependKind::in);
        } else {
            add_object(list_, static_cast<void**>(items[i]));
        }
    }
}

// Also what target constructs call before their block.
GOSSAMER_EXPORT void GOMP_taskwait_depend(void** depend) {
    omp::Thread& thread = omp::current();
    abi::GompDepends depends(omp::dependences_matter(thread, false), depend);
    depends.put_sets_in_order();
    omp::taskwait(thread, depends.all());
}

GOSSAMER_EXPORT void GOMP_taskwait_depend_nowait(void** depend) {
    omp::Thread& thread = omp::current();
    const abi::GompDepends depends(omp::dependences_matter(thread, false), depend);
    omp::taskwait_nowait(thread, depends.all());
}
