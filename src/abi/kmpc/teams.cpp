// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The teams construct on the host (OpenMP 5.2 §10.2).
#include "abi/kmpc/outlined.hpp"

using namespace gossamer;
using abi::Ident;
using abi::Microtask;

namespace {

void run(omp::Thread&, void*, void* data) { abi::call(*static_cast<const abi::Outlined*>(data), 0); }

uint32_t positive(int32_t value) { return value > 0 ? static_cast<uint32_t>(value) : 0; }

}  // namespace

GOSSAMER_EXPORT void __kmpc_push_num_teams(Ident*, int32_t, int32_t teams, int32_t thread_limit) {
    omp::Pushed& pushed = omp::current().work.pushed;
    pushed.num_teams_lower = pushed.num_teams_upper = positive(teams);
    pushed.thread_limit = positive(thread_limit);
}

GOSSAMER_EXPORT void __kmpc_push_num_teams_51(Ident*, int32_t, int32_t lower, int32_t upper, int32_t thread_limit) {
    omp::Pushed& pushed = omp::current().work.pushed;
    pushed.num_teams_lower = positive(lower);
    pushed.num_teams_upper = positive(upper);
    pushed.thread_limit = positive(thread_limit);
}

// thread_limit of a target construct.
GOSSAMER_EXPORT void __kmpc_set_thread_limit(Ident*, int32_t, int32_t limit) {
    if (limit > 0) omp::current().change_icvs().thread_limit = static_cast<uint32_t>(limit);
}

GOSSAMER_EXPORT void __kmpc_fork_teams(Ident*, int32_t count, Microtask microtask, ...) {
    GOSSAMER_OUTLINED(outlined, microtask, count, microtask);
    omp::Thread& thread = omp::current();
    const omp::Pushed pushed = thread.work.pushed;
    thread.work.pushed = {};
    omp::Region region{run, &outlined};
    region.function = reinterpret_cast<void*>(microtask);
    omp::teams(thread, pushed.num_teams_upper, pushed.thread_limit, region);
}
