// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the kmpc ABI numbers schedules.
#pragma once

#include <cstdint>

namespace gossamer::abi {

enum ScheduleNumber : int32_t {
    schedule_static_chunked = 33,
    schedule_static = 34,
    schedule_dynamic = 35,
    schedule_guided = 36,
    schedule_runtime = 37,
    schedule_auto = 38,
    schedule_trapezoidal = 39,
    schedule_static_greedy = 40,
    schedule_static_balanced = 41,
    schedule_guided_iterative = 42,
    schedule_guided_analytical = 43,
    schedule_static_steal = 44,
    schedule_static_rounded = 45,  // one block a thread, of a multiple of `chunk` iterations: for simd
    schedule_guided_simd = 46,
    schedule_runtime_simd = 47,
    schedule_distribute_chunked = 91,
    schedule_distribute = 92,
};

// Numbers of loops with an ordered clause begin at first_ordered instead of first_plain; those of loops whose chunks must not
// be merged are greater by first_unmerged - first_plain.
constexpr int32_t first_plain = 32;
constexpr int32_t first_ordered = 64;
constexpr int32_t first_distribute = 91;
constexpr int32_t first_unmerged = 160;
constexpr int32_t monotonic_bit = 1 << 29;
constexpr int32_t nonmonotonic_bit = 1 << 30;

// A decoded schedule argument.
struct ScheduleArgument {
    int32_t number;  // a ScheduleNumber
    bool ordered = false;
    bool unmerged = false;
    bool monotonic = false;
    bool nonmonotonic = false;

    constexpr explicit ScheduleArgument(int32_t argument) : number(argument & ~(monotonic_bit | nonmonotonic_bit)) {
        monotonic = (argument & monotonic_bit) != 0;
        nonmonotonic = (argument & nonmonotonic_bit) != 0;
        if (number >= first_unmerged) {
            unmerged = true;
            number -= first_unmerged - first_plain;
        }
        if (number > first_ordered && number < first_distribute) {
            ordered = true;
            number -= first_ordered - first_plain;
        }
    }
};

}  // namespace gossamer::abi
