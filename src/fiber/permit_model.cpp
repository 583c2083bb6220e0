// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fiber waits twice, each time notified by another thread. Its context must be complete when it is resumed, what the
// notifier wrote must be there, and each wait must end in exactly one resume.

#include "base/model/model.hpp"
#include "fiber/permit.hpp"

using namespace gossamer;

namespace {

/// Thread 0 is the fiber together with the carriers it runs on, threads 1 and 2 notify one wait each. `known`
/// stands for the lock under which a waiter makes itself known, `ready` for the queue of a carrier.
struct TwoWaits {
    static constexpr unsigned threads = 3;
    static constexpr bool may_sleep = false;

    fiber::BasicPermit<model::Atomics> permit;
    model::Token known[2];
    model::Token ready;
    model::Var<unsigned> context;
    model::Var<unsigned> message;

    void run(unsigned thread) {
        if (thread != 0) return notify(thread - 1);
        wait(0);
        wait(1);
    }

    void wait(unsigned number) {
        permit.reset();
        known[number].give();
        if (!permit.notified()) {
            context.set(number + 1);
            if (permit.park()) ready.take();
        }
        model::require(message.get() == number + 1, "the fiber went on without what its notifier wrote");
    }

    void notify(unsigned number) {
        known[number].take();
        message.set(number + 1);
        if (!permit.notify()) return;
        model::require(context.get() == number + 1, "made ready before its context was saved");
        ready.give();
    }

    void finish() { model::require(ready.left() == 0, "made ready twice"); }
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("permit");
    suite.add<TwoWaits>("two waits");
    return suite.run(argc, argv);
}
