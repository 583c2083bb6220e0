// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { run_length = 2048 };

// The number of elements of the ascending array `a` that are less than `x`.
long first_not_below(const uint32_t* a, long count, uint32_t x);

// `to` must not overlap `a` and `b`.
void merge_serially(const uint32_t* a, long a_count, const uint32_t* b, long b_count, uint32_t* to);

// Sorts `a`; `spare` has the same length.
void sort_serially(uint32_t* a, uint32_t* spare, long count);

// Whether `a` is ascending; `*sum` becomes the sum of its numbers.
bool ascends(const uint32_t* a, long count, uint64_t* sum);
