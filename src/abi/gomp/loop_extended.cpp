// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs whose threads share more than a counter: task reductions, the program's memory (for scan), doacross progress. The
// first thread to enter prepares the share for the others.
#include "abi/gomp/loop.hpp"

using namespace gossamer;

void gossamer::abi::prepare_extended(omp::Thread& thread, const omp::Loop* loop, const uint64_t* counts, uint32_t ncounts,
                                     uintptr_t* reductions, void** memory) {
    const bool doacross = ncounts > 0 && thread.team->size > 1;
    thread.work.doacross = nullptr;
    if (!doacross && reductions == nullptr && memory == nullptr) return;
    omp::Share& share = *thread.work.share;
    if (omp::share_prepare(share)) {
        const size_t bytes = memory != nullptr ? reinterpret_cast<uintptr_t>(*memory) : 0;
        if (doacross) {
            omp::doacross_prepare(share, *loop, thread.team->size, counts, ncounts, bytes);
        } else if (memory != nullptr) {
            share.program = omp::share_allocate(share, bytes);
        }
        share.reductions = reductions;
        if (reductions != nullptr) omp::workshare_reduction_begin(thread, reductions, nullptr);
        omp::share_prepared(share);
    } else if (reductions != nullptr) {
        omp::workshare_reduction_begin(thread, reductions, static_cast<const uintptr_t*>(share.reductions));
    }
    if (doacross) omp::doacross_join(thread, share);
    if (memory != nullptr) *memory = share.program;
}

void gossamer::abi::start_extended(omp::Thread& thread, const omp::Loop& loop, const uint64_t* counts, uint32_t ncounts,
                                   uintptr_t* reductions, void** memory) {
    const bool doacross = ncounts > 0 && thread.team->size > 1;
    omp::Loop kept = loop;
    if (memory != nullptr) kept.monotonic = true;  // a conditional lastprivate needs each thread's last assignment
    omp::loop_start(thread, kept, doacross || reductions != nullptr || memory != nullptr);
    prepare_extended(thread, &kept, counts, ncounts, reductions, memory);
}
