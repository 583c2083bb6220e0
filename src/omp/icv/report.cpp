// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The settings as texts for people.
#include <iterator>

#include "omp/affinity/places.hpp"
#include "omp/icv/settings.hpp"
#include "os/os.hpp"

namespace gossamer::omp {

void show_bytes(TextSink& out, std::uint64_t bytes) {
    constexpr const char* units[] = {"B", "K", "M", "G"};
    unsigned unit = 0;
    while (unit < 3 && bytes != 0 && bytes % 1024 == 0) {
        bytes /= 1024;
        ++unit;
    }
    out << bytes << units[unit];
}

namespace {

void show_boolean(TextSink& out, bool value) { out << (value ? "TRUE" : "FALSE"); }

void show_schedule(TextSink& out, const Schedule& schedule) {
    constexpr const char* orderings[] = {"", "MONOTONIC:", "NONMONOTONIC:"};
    constexpr const char* kinds[] = {"", "STATIC", "DYNAMIC", "GUIDED", "AUTO"};
    out << orderings[static_cast<unsigned>(schedule.ordering)] << kinds[static_cast<unsigned>(schedule.kind)];
    if (schedule.chunk > 0 && schedule.kind != ScheduleKind::auto_) out << ',' << schedule.chunk;
}

void show_bind(TextSink& out, const GlobalIcvs& icvs) {
    constexpr const char* names[] = {"FALSE", "TRUE", "PRIMARY", "CLOSE", "SPREAD", "UNSET"};
    if (icvs.bind_count == 0) out << names[0];
    for (std::uint32_t at = 0; at < icvs.bind_count; ++at) {
        out << (at == 0 ? "" : ",") << names[static_cast<unsigned>(icvs.bind[at])];
    }
}

void show_blocktime(TextSink& out, const Waiting& waiting) {
    std::uint64_t time = waiting.blocktime_us;
    if (!waiting.blocktime_set && waiting.policy == WaitPolicy::unset) {
        out << "unset";
    } else if (time == Waiting::for_ever) {
        out << "infinite";
    } else if (time % 1000 == 0) {
        out << time / 1000 << "ms";
    } else {
        out << time << "us";
    }
}

}  // namespace

void show(TextSink& out, Target target, const GlobalIcvs& icvs) {
    constexpr const char* offloads[] = {"DEFAULT", "DISABLED", "MANDATORY"};
    constexpr const char* displays[] = {"FALSE", "TRUE", "VERBOSE"};
    constexpr const char* libraries[] = {"", "serial", "turnaround", "throughput"};
    constexpr const char* roundings[] = {"up", "down", "nearest", "off"};
    switch (target) {
        case Target::dynamic: return show_boolean(out, icvs.dynamic);
        case Target::num_threads:
            for (std::uint32_t at = 0; at < icvs.nthreads_count; ++at) out << (at == 0 ? "" : ",") << icvs.nthreads[at];
            return;
        case Target::schedule: return show_schedule(out, icvs.run_schedule);
        case Target::proc_bind: return show_bind(out, icvs);
        case Target::places: out << (icvs.places == nullptr ? "cores" : icvs.places); return;
        case Target::stack_size: return show_bytes(out, icvs.stack_size);
        case Target::wait_policy: out << (icvs.waiting.policy == WaitPolicy::active ? "ACTIVE" : "PASSIVE"); return;
        case Target::thread_limit: out << icvs.thread_limit; return;
        case Target::max_active_levels: out << icvs.max_active_levels; return;
        case Target::cancellation: return show_boolean(out, icvs.cancellation);
        case Target::default_device: out << icvs.default_device; return;
        case Target::max_task_priority: out << icvs.max_task_priority; return;
        case Target::target_offload: out << offloads[static_cast<unsigned>(icvs.offload)]; return;
        case Target::num_teams: out << icvs.num_teams.load(); return;
        case Target::teams_thread_limit: out << icvs.teams_thread_limit.load(); return;
        case Target::allocator: out << icvs.default_allocator_text; return;
        case Target::display_affinity: return show_boolean(out, icvs.display_affinity);
        case Target::affinity_format: out << icvs.affinity_format; return;
        case Target::tool: out << (icvs.tool == ToolUse::enabled ? "enabled" : "disabled"); return;
        case Target::tool_libraries: out << icvs.tool_libraries; return;
        case Target::tool_verbose_init: out << icvs.tool_verbose_init; return;
        case Target::debug: out << (icvs.debug ? "enabled" : "disabled"); return;
        case Target::display_env: out << displays[static_cast<unsigned>(icvs.display_env)]; return;
        case Target::blocktime: return show_blocktime(out, icvs.waiting);
        case Target::spin_count:
            if (!icvs.waiting.spin_count_set) {
                out << "unset";
            } else if (icvs.waiting.spin_count == Waiting::for_ever) {
                out << "infinity";
            } else {
                out << icvs.waiting.spin_count;
            }
            return;
        case Target::library: out << libraries[static_cast<unsigned>(icvs.library.load())]; return;
        case Target::device_thread_limit: out << icvs.device_thread_limit; return;
        case Target::deterministic_reduction: return show_boolean(out, icvs.deterministic_reduction);
        case Target::print_settings: return show_boolean(out, icvs.print_settings);
        case Target::print_version: return show_boolean(out, icvs.print_version);
        case Target::warnings: return show_boolean(out, icvs.warnings);
        case Target::task_throttling: return show_boolean(out, icvs.task_throttling);
        case Target::hw_subset: out << (icvs.hw_subset == nullptr ? "unset" : icvs.hw_subset); return;
        case Target::carriers: out << icvs.carriers; return;
        case Target::quota_rounding: out << roundings[static_cast<unsigned>(icvs.quota_rounding)]; return;
        case Target::stats: return show_boolean(out, icvs.stats);
        case Target::task_limit: out << icvs.task_limit; return;
        case Target::one_to_one:
            if (icvs.one_to_one_set) return show_boolean(out, icvs.one_to_one);
            out << "unset";
            return;
        case Target::chaos:
            if (icvs.chaos) {
                out << icvs.chaos_seed;
            } else {
                out << "unset";
            }
            return;
        case Target::without:
            for (unsigned bit = 0, shown = 0; bit < std::size(mechanism_names); ++bit) {
                if ((icvs.without >> bit & 1) == 0) continue;
                out << (shown++ != 0 ? "," : "") << mechanism_names[bit];
            }
            return;
        case Target::count: break;
    }
}

void show_environment(TextSink& out, const GlobalIcvs& icvs, bool verbose) {
    out << "OPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP='202111'\n";
    for (std::size_t at = 0; at < target_count; ++at) {
        auto target = static_cast<Target>(at);
        if (target > last_standard_target && !verbose) break;
        out << "  [host] " << variable_of(target) << "='";
        show(out, target, icvs);
        out << "'\n";
    }
    out << "OPENMP DISPLAY ENVIRONMENT END";
}

void show_in_force(TextSink& out, Target target, const GlobalIcvs& icvs) {
    const auto is_unset = [&] {
        switch (target) {
            case Target::wait_policy: return icvs.waiting.policy == WaitPolicy::unset;  // waiters spin for a while, then sleep
            case Target::num_teams: return icvs.num_teams.load(std::memory_order_relaxed) == 0;
            case Target::teams_thread_limit: return icvs.teams_thread_limit.load(std::memory_order_relaxed) == 0;
            default: return false;
        }
    };
    if (is_unset()) {
        out << "unset";
    } else {
        show(out, target, icvs);
    }
}

void describe_settings(TextSink& out) {
    const GlobalIcvs& icvs = globals();
    const Sources& sources = setting_sources();
    out << "carriers  " << icvs.carriers << " (CPUs " << icvs.num_procs << ", within the quota " << icvs.quota << ")\n";
    out << "places    ";
    places().show(out);
    out << "\nsettings\n";
    for (std::size_t at = 0; at < target_count; ++at) {
        auto target = static_cast<Target>(at);
        out << "  " << variable_of(target) << "='";
        show_in_force(out, target, icvs);
        out << "' (";
        if (sources.name[at] == nullptr) {
            out << "default";
        } else {
            out << "from " << sources.name[at] << (sources.all_suffix[at] ? "_ALL" : "");
        }
        out << ")\n";
    }
    for (const char* name : settings_without_effect()) {
        if (os::env(name)) out << "  " << name << " (set, without effect here)\n";
    }
    os::for_each_env([&out](std::string_view name, std::string_view) {
        if (looks_like_setting(name) && !is_known(name)) out << "  " << name << " (set, but no setting of this runtime)\n";
    });
}

}  // namespace gossamer::omp
