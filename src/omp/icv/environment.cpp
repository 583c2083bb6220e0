// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the environment into the one GlobalIcvs. First all variables are read, then wrong ones are reported: only then is it
// known what is used instead, and whether the user wants warnings.
#include <cstdlib>
#include <cstring>
#include <utility>

#include "fiber/fiber.hpp"
#include "omp/affinity/hw_subset.hpp"
#include "omp/icv/icv.hpp"
#include "omp/icv/parse.hpp"
#include "omp/icv/settings.hpp"
#include "omp/icv/thread_lists.hpp"
#include "os/os.hpp"

namespace gossamer::omp {

constinit detail::GlobalState detail::global_state;

void quote(TextSink& out, std::string_view value) {
    constexpr std::size_t longest = 40;
    constexpr const char* hex = "0123456789abcdef";
    for (std::size_t at = 0; at < value.size(); ++at) {
        if (at == longest) {
            out << "...";
            return;
        }
        auto byte = static_cast<unsigned char>(value[at]);
        if (byte >= ' ' && byte < 0x7f) {
            out << value[at];
        } else {
            out << "\\x" << hex[byte >> 4] << hex[byte & 15];
        }
    }
}

namespace {

constinit SpinLock reading;
constinit Sources sources;
constinit std::atomic<bool> too_late{false};
constinit const char* program_defaults = nullptr;  // kmp_set_defaults; guarded by `reading`

std::optional<std::string_view> program_default(std::string_view name) {
    if (program_defaults == nullptr) return std::nullopt;
    Splitter items(program_defaults, '|');
    while (auto item = items.next()) {
        auto equals = item->find('=');
        if (equals != std::string_view::npos && trim(slice(*item, 0, equals)) == name) return slice(*item, equals + 1);
    }
    return std::nullopt;
}

struct Found {
    std::string_view value;
    bool all_suffix = false;
};

// §21: NAME, which is for the host, goes before NAME_ALL, which is for all devices.
std::optional<Found> look_up(const Setting& setting) {
    if (auto value = os::env(setting.name)) return Found{*value, false};
    if (setting.by_device) {
        TextBuffer<64> name;
        name << setting.name << "_ALL";
        name.finish();
        if (auto value = os::env(name.text().data())) return Found{*value, true};
    }
    if (auto value = program_default(setting.name)) return Found{*value, false};
    return std::nullopt;
}

void complain(const Setting& setting, const Found& found, const GlobalIcvs& icvs) {
    TextBuffer<256> value;
    quote(value, found.value);
    value.finish();
    TextBuffer<256> used;
    // A value that another variable would set reads oddly without that name: OMP_NESTED=2: using 2147483647.
    if (const char* const best = variable_of(setting.target); std::strcmp(best, setting.name) != 0) used << best << '=';
    TextBuffer<128> raw;
    show_in_force(raw, setting.target, icvs);
    quote(used, raw.length() != 0 ? raw.text() : "none");
    used.finish();
    say("%s%s=%s: expected %s; using %s", setting.name, found.all_suffix ? "_ALL" : "", value.text().data(), setting.expected,
        used.text().data());
}

// Names the variables behind values that follow from another target's, where none of their own has set them.
void name_derived(const GlobalIcvs& icvs, Sources& from) {
    const auto follow = [&from](Target target, Target source, bool follows) {
        const auto at = static_cast<std::size_t>(target), of = static_cast<std::size_t>(source);
        if (!follows || from.name[at] != nullptr) return;
        from.name[at] = from.name[of];
        from.all_suffix[at] = from.all_suffix[of];
    };
    follow(Target::proc_bind, Target::places, icvs.bind_count != 0);
    follow(Target::thread_limit, Target::device_thread_limit, icvs.thread_limit == icvs.device_thread_limit);
    follow(Target::max_active_levels, Target::library, icvs.library == Library::serial);
    follow(Target::wait_policy, Target::library, icvs.waiting.policy == WaitPolicy::active);
    follow(Target::blocktime, Target::wait_policy, icvs.waiting.policy != WaitPolicy::unset);
    follow(Target::num_threads, Target::thread_limit, icvs.nthreads[0] == icvs.thread_limit);
    follow(Target::num_threads, Target::hw_subset, true);
    follow(Target::carriers, Target::hw_subset, true);
}

std::uint32_t within_quota(std::uint32_t cpus, QuotaRounding rounding) {
    if (rounding == QuotaRounding::off) return cpus;
    std::optional<double> quota = os::cpu_quota();
    if (!quota || *quota >= cpus) return cpus;
    auto whole = static_cast<std::uint32_t>(*quota);
    double fraction = *quota - whole;
    if (rounding == QuotaRounding::up && fraction > 0) ++whole;
    if (rounding == QuotaRounding::nearest && fraction >= 0.5) ++whole;
    return whole == 0 ? 1 : whole;
}

// Narrows the CPUs of the process to those that KMP_HW_SUBSET selects. False: it selects none.
bool keep_to_subset(GlobalIcvs& icvs) {
    const os::CpuMask subset = hw_subset(icvs.hw_subset, os::startup_cpus());
    if (subset.count() == 0) {
        icvs.hw_subset = nullptr;
        return false;
    }
    os::narrow_startup_cpus(subset);
    return true;
}

// Derives what follows from several settings together.
void settle(GlobalIcvs& icvs) {
    icvs.num_procs = os::cpu_count();
    icvs.quota = within_quota(icvs.num_procs, icvs.quota_rounding);
    if (icvs.carriers == 0) icvs.carriers = icvs.quota;
    if (icvs.carriers > fiber::most_workers) icvs.carriers = fiber::most_workers;
    if (icvs.device_thread_limit < icvs.thread_limit) icvs.thread_limit = icvs.device_thread_limit;
    if (icvs.nthreads_count == 0) {
        icvs.nthreads[0] = icvs.quota < icvs.thread_limit ? icvs.quota : icvs.thread_limit;
        icvs.nthreads_count = 1;
    }
    if (icvs.library == Library::serial) icvs.max_active_levels = 0;
    if (icvs.default_device == device_unset) icvs.default_device = icvs.offload == Offload::mandatory ? device_invalid : 0;
    if (icvs.stack_size == 0) icvs.stack_size = usual_stack_size();
    // For kmp_get_blocktime only: the policy decides how long threads spin.
    if (!icvs.waiting.blocktime_set && icvs.waiting.policy != WaitPolicy::unset)
        icvs.waiting.blocktime_us = icvs.waiting.policy == WaitPolicy::active ? Waiting::for_ever : 0;
}

void warn_of_names() {
    os::for_each_env([](std::string_view name, std::string_view) {
        auto length = static_cast<int>(name.size() < 64 ? name.size() : 64);
        if (has_no_meaning(name)) {
            say("%.*s has no meaning in this runtime; ignored", length, name.data());
            return;
        }
        // GOSSAMER_BENCH_ and GOSSAMER_TEST_ belong to the benchmarks and tests.
        if (!begins_with(name, "GOSSAMER_") || begins_with(name, "GOSSAMER_BENCH_") || begins_with(name, "GOSSAMER_TEST_")) {
            return;
        }
        TextBuffer<256> known;
        for (const Setting& setting : all_settings()) {
            std::string_view own(setting.name);
            if (own == name) return;
            if (begins_with(own, "GOSSAMER_")) known << (known.length() == 0 ? "" : ", ") << own;
        }
        known.finish();
        say("%.*s is not a setting; ignored (there are %s)", length, name.data(), known.text().data());
    });
}

// Interfaces that a setting asks for and that this runtime does not have.
void warn_of_missing(const GlobalIcvs& icvs) {
    if (icvs.tool == ToolUse::enabled && *icvs.tool_libraries != '\0') {
        TextBuffer<256> libraries;
        quote(libraries, icvs.tool_libraries);
        libraries.finish();
        say("OMP_TOOL_LIBRARIES=%s: no tool is loaded: this runtime has no interface for tools (OMPT)",
            libraries.text().data());
    }
    if (icvs.debug)
        say("OMP_DEBUG=enabled: this runtime has no library for debuggers (OMPD); gossamer-gdb.py gives gdb commands of its "
            "own");
}

void print_settings(const GlobalIcvs& icvs) {
    TextBuffer<8192> text;
    text << "gossamer: settings\n";
    for (std::size_t at = 0; at < target_count; ++at) {
        auto target = static_cast<Target>(at);
        text << "  " << variable_of(target) << '=';
        show(text, target, icvs);
        text << '\n';
    }
    os::write_error(text.text());
}

void print_environment(const GlobalIcvs& icvs, bool verbose) {
    TextBuffer<8192> text;
    show_environment(text, icvs, verbose);
    text << '\n';
    os::write_error(text.text());
}

// A display that the user asked for is due even if the program never meets a construct.
[[gnu::constructor]] void display_at_load() {
    for (const char* name : {"OMP_DISPLAY_ENV", "KMP_SETTINGS", "KMP_VERSION"}) {
        if (os::env(name)) {
            globals();
            return;
        }
    }
}

}  // namespace

// Programs are written for the stacks of libgomp and libomp, which follow `ulimit -s`.
std::uint64_t usual_stack_size() {
    constexpr std::uint64_t least = 4u << 20;
    const std::uint64_t system = os::default_stack_size();
    return fitting_stack_size(system < least ? least : system);
}

void read_environment(GlobalIcvs& icvs, Sources& from) {
    constexpr std::size_t most = 64;
    std::span<const Setting> settings = all_settings();
    GOSSAMER_CHECK(settings.size() <= most, "the table of settings has outgrown the set of refused ones");
    std::optional<Found> refused[most];

    for (std::size_t at = 0; at < settings.size(); ++at) {
        const Setting& setting = settings[at];
        auto found = look_up(setting);
        if (!found) continue;
        if (setting.read(found->value, icvs)) {
            from.name[static_cast<std::size_t>(setting.target)] = setting.name;
            from.all_suffix[static_cast<std::size_t>(setting.target)] = found->all_suffix;
        } else {
            refused[at] = found;
            // A number out of bounds is replaced by the nearest.
            const bool replaced = (setting.target == Target::stack_size && icvs.stack_size != 0) ||
                                  (setting.target == Target::carriers && icvs.carriers != 0) ||
                                  (setting.target == Target::task_limit && icvs.task_limit == GlobalIcvs::most_task_limit);
            if (replaced) from.name[static_cast<std::size_t>(setting.target)] = setting.name;
        }
    }
    const char* const subset = icvs.hw_subset;
    const bool lacks_subset = subset != nullptr && !keep_to_subset(icvs);
    settle(icvs);
    if (lacks_subset) from.name[static_cast<std::size_t>(Target::hw_subset)] = nullptr;
    name_derived(icvs, from);
    if (icvs.warnings) {
        if (lacks_subset) {
            say("KMP_HW_SUBSET=%.40s: more than this process may use; using all %u processors", subset, icvs.num_procs);
        }
        for (std::size_t at = 0; at < settings.size(); ++at) {
            if (refused[at]) complain(settings[at], *refused[at], icvs);
        }
        warn_of_names();
        warn_of_missing(icvs);
    }
    if (icvs.print_version) say("version " GOSSAMER_VERSION);
    if (icvs.print_settings) print_settings(icvs);
    if (icvs.display_env != DisplayEnv::no) print_environment(icvs, icvs.display_env == DisplayEnv::verbose);
}

void detail::read_environment_once() {
    SpinGuard guard(reading, os::yield_native);
    // relaxed: the lock orders it behind an earlier reader.
    if (global_state.ready.load(std::memory_order_relaxed)) return;
    read_environment(global_state.icvs, sources);
    // release pairs with the acquire in globals().
    global_state.ready.store(true, std::memory_order_release);
}

const Sources& setting_sources() {
    globals();
    return sources;
}

bool set_defaults(std::string_view text) {
    SpinGuard guard(reading, os::yield_native);
    // relaxed: it is written under this lock only.
    if (detail::global_state.ready.load(std::memory_order_relaxed)) {
        if (detail::global_state.icvs.warnings) say_once(too_late, "kmp_set_defaults comes too late; ignored");
        return false;
    }
    std::size_t before = program_defaults == nullptr ? 0 : std::strlen(program_defaults) + 1;
    auto* joined = static_cast<char*>(std::malloc(text.size() + before + 1));
    if (joined == nullptr) return false;
    std::memcpy(joined, text.data(), text.size());
    if (before != 0) {
        joined[text.size()] = '|';
        std::memcpy(joined + text.size() + 1, program_defaults, before - 1);
    }
    joined[text.size() + before] = '\0';
    const char* const former = std::exchange(program_defaults, joined);  // a forked child must not find a freed text
    std::free(const_cast<char*>(former));
    return true;
}

void forget_environment() {
    if (!reading.is_held()) return;
    // relaxed: the caller is alone.
    if (!detail::global_state.ready.load(std::memory_order_relaxed)) {
        renew(detail::global_state);
        renew(sources);
        os::forget_startup_cpus();
    }
    reading.unlock();
}

void display_environment(bool verbose) { print_environment(globals(), verbose); }

Icvs initial_icvs() { return initial_icvs(globals()); }

Icvs initial_icvs(const GlobalIcvs& all) {
    Icvs icvs;
    icvs.default_allocator = all.default_allocator;
    icvs.nthreads = all.nthreads[0];
    icvs.nthreads_next = all.nthreads_count > 1 ? 1 : 0;
    icvs.max_active_levels = all.max_active_levels;
    icvs.thread_limit = all.thread_limit;
    icvs.default_device = all.default_device;
    icvs.set_run_schedule(all.run_schedule);
    icvs.dynamic = all.dynamic;
    icvs.bind = all.bind_count == 0 ? Bind::no : all.bind[0];
    icvs.bind_next = all.bind_count > 1 ? 1 : 0;
    return icvs;
}

Icvs inherited_by_list(const Icvs& parent) { return inherited_by_list(parent, globals()); }

Icvs inherited_by_list(const Icvs& parent, const GlobalIcvs& all) {
    Icvs child = parent;
    child.final = false;
    if (is_kept_thread_list(child.nthreads_next)) {
        const ThreadListElement element = kept_thread_list(child.nthreads_next);
        child.nthreads = element.threads;
        child.nthreads_next = element.next;
    } else if (child.nthreads_next != 0) {
        child.nthreads = all.nthreads[child.nthreads_next++];
        if (child.nthreads_next >= all.nthreads_count) child.nthreads_next = 0;
    }
    if (child.bind_next != 0) {
        child.bind = all.bind[child.bind_next++];
        if (child.bind_next >= all.bind_count) child.bind_next = 0;
    }
    return child;
}

}  // namespace gossamer::omp
