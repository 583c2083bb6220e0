// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections dealt out one by one (OpenMP 5.2 §11.3). clang makes a static loop of them instead.
#include "abi/kmpc/kmpc.hpp"

using namespace gossamer;
using abi::Ident;

// Returns 0 if the team has one thread, which has to execute every section without asking.
GOSSAMER_EXPORT int32_t __kmpc_sections_init(Ident*, int32_t) {
    omp::Thread& thread = omp::current();
    if (thread.team->size == 1) return 0;
    fiber::scheduling_point();
    omp::share_enter(thread);
    return 1;
}

// Returns the number of a section, from 0; `sections` when none is left.
GOSSAMER_EXPORT int32_t __kmpc_next_section(Ident*, int32_t, int32_t sections) {
    omp::Thread& thread = omp::current();
    if (thread.work.share == nullptr) return sections;
    const uint64_t section = omp::sections_next(thread);
    if (section < static_cast<uint64_t>(sections)) return static_cast<int32_t>(section);
    omp::share_leave(thread);
    return sections;
}

GOSSAMER_EXPORT void __kmpc_end_sections(Ident*, int32_t) { omp::share_leave(omp::current()); }
