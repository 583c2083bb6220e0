// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/icv/parse.hpp"

#include <climits>

#include "omp/icv/settings.hpp"

namespace gossamer::omp {

namespace {

constexpr std::uint64_t smallest_stack = 64u << 10;
constexpr std::uint64_t largest_stack = std::uint64_t{1} << 40;

// The order of places that a type of KMP_AFFINITY asks for. cores: all cores before any core's second thread.
enum class Order { none, compact, scatter, cores };

struct Unit {
    const char* name;
    std::uint64_t factor;
};

// A number with one of these units behind it; the first unit serves a number without a unit.
std::optional<std::uint64_t> parse_with_unit(std::string_view text, std::initializer_list<Unit> units) {
    text = trim(text);
    std::size_t digits = text.find_first_not_of("+0123456789");
    std::string_view unit = digits == std::string_view::npos ? std::string_view() : slice(text, digits);
    auto number = parse_unsigned(slice(text, 0, digits));
    if (!number) return std::nullopt;
    for (const Unit& candidate : units) {
        if (!equal_ignoring_case(trim(unit), candidate.name)) continue;
        std::uint64_t product = 0;
        if (__builtin_mul_overflow(*number, candidate.factor, &product)) return std::nullopt;
        return product;
    }
    return std::nullopt;
}

bool is_infinite(std::string_view text) { return parse_word(text, {"infinite", "infinity"}).has_value(); }

std::optional<Bind> parse_bind(std::string_view text) {
    auto word = parse_word(text, {"primary", "master", "close", "spread", "unset"});
    if (!word) return std::nullopt;
    constexpr Bind binds[] = {Bind::primary, Bind::primary, Bind::close, Bind::spread, Bind::unset};
    return binds[*word];
}

}  // namespace

std::optional<std::uint32_t> parse_count(std::string_view text) {
    auto number = parse_unsigned(text);
    if (!number || *number > INT_MAX) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
}

std::optional<std::uint32_t> parse_positive(std::string_view text) {
    auto number = parse_count(text);
    if (number && *number == 0) return std::nullopt;
    return number;
}

std::optional<std::uint32_t> parse_word(std::string_view text, std::initializer_list<const char*> words) {
    std::uint32_t position = 0;
    for (const char* word : words) {
        if (equal_ignoring_case(trim(text), word)) return position;
        ++position;
    }
    return std::nullopt;
}

bool parse_thread_list(std::string_view text, GlobalIcvs& icvs) {
    std::array<std::uint32_t, GlobalIcvs::max_list> list{};
    std::uint32_t count = 0;
    Splitter items(text);
    while (auto item = items.next()) {
        auto number = parse_positive(*item);
        if (!number) return false;
        if (count < list.size()) list[count++] = *number;
    }
    icvs.nthreads = list;
    icvs.nthreads_count = count;
    return true;
}

bool parse_bind_list(std::string_view text, GlobalIcvs& icvs) {
    if (auto whole = parse_boolean(text)) {
        icvs.bind[0] = *whole ? Bind::yes : Bind::no;
        icvs.bind_count = 1;
        return true;
    }
    std::array<Bind, GlobalIcvs::max_list> list{};
    std::uint32_t count = 0;
    Splitter items(text);
    while (auto item = items.next()) {
        auto bind = parse_bind(*item);
        if (!bind) return false;
        if (count < list.size()) list[count++] = *bind;
    }
    icvs.bind = list;
    icvs.bind_count = count;
    return true;
}

std::optional<Schedule> parse_schedule(std::string_view text) {
    Schedule schedule;
    if (auto colon = text.find(':'); colon != std::string_view::npos) {
        auto modifier = parse_word(slice(text, 0, colon), {"monotonic", "nonmonotonic"});
        if (!modifier) return std::nullopt;
        schedule.ordering = *modifier == 0 ? Ordering::monotonic : Ordering::nonmonotonic;
        text.remove_prefix(colon + 1);
    }
    auto comma = text.find(',');
    constexpr ScheduleKind kinds[] = {ScheduleKind::static_, ScheduleKind::dynamic, ScheduleKind::guided,
                                      ScheduleKind::auto_,   ScheduleKind::dynamic, ScheduleKind::guided};
    auto kind = parse_word(slice(text, 0, comma), {"static", "dynamic", "guided", "auto", "static_steal", "trapezoidal"});
    if (!kind) return std::nullopt;
    schedule.kind = kinds[*kind];
    // What omp_get_schedule returns; for auto too, as in other runtimes, though it means nothing.
    schedule.chunk = schedule.kind == ScheduleKind::static_ ? 0 : 1;
    if (comma != std::string_view::npos) {
        auto chunk = parse_positive(slice(text, comma + 1));
        if (!chunk) return std::nullopt;
        if (schedule.kind != ScheduleKind::auto_) schedule.chunk = static_cast<std::int32_t>(*chunk);
    }
    return schedule;
}

std::optional<std::uint64_t> parse_stack_size(std::string_view text, std::uint64_t unit) {
    auto size = parse_size(text, unit);
    if (!size || *size == 0 || *size > largest_stack) return std::nullopt;
    return *size;
}

std::uint64_t fitting_stack_size(std::uint64_t bytes) {
    if (bytes < smallest_stack) return smallest_stack;
    return bytes > largest_stack ? largest_stack : bytes;
}

std::optional<std::uint64_t> parse_blocktime(std::string_view text) {
    if (is_infinite(text)) return Waiting::for_ever;
    auto plain = parse_unsigned(text);
    if (plain && *plain >= INT_MAX) return Waiting::for_ever;
    constexpr std::uint64_t second = 1'000'000;
    return parse_with_unit(
        text,
        {{"", 1000}, {"us", 1}, {"ms", 1000}, {"s", second}, {"m", 60 * second}, {"h", 3600 * second}, {"d", 86400 * second}});
}

std::optional<std::uint64_t> parse_spin_count(std::string_view text) {
    if (is_infinite(text)) return Waiting::for_ever;
    return parse_with_unit(text, {{"", 1}, {"k", 1'000}, {"m", 1'000'000}, {"g", 1'000'000'000}, {"t", 1'000'000'000'000}});
}

std::optional<KmpAffinity> parse_kmp_affinity(std::string_view text) {
    KmpAffinity affinity;
    bool has_type = false;
    bool has_permute = true;  // else the number behind the type is the offset
    std::uint32_t numbers[2] = {0, 0};
    std::uint32_t count = 0;
    // Taken out first, because a list of processors has commas of its own.
    if (auto list = text.find("proclist=["); list != std::string_view::npos) {
        auto end = text.find(']', list);
        if (end == std::string_view::npos) return std::nullopt;
        if (auto rest = trim(slice(text, end + 1)); !rest.empty() && rest.front() != ',') return std::nullopt;
        affinity.proclist = slice(text, list + 10, end - list - 10);
        // A list implies the type `explicit`.
        affinity.bind = Bind::yes;
        has_type = true;
        text = slice(text, 0, list);
        text = trim(text);
        if (!text.empty() && text.back() == ',') text.remove_suffix(1);
        if (trim(text).empty()) return affinity;
    }
    Splitter items(text);
    while (auto item = items.next()) {
        if (auto type =
                parse_word(*item, {"none", "disabled", "compact", "scatter", "balanced", "explicit", "logical", "physical"})) {
            constexpr Bind binds[] = {Bind::no,     Bind::no,  Bind::close, Bind::close,
                                      Bind::spread, Bind::yes, Bind::close, Bind::close};
            constexpr Order orders[] = {Order::none,    Order::none, Order::compact, Order::scatter,
                                        Order::compact, Order::none, Order::compact, Order::cores};
            if (binds[*type] == Bind::yes && affinity.proclist.empty()) return std::nullopt;  // explicit, but no list
            affinity.bind = binds[*type];
            affinity.ordered = orders[*type] != Order::none;
            affinity.order.scatter = orders[*type] == Order::scatter;
            affinity.order.permute = orders[*type] == Order::cores ? 1 : 0;
            has_permute = *type == 2 || *type == 3;
            has_type = true;
        } else if (starts_with_ignoring_case(*item, "granularity=")) {
            std::string_view value = slice(*item, 12);
            if (parse_word(value, {"fine", "thread", "threads"})) {
                affinity.places = "threads";
            } else if (parse_word(value, {"core", "cores", "tile", "module", "die", "l1_cache", "l2_cache"})) {
                affinity.places = "cores";
            } else if (parse_word(value, {"ll_cache", "l3_cache"})) {
                affinity.places = "ll_caches";
            } else if (parse_word(value, {"numa_domain", "group"})) {
                affinity.places = "numa_domains";
            } else if (parse_word(value, {"package", "packages", "socket", "sockets"})) {
                affinity.places = "sockets";
            } else {
                return std::nullopt;
            }
        } else if (auto reset = parse_word(*item, {"noreset", "reset"})) {
            affinity.reset = *reset == 1;
        } else if (!parse_word(*item, {"verbose", "noverbose", "warnings", "nowarnings", "respect", "norespect", "duplicates",
                                       "noduplicates"})) {
            auto number = parse_count(*item);
            if (!number || !has_type || count == (has_permute ? 2u : 1u)) return std::nullopt;
            numbers[count++] = *number;
        }
    }
    if (has_permute && count > 0) affinity.order.permute = numbers[0];
    affinity.order.offset = numbers[has_permute ? 1 : 0];
    return affinity;
}

}  // namespace gossamer::omp
