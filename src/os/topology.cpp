// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/topology.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/base.hpp"
#include "os/small_file.hpp"

namespace gossamer::os {

namespace {

constexpr std::size_t longest_path = 256;

// The first `length` characters, or all. (substr would need the C++ run-time library for what it throws.)
std::string_view before(std::string_view text, std::size_t length) {
    text.remove_suffix(text.size() - std::min(text.size(), length));
    return text;
}

// A list such as "3-5,9" begins with its smallest member.
std::optional<unsigned> first_number(std::string_view list) {
    auto number = parse_unsigned(before(list, list.find_first_of(",-")));
    if (!number) return std::nullopt;
    return static_cast<unsigned>(*number);
}

using ListFile = SmallFile<4096>;

std::optional<unsigned> first_in_list(const char* root, unsigned cpu, const char* list) {
    char path[longest_path];
    std::snprintf(path, sizeof path, "%s/cpu/cpu%u/%s", root, cpu, list);
    return first_number(trim(ListFile(path).text()));
}

std::optional<unsigned> last_cache_of(const char* root, unsigned cpu) {
    std::optional<unsigned> group;
    unsigned deepest = 0;
    for (unsigned index = 0; index < 10; ++index) {
        char name[64];
        std::snprintf(name, sizeof name, "cache/index%u/level", index);
        std::optional<unsigned> level = first_in_list(root, cpu, name);
        if (!level) break;
        if (*level < deepest) continue;
        std::snprintf(name, sizeof name, "cache/index%u/shared_cpu_list", index);
        if (auto first = first_in_list(root, cpu, name)) {
            deepest = *level;
            group = first;
        }
    }
    return group;
}

// The node's folder is linked from the CPU's.
std::optional<unsigned> numa_node_of(const char* root, unsigned cpu) {
    char path[longest_path];
    std::snprintf(path, sizeof path, "%s/node/online", root);
    ListFile online(path);
    Splitter ranges(trim(online.text()));
    while (auto range = ranges.next()) {
        auto dash = range->find('-');
        auto first = parse_unsigned(before(*range, dash));
        auto last = first;
        if (dash != std::string_view::npos) {
            range->remove_prefix(dash + 1);
            last = parse_unsigned(*range);
        }
        if (!first || !last) break;
        for (std::uint64_t node = *first; node <= *last; ++node) {
            std::snprintf(path, sizeof path, "%s/cpu/cpu%u/node%u", root, cpu, static_cast<unsigned>(node));
            if (::access(path, F_OK) == 0) return static_cast<unsigned>(node);
        }
    }
    return std::nullopt;
}

}  // namespace

unsigned group_of(Domain domain, unsigned cpu, const char* root) {
    std::optional<unsigned> group;
    switch (domain) {
        case Domain::thread: return cpu;
        case Domain::core:
            group = first_in_list(root, cpu, "topology/core_cpus_list");
            if (!group) group = first_in_list(root, cpu, "topology/thread_siblings_list");
            return group.value_or(cpu);
        case Domain::last_cache: return last_cache_of(root, cpu).value_or(0);
        case Domain::numa_node: return numa_node_of(root, cpu).value_or(0);
        case Domain::socket:
            group = first_in_list(root, cpu, "topology/package_cpus_list");
            if (!group) group = first_in_list(root, cpu, "topology/core_siblings_list");
            return group.value_or(0);
    }
    return 0;
}

void host_name(char* buffer, std::size_t size) {
    if (::gethostname(buffer, size) != 0 || buffer[0] == '\0') std::snprintf(buffer, size, "localhost");
    buffer[size - 1] = '\0';
}

}  // namespace gossamer::os
