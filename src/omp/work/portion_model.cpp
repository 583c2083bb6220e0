// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each chunk is taken exactly once, in two loops of the same slot, by owners that steal from each other, one of which
// may come late or not before the other is through.

#include "base/model/model.hpp"
#include "omp/work/portion.hpp"

using namespace gossamer;

namespace {

struct TwoLoops {
    static constexpr unsigned threads = 2;
    static constexpr bool may_sleep = false;
    static constexpr unsigned chunks = 3;  // blocks [0, 2) and [2, 3)

    using Portion = omp::BasicPortion<model::Atomics>;
    Portion portions[threads];
    model::Atomic<unsigned> left{0};
    model::Token all_left;
    int taken[2][chunks] = {};

    static Portion::Range block(unsigned thread) { return thread == 0 ? Portion::Range{0, 2} : Portion::Range{2, chunks}; }

    void run(unsigned thread) {
        work(thread, 0);
        // The share's recycling: nobody enters the slot's next loop before both have left this one.
        if (left.fetch_add(1, std::memory_order_relaxed) == 1) all_left.give();
        if (thread == 0) {
            all_left.take();
            work(thread, 1);
        }
    }

    void work(unsigned thread, unsigned loop) {
        Portion& mine = portions[thread];
        Portion& other = portions[1 - thread];
        mine.open(loop + 1, block(thread));
        for (;;) {
            std::uint32_t chunk = 0;
            while (mine.take_first(chunk)) take(loop, chunk);
            const Portion::Range stolen = other.steal(loop + 1, block(1 - thread), loop == 1);
            if (stolen.empty()) return;
            take(loop, stolen.begin);
            mine.fill(loop + 1, {stolen.begin + 1, stolen.end});
        }
    }

    void take(unsigned loop, std::uint32_t chunk) {
        model::require(chunk < chunks, "a chunk that is not there");
        ++taken[loop][chunk];
    }

    void finish() {
        for (const auto& each : taken) {
            for (const int times : each) model::require(times == 1, "a chunk was not taken exactly once");
        }
    }
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("portion");
    suite.add<TwoLoops>("two loops");
    return suite.run(argc, argv);
}
