// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <execinfo.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "arch/arch.hpp"

namespace gossamer::arch {
namespace {

struct Call {
    std::vector<void*> arguments;
    bool aligned = false;
} last_call;

template <std::size_t>
using Pointer = void*;

template <std::size_t... index>
struct Callee {
    static void record(Pointer<index>... arguments) {
        last_call.arguments = {arguments...};
        last_call.aligned = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) % 16 == 0;
    }
};

template <std::size_t... index>
Outlined callee_of(std::index_sequence<index...>) {
    return reinterpret_cast<Outlined>(&Callee<index...>::record);
}

template <std::size_t count>
void check_count() {
    std::vector<void*> arguments;
    for (std::size_t i = 0; i < count; ++i) arguments.push_back(reinterpret_cast<void*>(~i * 0x0101010101u));
    last_call = {};
    invoke(callee_of(std::make_index_sequence<count>()), count, arguments.data());
    EXPECT_EQ(last_call.arguments, arguments) << count;
    EXPECT_TRUE(last_call.aligned) << count;
}

template <std::size_t... count>
void check_counts(std::index_sequence<count...>) {
    (check_count<count>(), ...);
}

TEST(Invoke, PassesEveryArgument) { check_counts(std::make_index_sequence<41>()); }

TEST(Invoke, PassesManyArguments) { check_count<257>(); }

TEST(Invoke, NeedsNoArrayForNoArguments) {
    last_call.aligned = false;
    invoke(callee_of(std::make_index_sequence<0>()), 0, nullptr);
    EXPECT_TRUE(last_call.aligned);
}

std::array<void*, 64> frames;
std::size_t frame_count;

void collect() { frame_count = static_cast<std::size_t>(backtrace(frames.data(), 64)); }

[[gnu::noinline]] void* call_through_invoke(unsigned count) {
    std::array<void*, 64> arguments{};
    invoke(&collect, count, arguments.data());
    return __builtin_return_address(0);
}

TEST(Invoke, BacktraceReachesTheCaller) {
    for (unsigned count : {0u, 3u, 6u, 9u, 20u, 21u}) {
        frame_count = 0;
        void* caller = call_through_invoke(count);
        auto end = frames.begin() + static_cast<std::ptrdiff_t>(frame_count);
        EXPECT_NE(std::find(frames.begin(), end, caller), end) << count;
    }
}

void throw_five() { throw 5; }

TEST(Invoke, IsTransparentToExceptions) {
    std::array<void*, 64> arguments{};
    for (unsigned count = 0; count < 24; ++count) {
        int caught = 0;
        try {
            invoke(&throw_five, count, arguments.data());
        } catch (int thrown) {
            caught = thrown;
        }
        EXPECT_EQ(caught, 5);
    }
}

}  // namespace
}  // namespace gossamer::arch
