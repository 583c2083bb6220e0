// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/deque.hpp"

#include <benchmark/benchmark.h>

#include <atomic>
#include <thread>

using gossamer::fiber::Deque;

namespace {

int item;

void push_pop(benchmark::State& state) {
    Deque<int*> deque;
    for (auto _ : state) {
        deque.push(&item);
        benchmark::DoNotOptimize(deque.pop());
    }
}
BENCHMARK(push_pop);

/// A pop that finds items left below: the owner's fence, without the race for the last one.
void push_pop_deep(benchmark::State& state) {
    Deque<int*> deque;
    for (int i = 0; i < 8; ++i) deque.push(&item);
    for (auto _ : state) {
        deque.push(&item);
        benchmark::DoNotOptimize(deque.pop());
    }
}
BENCHMARK(push_pop_deep);

void pop_empty(benchmark::State& state) {
    Deque<int*> deque;
    for (auto _ : state) benchmark::DoNotOptimize(deque.pop());
}
BENCHMARK(pop_empty);

void push_steal(benchmark::State& state) {
    Deque<int*> deque;
    for (auto _ : state) {
        deque.push(&item);
        benchmark::DoNotOptimize(deque.steal());
    }
}
BENCHMARK(push_steal);

/// The owner's cost while a thief steals all the time.
void push_pop_under_a_thief(benchmark::State& state) {
    Deque<int*> deque;
    std::atomic<bool> over{false};
    std::thread thief([&] {
        while (!over.load(std::memory_order_relaxed)) benchmark::DoNotOptimize(deque.steal());
    });
    for (auto _ : state) {
        deque.push(&item);
        benchmark::DoNotOptimize(deque.pop());
    }
    over = true;
    thief.join();
}
BENCHMARK(push_pop_under_a_thief)->UseRealTime();

}  // namespace
