// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/cycle_rate.hpp"

#include <gtest/gtest.h>

namespace gossamer::fiber {
namespace {

// Three cycles a nanosecond; the thread that reads them is away for 4 ms behind its reading number `away`.
struct Clocks {
    static constexpr double rate = 3;

    std::uint64_t time = 1'000'000;
    int away;
    int readings = 0;

    explicit Clocks(int reading) : away(reading) {}

    std::uint64_t cycles() { return static_cast<std::uint64_t>(rate * static_cast<double>(pass(10))); }
    std::uint64_t now_ns() { return pass(30); }
    void pause() { time += 15; }

private:
    std::uint64_t pass(std::uint64_t ns) {
        const std::uint64_t read = time;
        time += ns;
        if (++readings == away) time += 4'000'000;
        return read;
    }
};

TEST(CycleRate, IsWhatItIsWhereverTheThreadLosesItsProcessor) {
    Clocks at_rest(0);
    EXPECT_NEAR(cycle_rate(at_rest), Clocks::rate, .03);
    for (int away = 1; away <= at_rest.readings; ++away) {
        Clocks clocks(away);
        EXPECT_NEAR(cycle_rate(clocks), Clocks::rate, .03) << "away behind reading " << away;
    }
}

TEST(CycleRate, WaitsOnlyForTheRestBehindAnEarlierLook) {
    struct {
        std::uint64_t passed_ns, least_ns, most_ns;
    } const cases[] = {{50'000, 0, 1'000}, {5'000, 14'000, 16'000}};
    for (const auto& each : cases) {
        Clocks clocks(0);
        const ClockLook earlier = look_at(clocks);
        clocks.time += each.passed_ns;
        const std::uint64_t before = clocks.time;
        EXPECT_NEAR(cycle_rate(clocks, earlier), Clocks::rate, .03);
        EXPECT_GE(clocks.time - before, each.least_ns) << each.passed_ns;
        EXPECT_LE(clocks.time - before, each.most_ns) << each.passed_ns;
    }
}

TEST(CycleRate, TrustsNoLookOfLongAgo) {
    Clocks clocks(0);
    ClockLook earlier = look_at(clocks);
    earlier.cycles += 123'456'789;  // the machine slept, and counts anew
    clocks.time += 3'000'000'000;
    EXPECT_NEAR(cycle_rate(clocks, earlier), Clocks::rate, .03);
}

}  // namespace
}  // namespace gossamer::fiber
