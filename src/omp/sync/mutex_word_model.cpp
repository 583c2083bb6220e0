// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One has the mutex at a time and sees what the last one wrote, and no sleeper is left: whoever sleeps, and whenever it is
// woken.

#include <cstdint>

#include "base/model/lock.hpp"
#include "base/model/model.hpp"
#include "omp/sync/mutex_word.hpp"

using namespace gossamer;

namespace {

/// `count` threads that lock `rounds` times each. Who does not get the mutex tries `tries` times more before it sleeps.
template <unsigned count, unsigned rounds, unsigned tries, std::uint32_t patience>
struct Contest {
    static constexpr unsigned threads = count;
    static constexpr bool may_sleep = false;

    omp::BasicMutexWord<model::Atomics, patience> word;
    model::Lock bucket;
    model::Var<unsigned> queue;  // who sleeps, as thread + 1 in four bits each, the oldest lowest
    model::Token token[count];
    model::Var<unsigned> inside;

    bool sleep(unsigned me, std::uint32_t prepared) {
        bucket.lock();
        const bool stays = word.may_sleep(prepared);
        if (stays) {
            const unsigned before = queue.get();
            unsigned behind = 0;
            while (before >> behind != 0) behind += 4;
            queue.set(before | (me + 1) << behind);
        }
        bucket.unlock();
        if (stays) token[me].take();
        return stays;
    }

    void lock(unsigned me) {
        if (word.try_take()) return;
        for (bool heir = false;;) {
            for (unsigned i = 0; i < tries; ++i) {
                if (heir ? word.try_take_as_heir() : word.try_take()) return;
            }
            const std::uint32_t prepared = word.prepare_to_sleep(heir);
            if (prepared == 0) return;
            heir = sleep(me, prepared);
        }
    }

    void unlock() {
        if (word.release()) return;
        bucket.lock();
        const unsigned all = queue.get(), first = all & 15;
        queue.set(all >> 4);
        word.release_to(first != 0, all >> 4 != 0);
        bucket.unlock();
        if (first != 0) token[first - 1].give();
    }

    void run(unsigned thread) {
        for (unsigned round = 0; round < rounds; ++round) {
            lock(thread);
            inside.set(inside.get() + 1);
            unlock();
            model::forget(round);
        }
    }

    void finish() {
        model::require(inside.get() == count * rounds, "two were inside at once");
        const std::uint32_t left = word.look();
        model::require(word.is_free(left) && word.try_take() && word.release(),
                       "it is not free, or still believes in sleepers");
        for (const model::Token& each : token) model::require(each.left() == 0, "a waiter was resumed twice");
    }
};

struct Pair : Contest<2, 3, 0, 64> {
    static constexpr unsigned preemptions = 5;
};
struct PairThatTries : Contest<2, 2, 1, 64> {};
struct Three : Contest<3, 2, 0, 64> {
    static constexpr unsigned preemptions = 3;
};
struct ThreeThatTry : Contest<3, 2, 1, 64> {
    static constexpr unsigned preemptions = 3;
};
struct Four : Contest<4, 1, 0, 64> {
    static constexpr unsigned preemptions = 2;
};
struct LateHeirs : Contest<3, 2, 1, 2> {
    static constexpr unsigned preemptions = 3;
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("mutex word");
    suite.add<Pair>("a pair, often");
    suite.add<PairThatTries>("a pair that tries again, twice");
    suite.add<Three>("three, twice");
    suite.add<ThreeThatTry>("three that try again, twice");
    suite.add<Four>("four");
    suite.add<LateHeirs>("three, whose heirs are late");
    return suite.run(argc, argv);
}
