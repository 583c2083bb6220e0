// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static loops as gcc compiles them after version 15: the program deals out the iterations itself and asks for both numbers
// that it needs at once: how many threads or teams share the loop (real part) and the caller's number (imaginary part). The
// other entries are for tools.
#include "abi/gomp/gomp.hpp"

using namespace gossamer;
using abi::Ull;

namespace {

using Numbers = __complex__ int;

Numbers numbers(uint32_t size, uint32_t num) {
    Numbers result;
    __real__ result = static_cast<int>(size);
    __imag__ result = static_cast<int>(num);
    return result;
}

Numbers team_numbers() {
    fiber::scheduling_point();
    const omp::Thread& thread = omp::current();
    return numbers(thread.team->size, thread.num);
}

Numbers league_numbers() {
    const omp::Thread& thread = omp::current();
    return numbers(omp::num_teams(thread), omp::team_num(thread));
}

}  // namespace

GOSSAMER_EXPORT Numbers GOMP_loop_static_worksharing(Ull) { return team_numbers(); }
GOSSAMER_EXPORT Numbers GOMP_loop_static_worksharing_start(Ull) { return team_numbers(); }
GOSSAMER_EXPORT void GOMP_loop_static_worksharing_dispatch(Ull, Ull) {}
GOSSAMER_EXPORT void GOMP_loop_static_worksharing_end() {}

GOSSAMER_EXPORT Numbers GOMP_distribute_static_worksharing(Ull) { return league_numbers(); }
GOSSAMER_EXPORT Numbers GOMP_distribute_static_worksharing_start(Ull) { return league_numbers(); }
GOSSAMER_EXPORT void GOMP_distribute_static_worksharing_dispatch(Ull, Ull) {}
GOSSAMER_EXPORT void GOMP_distribute_static_worksharing_end() {}
