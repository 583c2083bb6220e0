// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many tiny tasks with dependences, of every kind for which an ABI has a path of its own. Each task finds the result of its
// predecessor, whichever thread executes it, and however often the tasks are not worth stealing.
#include <atomic>
#include "check.h"

namespace {

struct Plain {
    explicit Plain(long number) : number(number) {}
    long number;
};

// The compiler's code copies such an object for the task, and destroys the copy.
class Copied {
public:
    explicit Copied(long number) : number(number) {}
    Copied(const Copied& other) : number(other.number) {}
    ~Copied() { number = -1; }
    long number;
};

constexpr long chains = 61;

// The tasks of `chains` chains take turns. Each task checks how many tasks of its chain ran before it.
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
