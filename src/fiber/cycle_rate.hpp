// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rate of arch::cycles, from two looks at it and at the system's clock. The thread may lose its processor between the two
// clocks of one look, for a turn that is hundreds of times as long as what lies between the looks, and every time that the
// scheduler counts in cycles would be wrong by that factor for the rest of the process. So a look reads the cycles on both
// sides of the clock, several times, and keeps the reading with the least in between.
#pragma once

#include <cstdint>

namespace gossamer::fiber {

/// What both clocks showed at one time; ns 0: none was taken.
struct ClockLook {
    std::uint64_t cycles = 0, ns = 0;
};

/// `clocks` has cycles() and now_ns().
template <class Clocks>
ClockLook look_at(Clocks& clocks) {
    ClockLook look;
    std::uint64_t closest = ~std::uint64_t{0};
    for (int reading = 0; reading < 4; ++reading) {
        const std::uint64_t before = clocks.cycles();
        const std::uint64_t time = clocks.now_ns();
        const std::uint64_t between = clocks.cycles() - before;
        if (between >= closest) continue;
        closest = between;
        look = {before + between / 2, time};
    }
    return look;
}

/// Cycles a nanosecond, good to a few per cent, which is all that a patience needs. `clocks` has pause(), too. Takes about 20
/// us, or as much less as `earlier` lies back; unless that was long ago, since a machine that slept may count its cycles anew.
template <class Clocks>
double cycle_rate(Clocks& clocks, const ClockLook& earlier = {}) {
    constexpr std::uint64_t sample_ns = 20'000, recent_ns = 10'000'000;
    const ClockLook now = look_at(clocks);
    const ClockLook begin = earlier.ns != 0 && now.ns - earlier.ns < recent_ns ? earlier : now;
    ClockLook end = now;
    while (end.ns - begin.ns < sample_ns) {
        while (clocks.now_ns() - begin.ns < sample_ns) clocks.pause();
        end = look_at(clocks);
    }
    return static_cast<double>(end.cycles - begin.cycles) / static_cast<double>(end.ns - begin.ns);
}

}  // namespace gossamer::fiber
