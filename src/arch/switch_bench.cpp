// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a switch costs, there and back, and what each way of moving the thread pointer adds.
#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "arch/arch.hpp"

namespace gossamer::arch {
namespace {

constexpr std::size_t stack_size = 64 * 1024;

void* own_pointer;
void* inside;
void* outside;

template <auto go>
void come_back(void*) {
    for (;;) {
        if constexpr (go == nullptr) {
            switch_stack(&inside, outside, nullptr);
        } else {
            go(&inside, outside, nullptr, own_pointer);
        }
    }
}

// A sleeping thread whose thread pointer the other stack runs under.
class Lender {
public:
    Lender()
        : thread_([this] {
              pointer_.store(thread_pointer());
              pointer_.notify_one();
              done_.wait(false);
          }) {
        pointer_.wait(nullptr);
    }
    ~Lender() {
        done_.store(true);
        done_.notify_one();
        thread_.join();
    }
    void* pointer() const { return pointer_.load(); }

private:
    std::atomic<void*> pointer_{nullptr};
    std::atomic<bool> done_{false};
    std::thread thread_;
};

template <auto go>
void round_trip(benchmark::State& state) {
    if (go == &switch_stack_and_thread && !can_set_thread_pointer()) {
        state.SkipWithError("this CPU or kernel has no instruction for it");
        return;
    }
    Lender lender;
    own_pointer = thread_pointer();
    void* low = mmap(nullptr, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (low == MAP_FAILED) {
        std::abort();
    }
    inside = prepare(static_cast<char*>(low) + stack_size, &come_back<go>);
    void* borrowed = lender.pointer();
    for (auto _ : state) {
        if constexpr (go == nullptr) {
            switch_stack(&outside, inside, nullptr);
        } else {
            go(&outside, inside, nullptr, borrowed);
        }
    }
    munmap(low, stack_size);
}

using ThreadSwitch = void* (*)(void**, void*, void*, void*);

void stack_only(benchmark::State& state) { round_trip<ThreadSwitch{nullptr}>(state); }
void stack_and_thread(benchmark::State& state) { round_trip<&switch_stack_and_thread>(state); }
void stack_and_thread_by_kernel(benchmark::State& state) { round_trip<&switch_stack_and_thread_by_kernel>(state); }

BENCHMARK(stack_only);
BENCHMARK(stack_and_thread);
BENCHMARK(stack_and_thread_by_kernel);

void nothing() {}

void invoke_with_arguments(benchmark::State& state) {
    void* arguments[64] = {};
    for (auto _ : state) {
        invoke(&nothing, static_cast<unsigned>(state.range(0)), arguments);
    }
}

BENCHMARK(invoke_with_arguments)->Arg(0)->Arg(4)->Arg(8)->Arg(32);

}  // namespace
}  // namespace gossamer::arch
