// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many tasks with dependences that do next to nothing, of every kind that an ABI has ways of its own for: each finds what its
// predecessor has left, whoever executes it, and however often it is not worth stealing.
#include <atomic>
#include "check.h"

namespace {

struct Plain {
    explicit Plain(long number) : number(number) {}
    long number;
};

// The program copies it for the task, and destroys the copy.
class Copied {
public:
    explicit Copied(long number) : number(number) {}
    Copied(const Copied& other) : number(other.number) {}
    ~Copied() { number = -1; }
    long number;
};

constexpr long chains = 61;

// The tasks of `chains` chains come round and round; each task finds how many of its chain were before it.
template <class Value>
void in_chains(int width, bool all_kinds) {
    constexpr long tasks = 3000;
    long at[chains] = {};
    std::atomic<long> wrong{0};
#pragma omp parallel num_threads(width)
#pragma omp single
    for (long i = 0; i < tasks; ++i) {
        const Value value(i / chains);
        long* const mine = &at[i % chains];
        const auto step = [&wrong](long* mine, long number) {
            if ((*mine)++ != number) ++wrong;
        };
        if (all_kinds && i % 7 == 0) {
#pragma omp task depend(inout : mine[0]) firstprivate(value, mine, step) untied
            step(mine, value.number);
        } else if (all_kinds && i % 5 == 0) {
#pragma omp task depend(inout : mine[0]) firstprivate(value, mine, step) if (0)
            step(mine, value.number);
        } else if (all_kinds && i % 3 == 0) {
#pragma omp task depend(inout : mine[0]) firstprivate(value, mine, step) priority(1)
            step(mine, value.number);
        } else {
#pragma omp task depend(inout : mine[0]) firstprivate(value, mine, step)
            step(mine, value.number);
        }
    }
    EXPECT_EQ(wrong.load(), 0);
    long sum = 0;
    for (const long each : at) sum += each;
    EXPECT_EQ(sum, tasks);
}

template <class Value>
void either_way(int width) {
    in_chains<Value>(width, false);
    in_chains<Value>(width, true);
}

}  // namespace

int main() {
    check("plain", either_way<Plain>);
    check("copied", either_way<Copied>);
    return check_done();
}
