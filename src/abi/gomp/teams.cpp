// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The teams construct on the host (OpenMP 5.2 §10.2).
#include "abi/gomp/gomp.hpp"

using namespace gossamer;
using abi::Function;

namespace {

struct Call {
    Function function;
    void* data;
};

void run(omp::Thread&, void*, void* data) {
    const Call& call = *static_cast<const Call*>(data);
    call.function(call.data);
}

}  // namespace

// teams outside of target. An argument of 0: there is no such clause.
GOSSAMER_EXPORT void GOMP_teams_reg(Function function, void* data, unsigned teams, unsigned thread_limit, unsigned) {
    Call call{function, data};
    omp::Region region{run, &call};
    region.function = reinterpret_cast<void*>(function);
    omp::teams(omp::current(), teams, thread_limit, region);
}

// teams inside a target region: the program executes the body once, or, with the newer entry, as long as this returns true.
// `first`: this is the first call. What is set here ends with the target region.
GOSSAMER_EXPORT void GOMP_teams(unsigned, unsigned thread_limit) { omp::league_begin(omp::current(), 1, thread_limit); }

GOSSAMER_EXPORT bool GOMP_teams4(unsigned, unsigned upper, unsigned thread_limit, bool first) {
    omp::Thread& thread = omp::current();
    if (!first) return omp::league_next(thread);
    omp::league_begin(thread, upper, thread_limit);
    return true;
}
