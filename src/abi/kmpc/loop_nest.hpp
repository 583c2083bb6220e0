// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop nests under a collapse clause whose inner bounds may depend on an outer variable (OpenMP 5.2 §4.4.2), as Intel's
// compilers hand them over. Arithmetic only (loop_nest_test.cpp).
//
// The iterations are counted exactly, so that each thread gets its exact part. A loop on which no inner loop depends multiplies
// the number inside. The sum over a loop on which just the next loop depends, a triangle or a trapezium, has a closed form. The
// remaining case, three loops each of which depends on the one around it, costs a step for each iteration of the outermost.
#pragma once

#include <cstdint>

#include "base/base.hpp"

namespace gossamer::abi {

// An odd number is a signed type.
enum LoopType : int32_t { uint8_loop, int8_loop, uint16_loop, int16_loop, uint32_loop, int32_loop, uint64_loop, int64_loop };
enum LoopComparison : int32_t { loop_le, loop_ge, loop_ne, loop_lt, loop_gt };

// One loop as the ABI lays it out: from lower_0 + lower_1 * v, by step, to upper_0 + upper_1 * v, where v is the variable of
// the loop numbered `outer`. Bounds have `type`, one of the four wide ones, in the low bytes of their fields; the step has
// the signed type of that width.
struct LoopBounds {
    int32_t type;
    int32_t variable_type;
    int32_t comparison;
    int32_t outer;
    uint64_t lower_0, lower_1;
    uint64_t upper_0, upper_1;
    uint64_t step;
    uint64_t trips;  // for rectangular nests
};
static_assert(sizeof(LoopBounds) == 64);

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

// What the low bytes of `raw` mean as a value of `type`.
constexpr Wide loop_value(int32_t type, uint64_t raw) {
    switch (type) {
        case uint8_loop: return static_cast<uint8_t>(raw);
        case int8_loop: return static_cast<int8_t>(raw);
        case uint16_loop: return static_cast<uint16_t>(raw);
        case int16_loop: return static_cast<int16_t>(raw);
        case uint32_loop: return static_cast<uint32_t>(raw);
        case int32_loop: return static_cast<int32_t>(raw);
        case uint64_loop: return raw;
        default: return static_cast<int64_t>(raw);
    }
}

constexpr int64_t step_of(const LoopBounds& loop) { return static_cast<int64_t>(loop_value(loop.type | 1, loop.step)); }

constexpr bool counts_up(const LoopBounds& loop) {
    if (loop.comparison == loop_ne) return step_of(loop) > 0;
    return loop.comparison == loop_le || loop.comparison == loop_lt;
}

// Brings the loop to <= or >=, which is what the program expects to find in its array afterwards.
constexpr void canonicalize(LoopBounds& loop) {
    const bool up = counts_up(loop);
    if (loop.comparison != loop_le && loop.comparison != loop_ge) {
        const uint64_t last = up ? loop.upper_0 - 1 : loop.upper_0 + 1;
        loop.upper_0 = static_cast<uint64_t>(loop_value(loop.type, last));
    }
    loop.comparison = up ? loop_le : loop_ge;
}

// How far the last value may lie from the first; below 0: there is no iteration. The bounds are evaluated as the program would
// do it, with `v` as the outer variable.
constexpr Wide extent_of(const LoopBounds& loop, uint64_t v) {
    const Wide lower = loop_value(loop.type, loop.lower_0 + loop.lower_1 * v);
    const Wide upper = loop_value(loop.type, loop.upper_0 + loop.upper_1 * v);
    const Wide extent = counts_up(loop) ? upper - lower : lower - upper;
    return loop.comparison == loop_le || loop.comparison == loop_ge ? extent : extent - 1;
}

constexpr uint64_t stride_of(const LoopBounds& loop) {
    const int64_t step = step_of(loop);
    return step < 0 ? 0 - static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
}

constexpr uint64_t trips_of(const LoopBounds& loop, uint64_t v) {
    const Wide extent = extent_of(loop, v);
    return extent < 0 ? 0 : static_cast<uint64_t>(extent) / stride_of(loop) + 1;
}

// The variable at the loop's iteration `at`, as its own type, extended to 64 bits.
constexpr uint64_t variable_at(const LoopBounds& loop, uint64_t v, uint64_t at) {
    const uint64_t raw = loop.lower_0 + loop.lower_1 * v + at * static_cast<uint64_t>(step_of(loop));
    return static_cast<uint64_t>(loop_value(loop.variable_type, raw));
}

// The sum of (a * i + b) / m over i in [0, n), each rounded down, in as many steps as Euclid's algorithm needs for a and m.
constexpr uint64_t sum_of_quotients(UnsignedWide n, UnsignedWide m, UnsignedWide a, UnsignedWide b) {
    UnsignedWide sum = 0;
    while (n != 0) {
        sum += n * (n - 1) / 2 * (a / m) + n * (b / m);
        a %= m;
        b %= m;
        const UnsignedWide top = a * n + b;
        // The points under the line, counted along the other axis.
        n = top / m;
        b = top % m;
        const UnsignedWide old = m;
        m = a;
        a = old;
    }
    return static_cast<uint64_t>(sum);
}

// The iterations of a loop summed over the first x iterations of the loop around it, in whose iteration i the extent is
// first + slope * i.
struct Series {
    Wide first;
    Wide slope;
    uint64_t stride;

    constexpr uint64_t sum(uint64_t x) const {
        // The outer iterations with any inner one are consecutive: `count` of them, with `least` as the smallest extent.
        Wide count = x, least = first;
        Wide grows = slope;
        if (slope >= 0) {
            if (first < 0) {
                if (slope == 0) return 0;
                const Wide none = (-first + slope - 1) / slope;
                if (none >= count) return 0;
                count -= none;
                least += none * slope;
            }
        } else {
            if (first < 0) return 0;
            const Wide some = first / -slope + 1;
            if (some < count) count = some;
            if (count == 0) return 0;
            least += (count - 1) * slope;
            grows = -slope;
        }
        return sum_of_quotients(static_cast<UnsignedWide>(count), stride, static_cast<UnsignedWide>(grows),
                                static_cast<UnsignedWide>(least)) +
               static_cast<uint64_t>(count);
    }
};

// The nest loops[0 … depth-1], outermost first. `variables` has room for `depth` values.
class LoopNest {
public:
    constexpr LoopNest(const LoopBounds* loops, uint32_t depth, uint64_t* variables)
        : loops_(loops), depth_(depth), variables_(variables) {
        for (uint32_t level = 0; level < depth; ++level) variables[level] = 0;
    }

    // Iterations in all, below 2^64.
    constexpr uint64_t count() { return count_from(0); }

    // Sets the variables to those of iteration `at`, which is below count().
    constexpr void seek(uint64_t at) {
        for (uint32_t level = 0; level < depth_;) {
            const uint64_t trips = trips_of(loops_[level], outer(level));
            if (!anything_depends_on(level)) {
                set(level, 0);
                at = enter(level, at, count_from(level + 1));
                ++level;
            } else if (Series series; find_series(level, trips, series)) {
                const uint64_t inside = count_from(level + 2);
                uint64_t before = 0;
                uint64_t end = trips;  // series.sum(before) * inside <= at < series.sum(end) * inside
                while (end - before > 1) {
                    const uint64_t middle = before + (end - before) / 2;
                    (series.sum(middle) * inside <= at ? before : end) = middle;
                }
                set(level, before);
                at = enter(level + 1, at - series.sum(before) * inside, inside);
                level += 2;
            } else {
                for (uint64_t step = 0;; ++step) {
                    set(level, step);
                    const uint64_t inside = count_from(level + 1);
                    if (at < inside) break;
                    at -= inside;
                }
                ++level;
            }
        }
    }

private:
    constexpr uint64_t outer(uint32_t level) const { return variables_[loops_[level].outer]; }

    constexpr void set(uint32_t level, uint64_t at) { variables_[level] = variable_at(loops_[level], outer(level), at); }

    // Sets this loop's variable for iteration `at` of the loops from this one on, each of whose iterations has `inside` inner
    // ones. Returns the number of the iteration inside.
    constexpr uint64_t enter(uint32_t level, uint64_t at, uint64_t inside) {
        set(level, at / inside);
        return at % inside;
    }

    constexpr bool depends(uint32_t level, uint32_t on) const {
        const LoopBounds& loop = loops_[level];
        return static_cast<uint32_t>(loop.outer) == on &&
               (loop_value(loop.type, loop.lower_1) != 0 || loop_value(loop.type, loop.upper_1) != 0);
    }

    constexpr bool anything_depends_on(uint32_t on, uint32_t from = 0) const {
        for (uint32_t level = from > on ? from : on + 1; level < depth_; ++level) {
            if (depends(level, on)) return true;
        }
        return false;
    }

    // Whether the next loop, and no other, depends on this one, and no loop depends on the next.
    constexpr bool find_series(uint32_t level, uint64_t trips, Series& series) {
        if (!depends(level + 1, level) || anything_depends_on(level, level + 2) || anything_depends_on(level + 1)) return false;
        const LoopBounds& next = loops_[level + 1];
        const auto extent = [&](uint64_t at) {
            set(level, at);
            return extent_of(next, variables_[level]);
        };
        series.first = extent(0);
        series.slope = trips > 1 ? extent(1) - series.first : 0;
        series.stride = stride_of(next);
        // False if the bounds wrap around somewhere in between.
        return extent(trips - 1) == series.first + series.slope * static_cast<Wide>(trips - 1);
    }

    constexpr uint64_t count_from(uint32_t level) {
        if (level == depth_) return 1;
        const uint64_t trips = trips_of(loops_[level], outer(level));
        if (trips == 0) return 0;
        if (!anything_depends_on(level)) {
            set(level, 0);
            return trips * count_from(level + 1);
        }
        if (Series series; find_series(level, trips, series)) return series.sum(trips) * count_from(level + 2);
        uint64_t sum = 0;
        for (uint64_t at = 0; at < trips; ++at) {
            set(level, at);
            sum += count_from(level + 1);
        }
        return sum;
    }

    const LoopBounds* loops_;
    uint32_t depth_;
    uint64_t* variables_;
};

}  // namespace gossamer::abi
