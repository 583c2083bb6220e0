// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Letting time pass. A thread that sleeps for a moment by the system keeps its carrier for some 50 us, which is what Linux
// makes of the shortest sleep. Programs do so again and again until another thread has done something: the barriers of Kokkos,
// locks that back off. That thread may be ready on this very carrier.
#include <algorithm>

#include "fiber/carrier.hpp"
#include "fiber/schedule.hpp"
#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

namespace {

constexpr std::uint64_t moment_ns = 50'000;

std::uint64_t left_until(std::uint64_t until_ns) {
    const std::uint64_t now_ns = os::now_ns();
    return until_ns > now_ns ? until_ns - now_ns : 0;
}

}  // namespace

std::uint64_t pass_time(std::uint64_t until_ns) {
    const Passing::Times times{cycles_in(10'000), cycles_in(100'000)};
    const Fiber& me = *self();
    me.carrier->passing.enter(arch::cycles(), times);
    std::uint64_t left_ns = left_until(until_ns);
    while (left_ns != 0) {
        const std::uint64_t rounds = me.carrier->passing.rounds();
        const bool any = yield();
        left_ns = left_until(until_ns);
        Carrier& here = *me.carrier;
        if (here.passing.must_sleep(arch::cycles(), here.counters.switches, any, rounds, times)) {
            const std::uint64_t some_ns = std::max<std::uint64_t>(left_ns, 1);  // a short sleep is no shorter than a moment
            return any ? std::min(some_ns, moment_ns) : some_ns;
        }
        if (!any) arch::pause();
    }
    me.carrier->passing.leave(arch::cycles());
    return 0;
}

}  // namespace gossamer::fiber
