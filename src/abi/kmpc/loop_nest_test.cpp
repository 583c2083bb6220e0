// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every nest is also run as loops, in the types that the program would use.
#include "abi/kmpc/loop_nest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "omp/omp.hpp"

extern "C" {
using Microtask = void (*)(int32_t*, int32_t*, ...);
void __kmpc_fork_call(void*, int32_t, Microtask, ...);
void __kmpc_push_num_threads(void*, int32_t, int32_t);
uint64_t __kmpc_process_loop_nest_rectang(void*, int32_t, gossamer::abi::LoopBounds*, int32_t);
void __kmpc_calc_original_ivs_rectang(void*, uint64_t, const gossamer::abi::LoopBounds*, uint64_t*, int32_t);
int32_t __kmpc_for_collapsed_init(void*, int32_t, gossamer::abi::LoopBounds*, gossamer::abi::LoopBounds*, int32_t, int32_t*);
}

namespace gossamer::abi {
namespace {

using Point = std::vector<uint64_t>;

template <class T>
constexpr LoopType type_of() {
    constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 2 : sizeof(T) == 4 ? 4 : 6;
    return static_cast<LoopType>(width + (std::is_signed_v<T> ? 1 : 0));
}

// A compiler writes a bound into the low bytes of its field, and nothing into the others.
template <class T>
uint64_t in_low_bytes(T value) {
    uint64_t field = 0xdeadbeefdeadbeef;
    __builtin_memcpy(&field, &value, sizeof value);
    return field;
}

template <class T>
LoopBounds loop(LoopComparison comparison, T lower, T upper, std::make_signed_t<T> step, int outer = 0, T lower_1 = 0,
                T upper_1 = 0) {
    return {type_of<T>(),        type_of<T>(),          comparison,         outer, in_low_bytes(lower), in_low_bytes(lower_1),
            in_low_bytes(upper), in_low_bytes(upper_1), in_low_bytes(step), 0};
}

template <class T>
bool holds(T value, int32_t comparison, T bound) {
    switch (comparison) {
        case loop_le: return value <= bound;
        case loop_ge: return value >= bound;
        case loop_lt: return value < bound;
        case loop_gt: return value > bound;
        default: return value != bound;
    }
}

// The points of the nest in the order of the loops.
template <class T>
void run(const std::vector<LoopBounds>& loops, uint32_t level, Point& at, std::vector<Point>& out) {
    if (level == loops.size()) {
        out.push_back(at);
        return;
    }
    const LoopBounds& one = loops[level];
    const auto outer = static_cast<uint64_t>(at[static_cast<uint32_t>(one.outer)]);
    const T lower = static_cast<T>(one.lower_0 + one.lower_1 * outer);
    const T upper = static_cast<T>(one.upper_0 + one.upper_1 * outer);
    const auto step = static_cast<std::make_signed_t<T>>(one.step);
    T value = lower;
    while (holds(value, one.comparison, upper)) {
        at[level] = static_cast<uint64_t>(static_cast<int64_t>(value));
        if constexpr (std::is_unsigned_v<T>) at[level] = value;
        run<T>(loops, level + 1, at, out);
        T next;
        if (__builtin_add_overflow(value, step, &next)) break;
        value = next;
    }
    at[level] = 0;
}

template <class T>
std::vector<Point> points_of(const std::vector<LoopBounds>& loops) {
    Point at(loops.size());
    std::vector<Point> points;
    run<T>(loops, 0, at, points);
    return points;
}

template <class T>
void expect_same(const std::vector<LoopBounds>& loops) {
    const std::vector<Point> points = points_of<T>(loops);
    Point at(loops.size());
    LoopNest nest(loops.data(), static_cast<uint32_t>(loops.size()), at.data());
    ASSERT_EQ(nest.count(), points.size());
    for (uint64_t i = 0; i < points.size(); ++i) {
        nest.seek(i);
        ASSERT_EQ(at, points[i]) << "iteration " << i;
    }
}

TEST(LoopNest, SumOfQuotients) {
    for (uint64_t n = 0; n < 8; ++n) {
        for (uint64_t m = 1; m < 9; ++m) {
            for (uint64_t a = 0; a < 20; ++a) {
                for (uint64_t b = 0; b < 20; b += 3) {
                    uint64_t sum = 0;
                    for (uint64_t i = 0; i < n; ++i) sum += (a * i + b) / m;
                    EXPECT_EQ(sum_of_quotients(n, m, a, b), sum);
                }
            }
        }
    }
}

TEST(LoopNest, Triangles) {
    // for i in [0, 9): for j in [0, i)
    expect_same<int32_t>({loop<int32_t>(loop_lt, 0, 9, 1), loop<int32_t>(loop_lt, 0, 0, 1, 0, 0, 1)});
    expect_same<uint32_t>({loop<uint32_t>(loop_lt, 0, 9, 1), loop<uint32_t>(loop_lt, 0, 0, 1, 0, 0, 1)});
    expect_same<int64_t>({loop<int64_t>(loop_gt, 20, -4, -3), loop<int64_t>(loop_ge, 30, 1, -2, 0, 0, 2)});
    // for j in (n - i … 0], of unsigned type: the factor is -1
    expect_same<uint64_t>({loop<uint64_t>(loop_le, 0, 9, 1), loop<uint64_t>(loop_gt, 9, 0, -1, 0, uint64_t(-1), 0)});
}

TEST(LoopNest, NotEqualGoesEitherWay) {
    expect_same<int32_t>({loop<int32_t>(loop_ne, 2, 8, 2), loop<int32_t>(loop_ne, 5, -1, -3)});
}

TEST(LoopNest, WholeRangeOfAType) {
    Point at(1);
    const auto whole = loop<uint32_t>(loop_le, 0, UINT32_MAX, 1);
    LoopNest nest(&whole, 1, at.data());
    EXPECT_EQ(nest.count(), uint64_t{1} << 32);
    nest.seek(UINT32_MAX);
    EXPECT_EQ(at[0], UINT32_MAX);
    const auto down = loop<int64_t>(loop_ge, INT64_MAX, INT64_MIN + 1, -2);
    LoopNest other(&down, 1, at.data());
    EXPECT_EQ(other.count(), uint64_t{1} << 63);
    other.seek(other.count() - 1);
    EXPECT_EQ(static_cast<int64_t>(at[0]), INT64_MIN + 1);
}

// A triangle with 5 * 10^11 iterations is counted and entered at once.
TEST(LoopNest, LargeTriangle) {
    Point at(3);
    const LoopBounds loops[] = {loop<int64_t>(loop_lt, 0, 1'000'000, 1), loop<int64_t>(loop_le, 0, 0, 1, 0, 0, 1),
                                loop<int64_t>(loop_lt, 0, 7, 1)};
    LoopNest nest(loops, 3, at.data());
    const uint64_t count = uint64_t{1'000'000} * 1'000'001 / 2 * 7;
    EXPECT_EQ(nest.count(), count);
    nest.seek(count - 1);
    EXPECT_EQ(at, (Point{999'999, 999'999, 6}));
    nest.seek(uint64_t{500'000} * 500'001 / 2 * 7);
    EXPECT_EQ(at, (Point{500'000, 0, 0}));
}

template <class T>
void random_nests(uint32_t seed) {
    std::mt19937 random(seed);
    const auto pick = [&](int low, int high) { return static_cast<T>(std::uniform_int_distribution(low, high)(random)); };
    for (int round = 0; round < 1500; ++round) {
        std::vector<LoopBounds> loops;
        const int depth = static_cast<int>(pick(1, 4));
        for (int level = 0; level < depth; ++level) {
            const bool up = pick(0, 1) != 0;
            const bool open = pick(0, 1) != 0;
            const auto step = static_cast<std::make_signed_t<T>>(up ? pick(1, 3) : pick(1, 3) * T(-1));
            // Unsigned bounds stay clear of zero.
            const T base = std::is_unsigned_v<T> ? 1000 : 0;
            T lower = static_cast<T>(base + pick(0, 6)), upper = static_cast<T>(base + pick(0, 6));
            T lower_1 = 0, upper_1 = 0;
            int outer = 0;
            if (level > 0 && pick(0, 1) != 0) {
                outer = static_cast<int>(pick(0, level - 1));
                const T slopes[] = {T(-1), 0, 1, 2};
                lower_1 = slopes[pick(0, 3)];
                upper_1 = slopes[pick(0, 3)];
                if (std::is_unsigned_v<T>) {
                    lower = static_cast<T>(lower + 5000), upper = static_cast<T>(upper + 5000);
                    if (lower_1 != upper_1) lower_1 = upper_1;  // else the two are thousands apart
                }
            }
            const LoopComparison comparison = up ? (open ? loop_lt : loop_le) : (open ? loop_gt : loop_ge);
            loops.push_back(loop<T>(comparison, lower, upper, step, outer, lower_1, upper_1));
        }
        if (points_of<T>(loops).size() > 3000) continue;
        expect_same<T>(loops);
        if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(LoopNest, RandomNests) {
    random_nests<int32_t>(1);
    random_nests<int64_t>(2);
    random_nests<uint32_t>(3);
    random_nests<uint64_t>(4);
}

TEST(LoopNest, NarrowVariable) {
    LoopBounds narrow = loop<int32_t>(loop_lt, 120, 130, 1);
    narrow.variable_type = uint8_loop;
    EXPECT_EQ(variable_at(narrow, 0, 9), 129u);
    narrow.variable_type = int8_loop;
    EXPECT_EQ(variable_at(narrow, 0, 9), static_cast<uint64_t>(int64_t{-127}));
}

TEST(KmpcLoopNest, RectangularBecomesOneLoop) {
    std::vector<LoopBounds> loops = {loop<int32_t>(loop_lt, -3, 4, 2), loop<int32_t>(loop_ge, 9, 2, -3),
                                     loop<int32_t>(loop_le, 1, 4, 1, 0, 2, 2)};
    const auto points = points_of<int32_t>(loops);
    ASSERT_EQ(__kmpc_process_loop_nest_rectang(nullptr, 0, loops.data(), 3), points.size());
    EXPECT_EQ(loops[0].comparison, loop_le);
    EXPECT_EQ(static_cast<int32_t>(loops[0].upper_0), 3);
    EXPECT_EQ(loops[2].trips, 4u);
    Point at(3);
    for (uint64_t i = 0; i < points.size(); ++i) {
        __kmpc_calc_original_ivs_rectang(nullptr, i, loops.data(), at.data(), 3);
        EXPECT_EQ(at, points[i]);
    }
}

// What one thread is given, read as the compilers' code does: in each loop the chunk's bounds hold as long as all outer
// variables are where the chunk begins, or ends.
struct Share {
    bool any = false;
    int32_t last = -1;
    std::vector<LoopBounds> loops, chunk;
};

TEST(KmpcLoopNest, SharesMakeTheWhole) {
    for (const int32_t threads : {1, 2, 3, 7}) {
        const std::vector<LoopBounds> loops = {loop<int32_t>(loop_lt, 0, 6, 1), loop<int32_t>(loop_gt, 0, 0, -1, 0, 1, 0),
                                               loop<int32_t>(loop_ne, 0, 2, 1)};
        const auto points = points_of<int32_t>(loops);
        std::vector<Share> shares(static_cast<size_t>(threads));
        for (Share& share : shares) share.loops = share.chunk = loops;
        void (*const outlined)(int32_t*, int32_t*, std::vector<Share>*) = [](int32_t* id, int32_t*, std::vector<Share>* all) {
            Share& mine = (*all)[omp::current().num];
            mine.any = __kmpc_for_collapsed_init(nullptr, *id, mine.loops.data(), mine.chunk.data(), 3, &mine.last) != 0;
        };
        __kmpc_push_num_threads(nullptr, 0, threads);
        __kmpc_fork_call(nullptr, 1, reinterpret_cast<Microtask>(outlined), &shares);
        uint64_t next = 0;
        for (const Share& share : shares) {
            EXPECT_EQ(share.loops[1].comparison, loop_ge);
            if (!share.any) continue;
            const auto point = [&](uint64_t LoopBounds::* bound) {
                Point at;
                for (const LoopBounds& one : share.chunk) at.push_back(one.*bound);
                return at;
            };
            ASSERT_LT(next, points.size());
            EXPECT_EQ(point(&LoopBounds::lower_0), points[next]);
            const auto end = std::find(points.begin(), points.end(), point(&LoopBounds::upper_0));
            ASSERT_NE(end, points.end());
            const auto size = static_cast<uint64_t>(end - points.begin()) + 1 - next;
            EXPECT_LE(size, points.size() / static_cast<uint64_t>(threads) + 1);
            next += size;
            EXPECT_EQ(share.last, next == points.size());
            EXPECT_EQ(share.chunk[1].lower_1, 0u);
        }
        EXPECT_EQ(next, points.size());
    }
}

TEST(KmpcLoopNest, NothingToDo) {
    std::vector<LoopBounds> loops = {loop<int32_t>(loop_lt, 0, 1, 1), loop<int32_t>(loop_lt, 0, 0, 1, 0, 0, 1)};
    auto chunk = loops;
    int32_t last = -1;
    EXPECT_EQ(__kmpc_for_collapsed_init(nullptr, 0, loops.data(), chunk.data(), 2, &last), 0);
    EXPECT_EQ(last, 0);
}

}  // namespace
}  // namespace gossamer::abi
