// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace gossamer::model {

constexpr unsigned max_threads = 4;
constexpr unsigned max_locations = 48;
constexpr unsigned max_messages = 64;  // stores to one location in one execution

/// Mixes one more word into a hash; states are told apart by 64 bits of it.
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}

/// What a thread knows: how far it has come in the history of each location (coherence), and which plain
/// accesses of each thread happened before, counted.
struct View {
    std::array<std::uint8_t, max_locations> seen{};
    std::array<std::uint16_t, max_threads> clock{};

    void join_seen(const View& other) {
        for (unsigned i = 0; i < max_locations; ++i) seen[i] = std::max(seen[i], other.seen[i]);
    }

    void join(const View& other) {
        join_seen(other);
        for (unsigned i = 0; i < max_threads; ++i) clock[i] = std::max(clock[i], other.clock[i]);
    }

    /// Of the first `locations` places, counted from `base`: what lies before it constrains no thread any more.
    std::uint64_t hash(unsigned locations, const std::array<std::uint8_t, max_locations>& base) const {
        std::uint64_t result = 1;
        std::uint64_t word = 0;
        for (unsigned i = 0; i < locations; ++i) {
            word = word << 8 | static_cast<std::uint8_t>(seen[i] > base[i] ? seen[i] - base[i] : 0);
            if (i % 8 == 7) result = mix(result, word);
        }
        result = mix(result, word);
        static_assert(sizeof(clock) == sizeof(std::uint64_t));
        return mix(result, std::bit_cast<std::uint64_t>(clock));
    }
};

}  // namespace gossamer::model
