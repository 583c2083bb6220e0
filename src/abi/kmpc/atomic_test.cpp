// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls every __kmpc_atomic_* entry as a compiler would. Operands are chosen so that each result is exact in the
// narrowest type that takes part; what is expected is computed in a much wider type.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <latch>
#include <thread>
#include <vector>

#include "abi/kmpc/atomic_types.hpp"

namespace {

using namespace gossamer::abi;
using Wide = __int128;

template <class T, class R>
using Update = void (*)(void*, int, T*, R);
template <class T, class R>
using Capture = T (*)(void*, int, T*, R, int);
template <class T>
using CaptureOut = void (*)(void*, int, T*, T, T*, int);

// A location amid bytes that must not change: aligned, or as far off as can be.
template <class T>
class Location {
public:
    explicit Location(T value, std::size_t offset) : at_(bytes_ + 16 + offset) {
        std::memset(bytes_, 0x5A, sizeof(bytes_));
        std::memcpy(at_, &value, sizeof(T));
    }
    T* at() { return reinterpret_cast<T*>(at_); }
    T value() const {
        T value;
        std::memcpy(&value, at_, sizeof(T));
        return value;
    }
    bool neighbours_intact() const {
        for (const unsigned char* byte = bytes_; byte != bytes_ + sizeof(bytes_); ++byte)
            if ((byte < at_ || byte >= at_ + sizeof(T)) && *byte != 0x5A) return false;
        return true;
    }

private:
    alignas(64) unsigned char bytes_[64 + sizeof(T)];
    unsigned char* at_;
};

// Integers may lie anywhere; x86-64 code never asks for misaligned floating point.
template <class T>
std::vector<std::size_t> offsets() {
    if constexpr (std::is_integral_v<T> && sizeof(T) > 1)
        return {0, 1};
    else
        return {0};
}

template <class T, class R>
void check_update(const char* name, Update<T, R> entry, T x, R y, T expected) {
    SCOPED_TRACE(name);
    for (std::size_t offset : offsets<T>()) {
        Location<T> location(x, offset);
        entry(nullptr, 0, location.at(), y);
        EXPECT_TRUE(location.value() == expected);
        EXPECT_TRUE(location.neighbours_intact());
    }
}

template <class T, class R>
void check_capture(const char* name, Capture<T, R> entry, T x, R y, T expected) {
    SCOPED_TRACE(name);
    for (std::size_t offset : offsets<T>()) {
        for (int after : {0, 1}) {
            Location<T> location(x, offset);
            const T captured = entry(nullptr, 0, location.at(), y, after);
            EXPECT_TRUE(captured == (after != 0 ? expected : x)) << "after = " << after;
            EXPECT_TRUE(location.value() == expected);
            EXPECT_TRUE(location.neighbours_intact());
        }
    }
}

template <class T>
void check_capture(const char* name, CaptureOut<T> entry, T x, T y, T expected) {
    SCOPED_TRACE(name);
    for (int after : {0, 1}) {
        T location = x;
        T captured = 0;
        entry(nullptr, 0, &location, y, &captured, after);
        EXPECT_TRUE(captured == (after != 0 ? expected : x)) << "after = " << after;
        EXPECT_TRUE(location == expected);
    }
}

#define DECLARE_UPDATE(name, T, R) extern "C" void __kmpc_atomic_##name(void*, int, T*, R);
#define DECLARE_CAPTURE(name, T, R) extern "C" T __kmpc_atomic_##name(void*, int, T*, R, int);
#define DECLARE_BOTH(middle, end, T, R) \
    DECLARE_UPDATE(middle##end, T, R)   \
    DECLARE_CAPTURE(middle##_cpt##end, T, R)
#define DECLARE_ACCESS(kind, T)                                   \
    extern "C" T __kmpc_atomic_##kind##_rd(void*, int, T*);       \
    extern "C" void __kmpc_atomic_##kind##_wr(void*, int, T*, T); \
    extern "C" T __kmpc_atomic_##kind##_swp(void*, int, T*, T);

#define CHECK_UPDATE(name, T, R, x, y, expected) check_update<T, R>(#name, __kmpc_atomic_##name, x, y, expected);
#define CHECK_BOTH(middle, end, T, R, x, y, expected)                              \
    check_update<T, R>(#middle #end, __kmpc_atomic_##middle##end, x, y, expected); \
    check_capture<T, R>(#middle "_cpt" #end, __kmpc_atomic_##middle##_cpt##end, x, y, expected);
#define CHECK_ACCESS(kind, T, x, y)                                             \
    {                                                                           \
        SCOPED_TRACE(#kind);                                                    \
        T location = x;                                                         \
        EXPECT_TRUE(__kmpc_atomic_##kind##_rd(nullptr, 0, &location) == x);     \
        __kmpc_atomic_##kind##_wr(nullptr, 0, &location, y);                    \
        EXPECT_TRUE(location == y);                                             \
        EXPECT_TRUE(__kmpc_atomic_##kind##_swp(nullptr, 0, &location, x) == y); \
        EXPECT_TRUE(location == x);                                             \
    }

// ---- integers

#define SIGNED_BOTH(V, w, S)                       \
    V(fixed##w##_add, , S, S, Wide(x) + y)         \
    V(fixed##w##_sub, , S, S, Wide(x) - y)         \
    V(fixed##w##_mul, , S, S, Wide(x) * y)         \
    V(fixed##w##_andb, , S, S, Wide(x) & y)        \
    V(fixed##w##_orb, , S, S, Wide(x) | y)         \
    V(fixed##w##_xor, , S, S, Wide(x) ^ y)         \
    V(fixed##w##_andl, , S, S, (x != 0 && y != 0)) \
    V(fixed##w##_orl, , S, S, (x != 0 || y != 0))  \
    V(fixed##w##_neqv, , S, S, Wide(x) ^ y)        \
    V(fixed##w##_eqv, , S, S, ~(Wide(x) ^ y))      \
    V(fixed##w##_max, , S, S, (x > y ? x : y))     \
    V(fixed##w##_min, , S, S, (x < y ? x : y))     \
    V(fixed##w##_sub, _rev, S, S, Wide(y) - x)
// Neither operand is zero.
#define DIVISIONS(V, w, S, U)                  \
    V(fixed##w##_div, , S, S, Wide(x) / y)     \
    V(fixed##w##u_div, , U, U, Wide(x) / y)    \
    V(fixed##w##_div, _rev, S, S, Wide(y) / x) \
    V(fixed##w##u_div, _rev, U, U, Wide(y) / x)
// The right operand is the count.
#define SHIFTS(V, w, S, U)                  \
    V(fixed##w##_shl, , S, S, Wide(x) << y) \
    V(fixed##w##_shr, , S, S, Wide(x) >> y) \
    V(fixed##w##u_shr, , U, U, Wide(x) >> y)
#define REVERSE_SHIFTS(V, w, S, U)              \
    V(fixed##w##_shl, _rev, S, S, Wide(y) << x) \
    V(fixed##w##_shr, _rev, S, S, Wide(y) >> x) \
    V(fixed##w##u_shr, _rev, U, U, Wide(y) >> x)

#define DECLARE_IT(middle, end, T, R, expected) DECLARE_BOTH(middle, end, T, R)
#define CHECK_IT(middle, end, T, R, expected)                         \
    {                                                                 \
        const T x = static_cast<T>(left);                             \
        const R y = static_cast<R>(right);                            \
        CHECK_BOTH(middle, end, T, R, x, y, static_cast<T>(expected)) \
    }

#define FIXED_TEST(w, S, U)                                                                                    \
    SIGNED_BOTH(DECLARE_IT, w, S)                                                                              \
    DIVISIONS(DECLARE_IT, w, S, U)                                                                             \
    SHIFTS(DECLARE_IT, w, S, U)                                                                                \
    REVERSE_SHIFTS(DECLARE_IT, w, S, U)                                                                        \
    DECLARE_ACCESS(fixed##w, S)                                                                                \
    TEST(KmpcAtomic, Fixed##w) {                                                                               \
        const Wide extreme = Wide(1) << (8 * w - 1);                                                           \
        const Wide values[] = {0, 1, 2, 3, 7, 100, -1, -2, -5, -100, extreme - 1, -extreme};                   \
        for (Wide left : values) {                                                                             \
            for (Wide right : values) {                                                                        \
                SIGNED_BOTH(CHECK_IT, w, S)                                                                    \
                /* The one quotient that overflows is the program's own error. */                              \
                const bool overflows = (left == -extreme && right == -1) || (right == -extreme && left == -1); \
                if (left != 0 && right != 0 && !overflows) {                                                   \
                    DIVISIONS(CHECK_IT, w, S, U)                                                               \
                }                                                                                              \
                if (right >= 0 && right < 8 * w) {                                                             \
                    SHIFTS(CHECK_IT, w, S, U)                                                                  \
                }                                                                                              \
                if (left >= 0 && left < 8 * w) {                                                               \
                    REVERSE_SHIFTS(CHECK_IT, w, S, U)                                                          \
                }                                                                                              \
                CHECK_ACCESS(fixed##w, S, static_cast<S>(left), static_cast<S>(right))                         \
            }                                                                                                  \
        }                                                                                                      \
    }

FIXED_TEST(1, std::int8_t, std::uint8_t)
FIXED_TEST(2, std::int16_t, std::uint16_t)
FIXED_TEST(4, std::int32_t, std::uint32_t)
FIXED_TEST(8, std::int64_t, std::uint64_t)

// ---- real and complex numbers

#define ARITHMETIC_BOTH(V, kind, T, R, end) \
    V(kind##_add, end, T, R, x + y)         \
    V(kind##_sub, end, T, R, x - y)         \
    V(kind##_mul, end, T, R, x* y)          \
    V(kind##_div, end, T, R, x / y)         \
    V(kind##_sub, _rev##end, T, R, y - x)   \
    V(kind##_div, _rev##end, T, R, y / x)
#define ORDER_BOTH(V, kind, T)             \
    V(kind##_max, , T, T, (x > y ? x : y)) \
    V(kind##_min, , T, T, (x < y ? x : y))

// Powers of two, so that quotients are exact; x and y become doubles.
constexpr double lefts[] = {0.5, -4, 16};
constexpr double rights[] = {0.25, -2, 64};

#define CHECK_REAL(middle, end, T, R, expected) \
    CHECK_BOTH(middle, end, T, R, static_cast<T>(x), static_cast<R>(y), static_cast<T>(expected))

#define FLOAT_TEST(w)                                                                                \
    ARITHMETIC_BOTH(DECLARE_IT, float##w, Float##w, Float##w, )                                      \
    ORDER_BOTH(DECLARE_IT, float##w, Float##w)                                                       \
    DECLARE_ACCESS(float##w, Float##w)                                                               \
    TEST(KmpcAtomic, Float##w) {                                                                     \
        for (double x : lefts) {                                                                     \
            for (double y : rights) {                                                                \
                ARITHMETIC_BOTH(CHECK_REAL, float##w, Float##w, Float##w, )                          \
                ORDER_BOTH(CHECK_REAL, float##w, Float##w)                                           \
                CHECK_ACCESS(float##w, Float##w, static_cast<Float##w>(x), static_cast<Float##w>(y)) \
            }                                                                                        \
        }                                                                                            \
        const Float##w nan = __builtin_nanf("");                                                     \
        CHECK_BOTH(float##w##_max, , Float##w, Float##w, 3, nan, 3)                                  \
        CHECK_BOTH(float##w##_min, , Float##w, Float##w, 3, nan, 3)                                  \
    }

FLOAT_TEST(4)
FLOAT_TEST(8)
FLOAT_TEST(10)

// x and y become (a, b) and (c, d) with |c| = |d| or one of them zero, and the like for x: exact quotients.
struct Pair {
    double re, im;
    friend Pair operator+(Pair x, Pair y) { return {x.re + y.re, x.im + y.im}; }
    friend Pair operator-(Pair x, Pair y) { return {x.re - y.re, x.im - y.im}; }
    friend Pair operator*(Pair x, Pair y) { return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }
    friend Pair operator/(Pair x, Pair y) {
        const double norm = y.re * y.re + y.im * y.im;
        return {(x.re * y.re + x.im * y.im) / norm, (x.im * y.re - x.re * y.im) / norm};
    }
};
constexpr Pair complex_lefts[] = {{1, 1}, {-4, 0}, {0, 2}, {8, -8}};
constexpr Pair complex_rights[] = {{2, -2}, {0, -4}, {16, 0}, {-1, -1}};

template <class T>
T complex(Pair value) {
    T result;
    __real__ result = value.re;
    __imag__ result = value.im;
    return result;
}

#define CHECK_COMPLEX(middle, end, T, R, expected) \
    CHECK_BOTH(middle, end, T, R, complex<T>(x), complex<R>(y), complex<T>(expected))

#define COMPLEX_TEST(w)                                                                            \
    ARITHMETIC_BOTH(DECLARE_IT, cmplx##w, Complex##w, Complex##w, )                                \
    DECLARE_ACCESS(cmplx##w, Complex##w)                                                           \
    TEST(KmpcAtomic, Complex##w) {                                                                 \
        for (Pair x : complex_lefts) {                                                             \
            for (Pair y : complex_rights) {                                                        \
                ARITHMETIC_BOTH(CHECK_COMPLEX, cmplx##w, Complex##w, Complex##w, )                 \
                CHECK_ACCESS(cmplx##w, Complex##w, complex<Complex##w>(x), complex<Complex##w>(y)) \
            }                                                                                      \
        }                                                                                          \
    }

COMPLEX_TEST(8)
COMPLEX_TEST(10)

#define DECLARE_COMPLEX4(middle, end, T, R, expected) \
    DECLARE_UPDATE(middle##end, T, R)                 \
    extern "C" void __kmpc_atomic_##middle##_cpt##end(void*, int, T*, T, T*, int);
#define CHECK_COMPLEX4(middle, end, T, R, expected)                                                                    \
    check_update<T, R>(#middle #end, __kmpc_atomic_##middle##end, complex<T>(x), complex<R>(y), complex<T>(expected)); \
    check_capture<T>(#middle "_cpt" #end, __kmpc_atomic_##middle##_cpt##end, complex<T>(x), complex<T>(y),             \
                     complex<T>(expected));

ARITHMETIC_BOTH(DECLARE_COMPLEX4, cmplx4, Complex4, Complex4, )
extern "C" Complex4 __kmpc_atomic_cmplx4_rd(void*, int, Complex4*);
extern "C" void __kmpc_atomic_cmplx4_wr(void*, int, Complex4*, Complex4);
extern "C" void __kmpc_atomic_cmplx4_swp(void*, int, Complex4*, Complex4, Complex4*);

TEST(KmpcAtomic, Complex4) {
    for (Pair x : complex_lefts) {
        for (Pair y : complex_rights) {
            ARITHMETIC_BOTH(CHECK_COMPLEX4, cmplx4, Complex4, Complex4, )
            const Complex4 left = complex<Complex4>(x);
            const Complex4 right = complex<Complex4>(y);
            Complex4 location = left;
            Complex4 captured = 0;
            EXPECT_TRUE(__kmpc_atomic_cmplx4_rd(nullptr, 0, &location) == left);
            __kmpc_atomic_cmplx4_wr(nullptr, 0, &location, right);
            EXPECT_TRUE(location == right);
            __kmpc_atomic_cmplx4_swp(nullptr, 0, &location, left, &captured);
            EXPECT_TRUE(captured == right);
            EXPECT_TRUE(location == left);
        }
    }
}

// ---- operands wider than the location

#define FIXED_BY_FLOAT8(w, S)                        \
    DECLARE_UPDATE(fixed##w##_mul_float8, S, Float8) \
    DECLARE_UPDATE(fixed##w##_div_float8, S, Float8)
FIXED_BY_FLOAT8(1, std::int8_t)
FIXED_BY_FLOAT8(2, std::int16_t)
FIXED_BY_FLOAT8(4, std::int32_t)
FIXED_BY_FLOAT8(8, std::int64_t)
DECLARE_UPDATE(float4_add_float8, Float4, Float8)
DECLARE_UPDATE(float4_sub_float8, Float4, Float8)
DECLARE_UPDATE(float4_mul_float8, Float4, Float8)
DECLARE_UPDATE(float4_div_float8, Float4, Float8)
DECLARE_UPDATE(cmplx4_add_cmplx8, Complex4, Complex8)
DECLARE_UPDATE(cmplx4_sub_cmplx8, Complex4, Complex8)
DECLARE_UPDATE(cmplx4_mul_cmplx8, Complex4, Complex8)
DECLARE_UPDATE(cmplx4_div_cmplx8, Complex4, Complex8)

TEST(KmpcAtomic, DoubleOperand) {
    // 10 * 2.5 and -11 / 2.5 would come out as 20 and -5 if the operand became an integer first.
    CHECK_UPDATE(fixed1_mul_float8, std::int8_t, Float8, 10, 2.5, 25)
    CHECK_UPDATE(fixed2_mul_float8, std::int16_t, Float8, 10, 2.5, 25)
    CHECK_UPDATE(fixed4_mul_float8, std::int32_t, Float8, 10, 2.5, 25)
    CHECK_UPDATE(fixed8_mul_float8, std::int64_t, Float8, 10, 2.5, 25)
    CHECK_UPDATE(fixed1_div_float8, std::int8_t, Float8, -11, 2.5, -4)
    CHECK_UPDATE(fixed2_div_float8, std::int16_t, Float8, -11, 2.5, -4)
    CHECK_UPDATE(fixed4_div_float8, std::int32_t, Float8, -11, 2.5, -4)
    CHECK_UPDATE(fixed8_div_float8, std::int64_t, Float8, -11, 2.5, -4)

    // An operand no float holds, and a result that one does.
    const double fine = 1 + 0x1p-40;
    CHECK_UPDATE(float4_add_float8, Float4, Float8, -1.0F, fine, 0x1p-40F)
    CHECK_UPDATE(float4_sub_float8, Float4, Float8, 1.0F, fine, -0x1p-40F)
    CHECK_UPDATE(float4_mul_float8, Float4, Float8, 4.0F, 0.25, 1.0F)
    CHECK_UPDATE(float4_div_float8, Float4, Float8, 4.0F, 0.25, 16.0F)

    for (Pair x : complex_lefts) {
        for (Pair y : complex_rights) {
            const Complex4 left = complex<Complex4>(x);
            const Complex8 right = complex<Complex8>(y);
            CHECK_UPDATE(cmplx4_add_cmplx8, Complex4, Complex8, left, right, complex<Complex4>(x + y))
            CHECK_UPDATE(cmplx4_sub_cmplx8, Complex4, Complex8, left, right, complex<Complex4>(x - y))
            CHECK_UPDATE(cmplx4_mul_cmplx8, Complex4, Complex8, left, right, complex<Complex4>(x * y))
            CHECK_UPDATE(cmplx4_div_cmplx8, Complex4, Complex8, left, right, complex<Complex4>(x / y))
        }
    }
}

#ifdef __SIZEOF_FLOAT128__
FLOAT_TEST(16)
COMPLEX_TEST(16)

#define BY_QUAD(V, kind, T) ARITHMETIC_BOTH(V, kind, T, Float16, _fp)
#define EVERY_BY_QUAD(V)             \
    BY_QUAD(V, fixed1, std::int8_t)  \
    BY_QUAD(V, fixed2, std::int16_t) \
    BY_QUAD(V, fixed4, std::int32_t) \
    BY_QUAD(V, fixed8, std::int64_t) \
    BY_QUAD(V, float4, Float4)       \
    BY_QUAD(V, float8, Float8)       \
    BY_QUAD(V, float10, Float10)
#define EVERY_UNSIGNED_BY_QUAD(V)      \
    BY_QUAD(V, fixed1u, std::uint8_t)  \
    BY_QUAD(V, fixed2u, std::uint16_t) \
    BY_QUAD(V, fixed4u, std::uint32_t) \
    BY_QUAD(V, fixed8u, std::uint64_t)

EVERY_BY_QUAD(DECLARE_IT)
EVERY_UNSIGNED_BY_QUAD(DECLARE_IT)

TEST(KmpcAtomic, QuadOperand) {
    for (double x : {1.0, -4.0, 16.0}) {
        for (double y : {0.25, -2.0, 4.0}) {
            EVERY_BY_QUAD(CHECK_REAL)
        }
    }
    {
        // Left is the location: an unsigned result has to stay positive.
        const double x = 16, y = 2;
        CHECK_REAL(fixed1u_sub, _fp, std::uint8_t, Float16, x - y)
    }
    for (double x : {4.0, 16.0}) {
        const double y = x;
        EVERY_UNSIGNED_BY_QUAD(CHECK_REAL)
    }
    {
        // Beyond a signed 64-bit integer, and beyond what a double can tell apart.
        const std::uint64_t huge = 0x8000000000000401U;
        CHECK_BOTH(fixed8u_add, _fp, std::uint64_t, Float16, huge, 2, huge + 2)
        CHECK_BOTH(fixed8u_sub, _rev_fp, std::uint64_t, Float16, 1, static_cast<Float16>(huge), huge - 1)
    }
}
#endif

// ---- entries that know the width only

#define DECLARE_GENERIC(w) extern "C" void __kmpc_atomic_##w(void*, int, void*, void*, void (*)(void*, void*, void*));
DECLARE_GENERIC(1)
DECLARE_GENERIC(2)
DECLARE_GENERIC(4)
DECLARE_GENERIC(8)
DECLARE_GENERIC(10)
DECLARE_GENERIC(16)
DECLARE_GENERIC(20)
DECLARE_GENERIC(32)

template <class T>
void subtract(void* result, void* left, void* right) {
    *static_cast<T*>(result) = *static_cast<T*>(left) - *static_cast<T*>(right);
}

template <class T, class Entry>
void check_generic(Entry entry, T x, T y) {
    Location<T> location(x, 0);
    entry(nullptr, 0, location.at(), &y, subtract<T>);
    EXPECT_TRUE(location.value() == x - y);
    EXPECT_TRUE(location.neighbours_intact());
}

TEST(KmpcAtomic, Generic) {
    check_generic<std::int8_t>(__kmpc_atomic_1, 5, 7);
    check_generic<std::int16_t>(__kmpc_atomic_2, 500, 700);
    check_generic<std::int32_t>(__kmpc_atomic_4, 50000, 70000);
    check_generic<double>(__kmpc_atomic_8, 0.5, 0.75);
    check_generic<Float10>(__kmpc_atomic_10, 0.5L, 0.75L);
    check_generic<Complex8>(__kmpc_atomic_16, complex<Complex8>({1, 2}), complex<Complex8>({3, 5}));
    // The value's last bytes lie beyond the first 20.
    check_generic<Complex10>(__kmpc_atomic_20, complex<Complex10>({1, 2}), complex<Complex10>({3, 5}));
#ifdef __SIZEOF_FLOAT128__
    check_generic<Complex16>(__kmpc_atomic_32, complex<Complex16>({1, 2}), complex<Complex16>({3, 5}));
#else
    check_generic<Complex10>(__kmpc_atomic_32, complex<Complex10>({1, 2}), complex<Complex10>({3, 5}));
#endif
}

#define COMPARE_AND_SWAP_TEST(w, T)                                               \
    extern "C" bool __kmpc_atomic_bool_##w##_cas(void*, int, T*, T, T);           \
    extern "C" bool __kmpc_atomic_bool_##w##_cas_cpt(void*, int, T*, T, T, T*);   \
    extern "C" T __kmpc_atomic_val_##w##_cas(void*, int, T*, T, T);               \
    extern "C" T __kmpc_atomic_val_##w##_cas_cpt(void*, int, T*, T, T, T*);       \
    TEST(KmpcAtomic, CompareAndSwap##w) {                                         \
        T x = -7;                                                                 \
        EXPECT_FALSE(__kmpc_atomic_bool_##w##_cas(nullptr, 0, &x, 1, 2));         \
        EXPECT_EQ(x, -7);                                                         \
        EXPECT_TRUE(__kmpc_atomic_bool_##w##_cas(nullptr, 0, &x, -7, 2));         \
        EXPECT_EQ(x, 2);                                                          \
        EXPECT_EQ(__kmpc_atomic_val_##w##_cas(nullptr, 0, &x, 1, 3), 2);          \
        EXPECT_EQ(x, 2);                                                          \
        EXPECT_EQ(__kmpc_atomic_val_##w##_cas(nullptr, 0, &x, 2, 3), 2);          \
        EXPECT_EQ(x, 3);                                                          \
        T v = 99;                                                                 \
        EXPECT_TRUE(__kmpc_atomic_bool_##w##_cas_cpt(nullptr, 0, &x, 3, 4, &v));  \
        EXPECT_EQ(x, 4);                                                          \
        EXPECT_EQ(v, 99);                                                         \
        EXPECT_FALSE(__kmpc_atomic_bool_##w##_cas_cpt(nullptr, 0, &x, 3, 5, &v)); \
        EXPECT_EQ(v, 4);                                                          \
        EXPECT_EQ(__kmpc_atomic_val_##w##_cas_cpt(nullptr, 0, &x, 4, 6, &v), 4);  \
        EXPECT_EQ(x, 6);                                                          \
        EXPECT_EQ(v, 6);                                                          \
        EXPECT_EQ(__kmpc_atomic_val_##w##_cas_cpt(nullptr, 0, &x, 4, 8, &v), 6);  \
        EXPECT_EQ(x, 6);                                                          \
        EXPECT_EQ(v, 6);                                                          \
    }

COMPARE_AND_SWAP_TEST(1, std::int8_t)
COMPARE_AND_SWAP_TEST(2, std::int16_t)
COMPARE_AND_SWAP_TEST(4, std::int32_t)
COMPARE_AND_SWAP_TEST(8, std::int64_t)

// ---- contention

constexpr int threads = 4;
constexpr int rounds = 200000;

template <class Work>
void in_threads(Work work) {
    std::vector<std::thread> all;
    std::latch started(threads);
    for (int number = 0; number < threads; ++number)
        all.emplace_back([=, &started] {
            started.arrive_and_wait();
            for (int round = 0; round < rounds; ++round) work(number, round);
        });
    for (std::thread& each : all) each.join();
}

TEST(KmpcAtomicContention, NoAdditionIsLost) {
    std::int64_t fixed = 0;
    float single = 0;
    Complex8 complex8 = 0;
    Float10 float10 = 0;
    Complex4 complex4 = 0;
    alignas(64) unsigned char line_crosser[128] = {};
    auto* misaligned = reinterpret_cast<std::int64_t*>(line_crosser + 60);
    Complex10 generic = 0;
    in_threads([&](int, int) {
        __kmpc_atomic_fixed8_add(nullptr, 0, &fixed, 1);
        __kmpc_atomic_float4_add(nullptr, 0, &single, 1);
        __kmpc_atomic_cmplx8_add(nullptr, 0, &complex8, complex<Complex8>({1, -2}));
        __kmpc_atomic_float10_add(nullptr, 0, &float10, 1);
        __kmpc_atomic_cmplx4_sub(nullptr, 0, &complex4, complex<Complex4>({1, -2}));
        __kmpc_atomic_fixed8_sub(nullptr, 0, misaligned, 3);
        Complex10 one = complex<Complex10>({1, 1});
        __kmpc_atomic_20(nullptr, 0, &generic, &one, subtract<Complex10>);
    });
    constexpr int total = threads * rounds;
    EXPECT_EQ(fixed, total);
    EXPECT_EQ(single, total);
    EXPECT_TRUE(complex8 == complex<Complex8>({total, -2.0 * total}));
    EXPECT_TRUE(float10 == total);
    EXPECT_TRUE(complex4 == complex<Complex4>({-total, 2.0 * total}));
    std::int64_t crossing;
    std::memcpy(&crossing, misaligned, sizeof(crossing));
    EXPECT_EQ(crossing, -3 * total);
    EXPECT_TRUE(generic == complex<Complex10>({-total, -total}));
}

TEST(KmpcAtomicContention, NeighbouringBytesAreLeftAlone) {
    std::int8_t bytes[threads];
    std::memset(bytes, 1, sizeof(bytes));
    in_threads([&](int number, int) { __kmpc_atomic_fixed1_mul(nullptr, 0, &bytes[number], 3); });
    std::uint8_t product = 1;
    for (int round = 0; round < rounds; ++round) product = static_cast<std::uint8_t>(product * 3);
    for (std::int8_t byte : bytes) EXPECT_EQ(byte, static_cast<std::int8_t>(product));
}

TEST(KmpcAtomicContention, EveryCaptureIsSeenOnce) {
    std::int32_t next = 0;
    std::vector<unsigned char> seen(threads * rounds);
    in_threads([&](int, int) { ++seen[static_cast<std::size_t>(__kmpc_atomic_fixed4_add_cpt(nullptr, 0, &next, 1, 0))]; });
    for (unsigned char times : seen) EXPECT_EQ(times, 1);
}

TEST(KmpcAtomicContention, MaximumStands) {
    std::int32_t largest = -1;
    in_threads([&](int number, int round) { __kmpc_atomic_fixed4_max(nullptr, 0, &largest, round * threads + number); });
    EXPECT_EQ(largest, threads * rounds - 1);
}

// A reader of a wide location never sees half a write.
TEST(KmpcAtomicContention, WideReadsAreWhole) {
    Complex10 location = 0;
    std::vector<unsigned char> torn(threads);
    in_threads([&](int number, int round) {
        const double mark = number * rounds + round;
        if (number % 2 == 0) {
            __kmpc_atomic_cmplx10_wr(nullptr, 0, &location, complex<Complex10>({mark, -mark}));
        } else {
            const Complex10 value = __kmpc_atomic_cmplx10_rd(nullptr, 0, &location);
            if (__real__ value != -__imag__ value) torn[number] = 1;
        }
    });
    for (unsigned char any : torn) EXPECT_EQ(any, 0);
}

}  // namespace
