// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { run_length = 2048 };

// How many of `a`, which ascends, are less than `x`.
long first_not_below(const uint32_t* a, long count, uint32_t x);

// `to` must not overlap `a` and `b`.
void merge_serially(const uint32_t* a, long a_count, const uint32_t* b, long b_count, uint32_t* to);

// Sorts `a`; `spare` is as long.
void sort_serially(uint32_t* a, uint32_t* spare, long count);

// Whether `a` ascends; `*sum` gets the sum of its numbers.
bool ascends(const uint32_t* a, long count, uint64_t* sum);
