// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/affinity/place_order.hpp"

#include <algorithm>
#include <cstdlib>

namespace gossamer::omp {

namespace {

// Outermost first.
constexpr os::Domain domains[] = {os::Domain::socket, os::Domain::numa_node, os::Domain::last_cache, os::Domain::core,
                                  os::Domain::thread};
constexpr std::uint32_t levels = 5;

struct PlaceCoordinates {
    std::uint32_t place;
    unsigned at[levels];  // group numbers at first, coordinates later
};

bool less(const PlaceCoordinates& left, const PlaceCoordinates& right) {
    for (std::uint32_t level = 0; level < levels; ++level) {
        if (left.at[level] != right.at[level]) return left.at[level] < right.at[level];
    }
    return left.place < right.place;
}

// The outermost level at which a place is in another group than the one before it; `levels` if there is none.
std::uint32_t first_difference(const PlaceCoordinates& before, const PlaceCoordinates& place) {
    std::uint32_t level = 0;
    while (level < levels && before.at[level] == place.at[level]) ++level;
    return level;
}

// Which levels count, outermost first. A memory node or a cache counts where it is neither a whole level above it nor the
// same as a core. The coordinates are sorted by groups.
std::uint32_t choose_levels(const PlaceCoordinates* coordinates, std::uint32_t count, std::uint32_t (&chosen)[levels]) {
    std::uint32_t groups[levels] = {1, 1, 1, 1, 1};
    for (std::uint32_t i = 1; i < count; ++i) {
        for (std::uint32_t level = first_difference(coordinates[i - 1], coordinates[i]); level < levels; ++level)
            ++groups[level];
    }
    // Levels lie within each other, so those with as many groups are the same.
    const bool nodes = groups[1] != groups[0] && groups[1] != groups[3];
    const bool caches = groups[2] != groups[0] && groups[2] != groups[1] && groups[2] != groups[3];
    std::uint32_t depth = 0;
    for (std::uint32_t level = 0; level < levels; ++level) {
        if ((level != 1 || nodes) && (level != 2 || caches)) chosen[depth++] = level;
    }
    return depth;
}

// Turns group numbers into coordinates: the number of a group within the group of the level above.
void number(PlaceCoordinates* coordinates, std::uint32_t count, const std::uint32_t* chosen, std::uint32_t depth) {
    PlaceCoordinates before = coordinates[0];
    unsigned numbers[levels] = {};
    for (std::uint32_t i = 0; i < count; ++i) {
        const PlaceCoordinates groups = coordinates[i];
        bool above = false;
        for (std::uint32_t at = 0; at < depth; ++at) {
            const std::uint32_t level = chosen[at];
            if (above) {
                numbers[level] = 0;
            } else if (groups.at[level] != before.at[level]) {
                ++numbers[level];
                above = true;
            }
            coordinates[i].at[level] = numbers[level];
        }
        before = groups;
    }
}

}  // namespace

bool order_places(PlaceList& list, const PlaceOrder& order, GroupOf group_of) {
    const std::uint32_t count = list.size();
    if (count < 2) return true;
    auto* const coordinates = static_cast<PlaceCoordinates*>(std::malloc(count * sizeof(PlaceCoordinates)));
    if (coordinates == nullptr) return false;
    for (std::uint32_t place = 0; place < count; ++place) {
        coordinates[place].place = place;
        for (std::uint32_t level = 0; level < levels; ++level)
            coordinates[place].at[level] = group_of(domains[level], list.cpus(place)[0]);
    }
    std::sort(coordinates, coordinates + count, less);

    // The levels, slowest first: outermost to innermost for compact; then the innermost `moved` levels go to the front.
    std::uint32_t slowest[levels];
    const std::uint32_t depth = choose_levels(coordinates, count, slowest);
    number(coordinates, count, slowest, depth);
    const std::uint32_t permute = order.permute < depth ? order.permute : 0;
    const std::uint32_t moved = order.scatter ? depth - 1 - permute : permute;
    std::reverse(slowest + depth - moved, slowest + depth);
    std::rotate(slowest, slowest + depth - moved, slowest + depth);
    std::sort(coordinates, coordinates + count, [&](const PlaceCoordinates& left, const PlaceCoordinates& right) {
        for (std::uint32_t i = 0; i < depth; ++i) {
            const std::uint32_t level = slowest[i];
            if (left.at[level] != right.at[level]) return left.at[level] < right.at[level];
        }
        return left.place < right.place;
    });

    PlaceList ordered;
    bool enough = true;
    for (std::uint32_t i = 0; i < count; ++i) {
        os::CpuMask cpus;
        for (const std::uint16_t cpu : list.cpus(coordinates[(i + order.offset % count) % count].place)) cpus.add(cpu);
        enough = enough && ordered.add(cpus);
    }
    std::free(coordinates);
    if (enough) list.swap(ordered);
    ordered.release();
    return enough;
}

}  // namespace gossamer::omp
