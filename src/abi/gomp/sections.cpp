// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections construct (OpenMP 5.2 §11.3). The program numbers its sections from 1; 0: none is left.
#include "abi/gomp/sections.hpp"
#include "abi/gomp/loop.hpp"

using namespace gossamer;

namespace {

unsigned next(omp::Thread& thread) {
    const uint64_t section = omp::sections_next(thread);
    return section < thread.work.loop.count ? static_cast<unsigned>(section) + 1 : 0;
}

}  // namespace

void gossamer::abi::start_sections(omp::Thread& thread, unsigned count) {
    fiber::scheduling_point();
    omp::share_enter(thread);
    thread.work.loop.count = count;
}

GOSSAMER_EXPORT unsigned GOMP_sections_start(unsigned count) {
    omp::Thread& thread = omp::current();
    abi::start_sections(thread, count);
    return next(thread);
}

GOSSAMER_EXPORT unsigned GOMP_sections2_start(unsigned count, uintptr_t* reductions, void** memory) {
    omp::Thread& thread = omp::current();
    abi::start_sections(thread, count);
    abi::prepare_extended(thread, nullptr, nullptr, 0, reductions, memory);
    return next(thread);
}

GOSSAMER_EXPORT unsigned GOMP_sections_next() { return next(omp::current()); }

GOSSAMER_EXPORT void GOMP_sections_end() {
    omp::Thread& thread = omp::current();
    omp::share_leave(thread);
    omp::barrier(thread);
}

GOSSAMER_EXPORT bool GOMP_sections_end_cancel() {
    omp::Thread& thread = omp::current();
    omp::share_leave(thread);
    return omp::barrier(thread, true);
}

GOSSAMER_EXPORT void GOMP_sections_end_nowait() { omp::share_leave(omp::current()); }
