// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// declare reduction: a struct with an initializer, a class with constructor and destructor, a container.
#include <atomic>
#include <string>
#include <vector>
#include "check.h"

namespace {

struct Range {
    int low, high;
};

void merge(Range& into, const Range& from) {
    into.low = from.low < into.low ? from.low : into.low;
    into.high = from.high > into.high ? from.high : into.high;
}

#pragma omp declare reduction(span:Range : merge(omp_out, omp_in)) initializer(omp_priv = {1 << 30, -(1 << 30)})

void with_initializer(int width) {
    Range range = {50, 50};
#pragma omp parallel for num_threads(width) reduction(span : range)
    for (int i = 0; i < 100; ++i) merge(range, Range{i - 20, i});
    EXPECT_EQ(range.low, -20);
    EXPECT_EQ(range.high, 99);
}

class Counter {
public:
    static std::atomic<long> live;
    Counter() { live++; }
    Counter(const Counter& other) : count_(other.count_) { live++; }
    Counter& operator=(const Counter&) = default;
    ~Counter() { live--; }
    void add(long n) { count_ += n; }
    Counter& operator+=(const Counter& other) {
        count_ += other.count_;
        return *this;
    }
    long count() const { return count_; }

private:
    long count_ = 0;
};

std::atomic<long> Counter::live{0};

#pragma omp declare reduction(+ : Counter : omp_out += omp_in) initializer(omp_priv = Counter())

// Outer teams overlap, so `live` counts all callers' objects: nothing_leaks checks it when every caller has
// finished and all objects must be destroyed.
void with_constructor(int width) {
    Counter counter;
    counter.add(1000);
#pragma omp parallel num_threads(width) reduction(+ : counter)
    counter.add(omp_get_thread_num());
    EXPECT_EQ(counter.count(), 1000 + width * (width - 1) / 2);
}

void nothing_leaks(int width) {
    (void)width;
    if (omp_get_level() == 0) EXPECT_EQ(Counter::live.load(), 0);
}

#pragma omp declare reduction(append : std::vector<int> : omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))

void container(int width) {
    std::vector<int> all;
#pragma omp parallel for num_threads(width) reduction(append : all) schedule(static)
    for (int i = 0; i < 200; ++i) all.push_back(i);
    std::vector<int> count(200);
    for (int i : all) count.at(i)++;
    EXPECT_EQ(all.size(), 200);
    for (int c : count) EXPECT_EQ(c, 1);
}

#pragma omp declare reduction(max : std::string : omp_out = omp_in > omp_out ? omp_in : omp_out)

void strings(int width) {
    std::string longest;
#pragma omp parallel num_threads(width) reduction(max : longest)
    longest = std::string(30, static_cast<char>('a' + omp_get_thread_num()));
    EXPECT(longest == std::string(30, static_cast<char>('a' + width - 1)));
}

}  // namespace

int main() {
    check("with-initializer", with_initializer);
    check("with-constructor", with_constructor);
    check("nothing-leaks", nothing_leaks);
    check("container", container);
    check("strings", strings);
    return check_done();
}
