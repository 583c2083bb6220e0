// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rate of arch::cycles, from two looks at it and at the system's clock. The thread may lose its processor between the two
// clocks of one look, for a turn that is hundreds of times as long as what lies between the looks, and every time that the
// scheduler counts in cycles would be wrong by that factor for the rest of the process. So a look reads the cycles on both
// sides of the clock, several times, and keeps the reading with the least in between.
#pragma once

#include <cstdint>

namespace gossamer::fiber {

/// Cycles a nanosecond, good to a few per cent, which is all that a patience needs. `clocks` has cycles(), now_ns() and
/// pause(). Takes about 20 us.
template <class Clocks>
double cycle_rate(Clocks& clocks) {
    struct Look {
        std::uint64_t cycles = 0, ns = 0;

        explicit Look(Clocks& from) {
            std::uint64_t closest = ~std::uint64_t{0};
            for (int reading = 0; reading < 4; ++reading) {
                const std::uint64_t before = from.cycles();
                const std::uint64_t time = from.now_ns();
                const std::uint64_t between = from.cycles() - before;
                if (between >= closest) continue;
                closest = between;
                cycles = before + between / 2;
                ns = time;
            }
        }
    };
    constexpr std::uint64_t sample_ns = 20'000;
    const Look begin(clocks);
    while (clocks.now_ns() - begin.ns < sample_ns) clocks.pause();
    const Look end(clocks);
    return static_cast<double>(end.cycles - begin.cycles) / static_cast<double>(end.ns - begin.ns);
}

}  // namespace gossamer::fiber
