// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/queues.hpp"

#include "fiber/process_for_test.hpp"

namespace gossamer::fiber {
namespace {

struct Round {
    std::atomic<bool> offered{false}, taken{false}, over{false};
};

// On the worker's home: looks around until it finds something, which the carrier runs next, or until another thread has run it.
void look_around_for_it(void* argument) {
    Round& round = *static_cast<Round*>(argument);
    while (!round.offered) {}
    Carrier& carrier = *caller_carrier();
    while (!round.over && !round.taken) {
        const Item item = look_around(carrier);
        if (!item) continue;
        round.taken = true;
        ASSERT_TRUE(carrier.deque.push(item));
    }
}

// Of two numbers the caller runs the first, and does not end before the second has run. The monitor may be quicker than the
// worker, but not always.
TEST(Stealing, ALookFindsWhatLiesBehindALongCall) {
    in_process(with_carriers(2), [] {
        constexpr int rounds = 300;
        TestTeam& team = new_team(2);
        bool taken = false;
        for (int i = 0; i < rounds && !taken; ++i) {
            Round round;
            Fiber* const home = worker_home(1);
            start_now(home, {look_around_for_it, &round, nullptr, false}, 1);
            team.run_with_caller(2, [&](std::uint32_t number) {
                if (number != 0) round.over = true;
                round.offered = true;
                while (!round.over) {}
            });
            while (!has_served(*home)) yield();
            taken = round.taken;
        }
        EXPECT_TRUE(taken);
    });
}

}  // namespace
}  // namespace gossamer::fiber
