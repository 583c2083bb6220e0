// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/icv/settings.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "fiber/fiber.hpp"
#include "omp/affinity/hw_subset.hpp"
#include "omp/affinity/places.hpp"
#include "omp/icv/parse.hpp"
#include "omp/memory/allocator_text.hpp"

namespace gossamer::omp {

namespace {

// A copy that outlives the program's changes to its environment. It is never freed. Empty when memory is out.
const char* keep(std::string_view text) {
    auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (copy == nullptr) return "";
    std::memcpy(copy, text.data(), text.size());
    copy[text.size()] = '\0';
    return copy;
}

template <auto member>
bool read_boolean(std::string_view text, GlobalIcvs& icvs) {
    auto value = parse_boolean(text);
    if (value) icvs.*member = *value;
    return value.has_value();
}

template <auto member>
bool read_positive(std::string_view text, GlobalIcvs& icvs) {
    auto value = parse_positive(text);
    if (value) icvs.*member = *value;
    return value.has_value();
}

bool read_carriers(std::string_view text, GlobalIcvs& icvs) {
    const auto value = parse_positive(text);
    if (value) icvs.carriers = std::min(*value, fiber::most_workers);
    return value && *value <= fiber::most_workers;
}

bool read_task_limit(std::string_view text, GlobalIcvs& icvs) {
    const auto value = parse_positive(text);
    if (value) icvs.task_limit = std::min(*value, GlobalIcvs::most_task_limit);
    return value && *value <= GlobalIcvs::most_task_limit;
}

template <auto member>
bool read_count(std::string_view text, GlobalIcvs& icvs) {
    auto value = parse_count(text);
    if (value) icvs.*member = static_cast<std::remove_reference_t<decltype(icvs.*member)>>(*value);
    return value.has_value();
}

template <std::uint64_t unit>
bool read_stack_size(std::string_view text, GlobalIcvs& icvs) {
    const auto size = parse_stack_size(text, unit);
    if (size) icvs.stack_size = fitting_stack_size(*size);
    return size && fitting_stack_size(*size) == *size;
}

bool read_schedule(std::string_view text, GlobalIcvs& icvs) {
    auto schedule = parse_schedule(text);
    if (schedule) icvs.run_schedule = *schedule;
    return schedule.has_value();
}

bool read_wait_policy(std::string_view text, GlobalIcvs& icvs) {
    auto word = parse_word(text, {"passive", "active"});
    if (word) icvs.waiting.policy = *word == 0 ? WaitPolicy::passive : WaitPolicy::active;
    return word.has_value();
}

bool read_library(std::string_view text, GlobalIcvs& icvs) {
    auto word = parse_word(text, {"throughput", "turnaround", "serial"});
    if (!word) return false;
    if (*word == 1) icvs.waiting.policy = WaitPolicy::active;
    constexpr Library libraries[] = {Library::throughput, Library::turnaround, Library::serial};
    icvs.library = libraries[*word];
    return true;
}

bool read_blocktime(std::string_view text, GlobalIcvs& icvs) {
    auto time = parse_blocktime(text);
    if (!time) return false;
    icvs.waiting.blocktime_us = *time;
    icvs.waiting.blocktime_set = true;
    return true;
}

bool read_spin_count(std::string_view text, GlobalIcvs& icvs) {
    auto count = parse_spin_count(text);
    if (!count) return false;
    icvs.waiting.spin_count = *count;
    icvs.waiting.spin_count_set = true;
    return true;
}

// OMP_NESTED (§21.1.5 of 5.1; deprecated): without nesting, one active level.
bool read_nested(std::string_view text, GlobalIcvs& icvs) {
    auto nested = parse_boolean(text);
    if (nested) icvs.max_active_levels = *nested ? max_levels : 1;
    return nested.has_value();
}

void set_places(const char* text, bool are_cpus, GlobalIcvs& icvs) {
    icvs.places = text;
    icvs.places_are_cpus = are_cpus;
    icvs.places_are_ordered = false;
    // A user who names places wants threads to be bound to them, unless OMP_PROC_BIND, which is read later, says otherwise.
    if (icvs.bind_count == 0) {
        icvs.bind[0] = Bind::yes;
        icvs.bind_count = 1;
    }
}

bool read_places(std::string_view text, GlobalIcvs& icvs) {
    if (!valid_places(text)) return false;
    set_places(keep(text), false, icvs);
    return true;
}

bool read_gomp_affinity(std::string_view text, GlobalIcvs& icvs) {
    if (!valid_cpu_places(text)) return false;
    set_places(keep(text), true, icvs);
    return true;
}

bool read_kmp_affinity(std::string_view text, GlobalIcvs& icvs) {
    auto affinity = parse_kmp_affinity(text);
    if (!affinity) return false;
    // Processors and ranges of them as in GOMP_CPU_AFFINITY, or sets in braces as in OMP_PLACES.
    const bool are_cpus = valid_cpu_places(affinity->proclist);
    if (!affinity->proclist.empty() && !are_cpus && !valid_places(affinity->proclist)) return false;
    icvs.bind[0] = affinity->bind;
    icvs.bind_count = 1;
    if (!affinity->proclist.empty())
        set_places(keep(affinity->proclist), are_cpus, icvs);
    else if (affinity->places != nullptr)
        set_places(affinity->places, false, icvs);
    icvs.places_are_ordered = affinity->ordered;
    icvs.place_order = affinity->order;
    icvs.reset_affinity = affinity->reset;
    return true;
}

bool read_hw_subset(std::string_view text, GlobalIcvs& icvs) {
    if (!valid_hw_subset(text)) return false;
    icvs.hw_subset = keep(trim(text));
    return true;
}

bool read_target_offload(std::string_view text, GlobalIcvs& icvs) {
    auto word = parse_word(text, {"default", "disabled", "mandatory"});
    if (word) icvs.offload = static_cast<Offload>(*word);
    return word.has_value();
}

bool read_display_env(std::string_view text, GlobalIcvs& icvs) {
    if (parse_word(text, {"verbose"})) {
        icvs.display_env = DisplayEnv::verbose;
        return true;
    }
    auto value = parse_boolean(text);
    if (value) icvs.display_env = *value ? DisplayEnv::yes : DisplayEnv::no;
    return value.has_value();
}

bool read_allocator(std::string_view text, GlobalIcvs& icvs) {
    auto allocator = parse_allocator(text);
    if (!allocator) return false;
    icvs.default_allocator = *allocator;
    icvs.default_allocator_text = keep(trim(text));
    return true;
}

bool read_affinity_format(std::string_view text, GlobalIcvs& icvs) {
    icvs.affinity_format = keep(text);
    return true;
}

bool read_tool(std::string_view text, GlobalIcvs& icvs) {
    auto word = parse_word(text, {"enabled", "disabled"});
    if (word) icvs.tool = static_cast<ToolUse>(*word);
    return word.has_value();
}

bool read_tool_libraries(std::string_view text, GlobalIcvs& icvs) {
    icvs.tool_libraries = keep(text);
    return true;
}

bool read_tool_verbose_init(std::string_view text, GlobalIcvs& icvs) {
    if (trim(text).empty()) return false;
    icvs.tool_verbose_init = keep(trim(text));
    return true;
}

bool read_debug(std::string_view text, GlobalIcvs& icvs) {
    auto word = parse_word(text, {"disabled", "enabled"});
    if (word) icvs.debug = *word == 1;
    return word.has_value();
}

bool read_quota_rounding(std::string_view text, GlobalIcvs& icvs) {
    auto word = parse_word(text, {"up", "down", "nearest", "off"});
    if (word) icvs.quota_rounding = static_cast<QuotaRounding>(*word);
    return word.has_value();
}

bool read_without(std::string_view text, GlobalIcvs& icvs) {
    std::uint32_t without = 0;
    Splitter items(text);
    while (auto item = items.next()) {
        auto bit = parse_word(*item, {mechanism_names[0], mechanism_names[1], mechanism_names[2], mechanism_names[3],
                                      mechanism_names[4], mechanism_names[5]});
        if (!bit) return false;
        without |= 1u << *bit;
    }
    icvs.without = without;
    return true;
}

bool read_one_to_one(std::string_view text, GlobalIcvs& icvs) {
    icvs.one_to_one_set = read_boolean<&GlobalIcvs::one_to_one>(text, icvs);
    return icvs.one_to_one_set;
}

bool read_chaos(std::string_view text, GlobalIcvs& icvs) {
    auto seed = parse_unsigned(text);
    if (!seed) return false;
    icvs.chaos = true;
    icvs.chaos_seed = *seed;
    return true;
}

constexpr const char* boolean = "true or false";
constexpr const char* positive = "a positive integer";
constexpr const char* count = "a non-negative integer";
constexpr const char* size = "a size from 64K on such as 8M (units B, K, M, G)";

using G = GlobalIcvs;
using T = Target;

constexpr Setting table[] = {
    {"OMP_DYNAMIC", T::dynamic, read_boolean<&G::dynamic>, boolean, true},
    {"OMP_NUM_THREADS", T::num_threads, parse_thread_list, "a list of positive integers", true},
    {"OMP_SCHEDULE", T::schedule, read_schedule, "[monotonic:|nonmonotonic:]static|dynamic|guided|auto[,chunk]", true},
    {"KMP_AFFINITY", T::proc_bind, read_kmp_affinity,
     "[modifier,...]none|compact|scatter|balanced|explicit|disabled[,permute][,offset]"},
    {"GOMP_CPU_AFFINITY", T::places, read_gomp_affinity, "a list of CPU numbers and ranges such as 0-3 5 8-14:2"},
    {"OMP_PLACES", T::places, read_places, "threads, cores, ll_caches, numa_domains or sockets, or a list such as {0:4},{4:4}",
     true},
    {"OMP_PROC_BIND", T::proc_bind, parse_bind_list, "true, false, or a list of primary, close, spread and unset", true},
    {"OMP_STACKSIZE", T::stack_size, read_stack_size<1024>, size, true},
    {"GOMP_STACKSIZE", T::stack_size, read_stack_size<1024>, size},
    {"KMP_STACKSIZE", T::stack_size, read_stack_size<1>, size},
    {"KMP_LIBRARY", T::library, read_library, "serial, turnaround or throughput"},
    {"OMP_WAIT_POLICY", T::wait_policy, read_wait_policy, "active or passive", true},
    {"KMP_BLOCKTIME", T::blocktime, read_blocktime, "milliseconds, a number with a unit us, ms or s, or infinite"},
    {"GOMP_SPINCOUNT", T::spin_count, read_spin_count, "a number with an optional unit k, M, G or T, or infinity"},
    {"KMP_MAX_THREADS", T::device_thread_limit, read_positive<&G::device_thread_limit>, positive},
    {"KMP_ALL_THREADS", T::device_thread_limit, read_positive<&G::device_thread_limit>, positive},
    {"KMP_DEVICE_THREAD_LIMIT", T::device_thread_limit, read_positive<&G::device_thread_limit>, positive},
    {"OMP_THREAD_LIMIT", T::thread_limit, read_positive<&G::thread_limit>, positive, true},
    {"OMP_NESTED", T::max_active_levels, read_nested, boolean, true},
    {"OMP_MAX_ACTIVE_LEVELS", T::max_active_levels, read_count<&G::max_active_levels>, count, true},
    {"OMP_CANCELLATION", T::cancellation, read_boolean<&G::cancellation>, boolean},
    {"OMP_DEFAULT_DEVICE", T::default_device, read_count<&G::default_device>, count},
    {"OMP_MAX_TASK_PRIORITY", T::max_task_priority, read_count<&G::max_task_priority>, count},
    {"OMP_TARGET_OFFLOAD", T::target_offload, read_target_offload, "mandatory, disabled or default"},
    {"OMP_NUM_TEAMS", T::num_teams, read_positive<&G::num_teams>, positive, true},
    {"KMP_TEAMS_THREAD_LIMIT", T::teams_thread_limit, read_positive<&G::teams_thread_limit>, positive},
    {"OMP_TEAMS_THREAD_LIMIT", T::teams_thread_limit, read_positive<&G::teams_thread_limit>, positive, true},
    {"OMP_ALLOCATOR", T::allocator, read_allocator, "a predefined allocator, or a memory space[:trait=value,...]"},
    {"OMP_DISPLAY_AFFINITY", T::display_affinity, read_boolean<&G::display_affinity>, boolean},
    {"OMP_AFFINITY_FORMAT", T::affinity_format, read_affinity_format, "a format", true},
    {"OMP_TOOL", T::tool, read_tool, "enabled or disabled"},
    {"OMP_TOOL_LIBRARIES", T::tool_libraries, read_tool_libraries, "a list of files"},
    {"OMP_TOOL_VERBOSE_INIT", T::tool_verbose_init, read_tool_verbose_init, "disabled, stdout, stderr or a file's name"},
    {"OMP_DEBUG", T::debug, read_debug, "enabled or disabled"},
    {"OMP_DISPLAY_ENV", T::display_env, read_display_env, "true, false or verbose"},
    {"KMP_DETERMINISTIC_REDUCTION", T::deterministic_reduction, read_boolean<&G::deterministic_reduction>, boolean},
    {"KMP_SETTINGS", T::print_settings, read_boolean<&G::print_settings>, boolean},
    {"KMP_VERSION", T::print_version, read_boolean<&G::print_version>, boolean},
    {"KMP_WARNINGS", T::warnings, read_boolean<&G::warnings>, boolean},
    {"KMP_ENABLE_TASK_THROTTLING", T::task_throttling, read_boolean<&G::task_throttling>, boolean},
    {"KMP_HW_SUBSET", T::hw_subset, read_hw_subset, "layers s, n, ll, c, t with numbers and offsets such as 1s,4c@2,1t"},
    {"GOSSAMER_CARRIERS", T::carriers, read_carriers, "a positive integer up to 512"},
    {"GOSSAMER_QUOTA_ROUND", T::quota_rounding, read_quota_rounding, "up, down, nearest or off"},
    {"GOSSAMER_STATS", T::stats, read_boolean<&G::stats>, boolean},
    {"GOSSAMER_TASK_LIMIT", T::task_limit, read_task_limit, "a positive integer up to 16777216"},
    {"GOSSAMER_ONE_TO_ONE", T::one_to_one, read_one_to_one, boolean},
    {"GOSSAMER_CHAOS", T::chaos, read_chaos, "a seed, which is a non-negative integer"},
    {"GOSSAMER_WITHOUT", T::without, read_without, "a list of hot-teams, ranges, calls, spinning, fsgsbase and lookahead"},
};

constexpr const char* without_effect[] = {
    "KMP_DUPLICATE_LIB_OK", "KMP_INIT_AT_FORK", "KMP_HOT_TEAMS_MAX_LEVEL",      "KMP_HOT_TEAMS_MODE",
    "KMP_FORCE_REDUCTION",  "KMP_USE_YIELD",    "KMP_TASK_STEALING_CONSTRAINT",
};

}  // namespace

std::span<const Setting> all_settings() { return table; }

std::span<const char* const> settings_without_effect() { return without_effect; }

bool has_no_meaning(std::string_view name) {
    return name == "KMP_TOPOLOGY_METHOD" || (begins_with(name, "KMP_") && name.find("_BARRIER") != std::string_view::npos) ||
           (begins_with(name, "LIBOMP_") && name.find("HIDDEN_HELPER") != std::string_view::npos);
}

bool is_known(std::string_view name) {
    const auto is_name = [name](const char* known) { return name == known; };
    if (std::any_of(std::begin(without_effect), std::end(without_effect), is_name)) return true;
    return std::any_of(std::begin(table), std::end(table), [name](const Setting& setting) {
        const std::string_view own(setting.name);
        if (name.size() == own.size() || !setting.by_device) return name == own;
        const std::string_view suffix = slice(name, own.size());
        return begins_with(name, own) && (suffix == "_ALL" || begins_with(suffix, "_DEV"));
    });
}

bool looks_like_setting(std::string_view name) {
    return begins_with(name, "OMP_") || begins_with(name, "KMP_") || begins_with(name, "GOMP_") || begins_with(name, "LIBOMP_");
}

const char* variable_of(Target target) {
    const char* name = "";
    // Of the variables with one target the last is the best known, but for the stack's size.
    if (target == Target::stack_size) return "OMP_STACKSIZE";
    for (const Setting& setting : table) {
        if (setting.target == target) name = setting.name;
    }
    return name;
}

}  // namespace gossamer::omp
