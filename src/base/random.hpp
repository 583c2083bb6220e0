// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small repeatable pseudo-random numbers for victim choice and the chaos mode; not for secrets.
#pragma once

#include <cstdint>

namespace gossamer {

// One step of splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014,
// fig. 17): a good hash of a counter, so neighbouring seeds give unrelated streams.
constexpr std::uint64_t mix64(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

// xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016,
// triple 12/25/27). One owner; equal seeds give equal streams on every machine.
class Random {
public:
    constexpr explicit Random(std::uint64_t seed = 0) : state_(mix64(seed)) {
        if (state_ == 0) state_ = 1;  // zero is the generator's fixed point
    }

    constexpr std::uint64_t next() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545f4914f6cdd1du;
    }

    // In [0, bound), bound > 0; biased by at most bound / 2^32.
    constexpr std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32); }

    // True once in `among` calls on average; among > 0.
    constexpr bool one_in(std::uint32_t among) { return below(among) == 0; }

private:
    std::uint64_t state_;
};

}  // namespace gossamer
