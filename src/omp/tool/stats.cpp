// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/tool/stats.hpp"

#include "fiber/fiber.hpp"
#include "omp/icv/icv.hpp"

namespace gossamer::omp {

constinit Stats stats;

namespace {

// Other threads may still run, so the figures are those of this moment.
[[gnu::destructor]] void print_stats() {
    if (!stats.on.load(std::memory_order_relaxed)) return;
    const fiber::Counters sum = fiber::counters();
    const auto print = [](const char* what, std::uint64_t count) {
        say("%-52s %llu", what, static_cast<unsigned long long>(count));
    };
    say("what happened (GOSSAMER_STATS)");
    print("parallel regions of more than one thread", stats.regions.load(std::memory_order_relaxed));
    print("  with OpenMP threads in all", stats.threads.load(std::memory_order_relaxed));
    print("  of which ran as a plain call", sum.calls);
    print("parallel regions of one thread", stats.serial.load(std::memory_order_relaxed));
    print("switches from fiber to fiber", sum.switches);
    print("fibers and parts of teams taken from other carriers", sum.steals);
    print("relieved: run on a native thread of their own", sum.relieved);
    print("carriers put to sleep", sum.parks);
    print("carriers moved off another's processor", sum.partings);
    print("fibers made", sum.fibers);
}

}  // namespace

}  // namespace gossamer::omp
