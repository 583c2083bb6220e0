// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/affinity/hw_subset.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "omp/icv/parse.hpp"

namespace gossamer::omp {

namespace {

struct Layer {
    os::Domain domain;
    bool always;  // counts even where it is not named
    const char* names[4];
};

// From the largest units to the smallest.
constexpr Layer layers[] = {
    {os::Domain::socket, true, {"s", "socket", "sockets"}},
    {os::Domain::numa_node, false, {"n", "numa_domain", "numa_domains", "numa"}},
    {os::Domain::last_cache, false, {"ll", "l3", "ll_cache", "ll_caches"}},
    {os::Domain::core, true, {"c", "core", "cores"}},
    {os::Domain::thread, true, {"t", "thread", "threads"}},
};
constexpr std::size_t layer_count = std::size(layers);

// What is used of each unit of the next larger layer that counts.
struct Share {
    bool named = false;
    std::uint32_t count = all;
    std::uint32_t offset = 0;

    static constexpr std::uint32_t all = UINT32_MAX;
};

struct Shares {
    std::array<Share, layer_count> of;
    bool only_named = false;  // no layer counts but those that are named
};

std::size_t layer_of(std::string_view name) {
    for (std::size_t at = 0; at < layer_count; ++at) {
        for (const char* known : layers[at].names) {
            if (known != nullptr && equal_ignoring_case(name, known)) return at;
        }
    }
    return layer_count;
}

// [ number | "*" ] layer [ "@" number ]
bool read_item(std::string_view item, Shares& shares) {
    Share share;
    share.named = true;
    const std::size_t digits = std::min(item.find_first_not_of("0123456789"), item.size());
    if (digits > 0) {
        const auto count = parse_positive(slice(item, 0, digits));
        if (!count) return false;
        share.count = *count;
    }
    std::string_view name = trim(slice(item, digits));
    if (digits == 0 && !name.empty() && name.front() == '*') name = trim(slice(name, 1));
    if (const std::size_t at = name.find('@'); at != std::string_view::npos) {
        const auto offset = parse_count(trim(slice(name, at + 1)));
        if (!offset) return false;
        share.offset = *offset;
        name = trim(slice(name, 0, at));
    }
    const std::size_t layer = layer_of(name);
    if (layer == layer_count || shares.of[layer].named) return false;
    shares.of[layer] = share;
    return true;
}

std::optional<Shares> read_shares(std::string_view text) {
    text = trim(text);
    Shares shares;
    shares.only_named = !text.empty() && text.front() == ':';
    if (shares.only_named) text.remove_prefix(1);
    Splitter items(text);
    while (auto item = items.next()) {
        if (!read_item(*item, shares)) return std::nullopt;
    }
    return shares;
}

class Selection {
public:
    Selection(const Shares& shares, const os::CpuMask& allowed, GroupOf group_of)
        : shares_(shares),
          groups_{{layers[0].domain, allowed, group_of},
                  {layers[1].domain, allowed, group_of},
                  {layers[2].domain, allowed, group_of},
                  {layers[3].domain, allowed, group_of},
                  {layers[4].domain, allowed, group_of}} {}

    // Adds what the layers from `layer` on select of `cpus`, which lie in one unit of each larger layer that is visited. A
    // layer that does not count is visited too, so that the units of the next one are numbered core by core and socket by
    // socket.
    void add(std::size_t layer, const os::CpuMask& cpus) {
        while (layer < layer_count && !shares_.of[layer].named && !layers[layer].always) ++layer;
        if (layer == layer_count) return keep(cpus);
        const Share& share = shares_.of[layer];
        const bool counts = share.named || !shares_.only_named;
        const std::uint64_t end = std::uint64_t{share.offset} + share.count;
        std::uint64_t& number = numbers_[layer];
        groups_[layer].each(cpus, [&](const os::CpuMask& unit) {
            if (counts && number >= end) return false;
            if (counts) std::fill(numbers_ + layer + 1, numbers_ + layer_count, 0);
            if (!counts || number >= share.offset) add(layer + 1, unit);
            ++number;
            return true;
        });
        most_[layer] = std::max(most_[layer], number);
    }

    // Whether, for each layer, some unit had as much as was asked for.
    bool is_complete() const {
        for (std::size_t layer = 0; layer < layer_count; ++layer) {
            const Share& share = shares_.of[layer];
            const std::uint64_t wanted = std::uint64_t{share.offset} + (share.count == Share::all ? 1 : share.count);
            if (share.named && most_[layer] < wanted) return false;
        }
        return true;
    }

    const os::CpuMask& selected() const { return selected_; }

private:
    void keep(const os::CpuMask& cpus) {
        for (unsigned cpu = cpus.next(0); cpu != os::CpuMask::none; cpu = cpus.next(cpu + 1)) selected_.add(cpu);
    }

    const Shares& shares_;
    const Groups groups_[layer_count];
    std::uint64_t numbers_[layer_count] = {};  // units visited within the current unit of the next larger layer that counts
    std::uint64_t most_[layer_count] = {};
    os::CpuMask selected_;
};

}  // namespace

bool valid_hw_subset(std::string_view text) { return read_shares(text).has_value(); }

os::CpuMask hw_subset(std::string_view text, const os::CpuMask& allowed, GroupOf group_of) {
    const auto shares = read_shares(text);
    if (!shares) return {};
    Selection selection(*shares, allowed, group_of);
    selection.add(0, allowed);
    return selection.is_complete() ? selection.selected() : os::CpuMask{};
}

}  // namespace gossamer::omp
