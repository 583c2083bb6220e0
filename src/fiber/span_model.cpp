// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each number of an arming is taken exactly once, by a thread that sees the fields of that arming, also when a thief comes
// with a pointer from an earlier one.

#include "base/model/model.hpp"
#include "fiber/span.hpp"

using namespace gossamer;

namespace {

/// The owner arms the span for two regions in a row and takes from the front; two thieves that know nothing
/// of regions take halves. `done` counts the numbers reported; the owner arms again only when all are.
struct TwoRegions {
    static constexpr unsigned threads = 3;
    static constexpr bool may_sleep = false;
    static constexpr unsigned width = 3;

    fiber::BasicSpan<model::Atomics> span;
    model::Atomic<unsigned> done{0};
    model::Token all_done;
    model::Var<unsigned> region;
    int taken[2][width] = {};

    void run(unsigned thread) {
        if (thread == 0) {
            own(0);
            own(1);
        } else {
            std::uint32_t lo = 0;
            std::uint32_t hi = 0;
            if (span.take_half(lo, hi)) work(lo, hi);
        }
    }

    void own(unsigned number) {
        region.set(number);
        done.store(0, std::memory_order_relaxed);
        span.arm(0, width);
        std::uint32_t mine = 0;
        while (span.take_first(mine)) work(mine, mine + 1);
        all_done.take();
    }

    void work(unsigned lo, unsigned hi) {
        model::require(lo < hi && hi <= width, "a take that is out of range");
        for (unsigned i = lo; i < hi; ++i) ++taken[region.get()][i];
        if (done.fetch_add(hi - lo, std::memory_order_acq_rel) + hi - lo == width) all_done.give();
    }

    void finish() {
        for (const auto& each : taken) {
            for (const int times : each) model::require(times == 1, "a number was not taken exactly once");
        }
    }
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("span");
    suite.add<TwoRegions>("two regions");
    return suite.run(argc, argv);
}
