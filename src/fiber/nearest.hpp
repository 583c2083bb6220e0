// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which a thief asks its victims: nearest first. A machine has few distances (the same core, cache, memory node,
// anything), so the victims at one distance form a level. Within a level the thief begins at random: otherwise all thieves of a
// place would ask the same victim.
//
// Only a carrier that is bound has a position. Where nothing is bound there is no such order, and a thief begins at random.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace gossamer::fiber {

constexpr std::uint32_t most_distances = 8;

class Nearest {
public:
    // Of `count` carriers as carrier `thief` sees them; distance(thief, other) is below most_distances. Null: no memory.
    template <class Distance>
    static const Nearest* make(std::uint32_t thief, std::uint32_t count, const Distance& distance) {
        auto* const made = static_cast<Nearest*>(std::malloc(sizeof(Nearest) + count * sizeof(std::uint16_t)));
        if (made == nullptr) return nullptr;
        std::uint16_t filled = 0;
        for (std::uint32_t level = 0; level < most_distances; ++level) {
            for (std::uint32_t other = 0; other < count; ++other) {
                if (other != thief && distance(thief, other) == level) {
                    made->victims_[filled++] = static_cast<std::uint16_t>(other);
                }
            }
            made->ends_[level] = filled;
        }
        return made;
    }

    // Calls ask(victim) for each victim until ask returns something that counts as true; returns that.
    template <class Random, class Ask>
    auto walk(Random& random, const Ask& ask) const -> decltype(ask(0u)) {
        std::uint32_t begin = 0;
        for (const std::uint16_t end : ends_) {
            const std::uint32_t size = end - begin;
            const std::uint32_t first = size > 1 ? random.below(size) : 0;
            for (std::uint32_t step = 0; step < size; ++step) {
                const std::uint32_t at = first + step < size ? first + step : first + step - size;
                if (auto found = ask(std::uint32_t{victims_[begin + at]})) return found;
            }
            begin = end;
        }
        return {};
    }

private:
    Nearest() = default;

    std::uint16_t ends_[most_distances];  // where each level ends in victims_
    std::uint16_t victims_[];
};

}  // namespace gossamer::fiber
