// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of all environment variables that set something here; where each value came from; the settings as texts.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "omp/icv/global_icvs.hpp"
#include "omp/icv/text_sink.hpp"

namespace gossamer::omp {

// What a variable sets. Several variables may set one target.
enum class Target : std::uint8_t {
    dynamic,
    num_threads,
    schedule,
    proc_bind,
    places,
    stack_size,
    wait_policy,
    thread_limit,
    max_active_levels,
    cancellation,
    default_device,
    max_task_priority,
    target_offload,
    num_teams,
    teams_thread_limit,
    allocator,
    display_affinity,
    affinity_format,
    tool,
    tool_libraries,
    tool_verbose_init,
    debug,
    display_env,
    // Not OpenMP's own.
    blocktime,
    spin_count,
    library,
    device_thread_limit,
    deterministic_reduction,
    print_settings,
    print_version,
    warnings,
    task_throttling,
    hw_subset,
    carriers,
    quota_rounding,
    stats,
    task_limit,
    one_to_one,
    chaos,
    without,
    count
};

constexpr std::size_t target_count = static_cast<std::size_t>(Target::count);
constexpr Target last_standard_target = Target::display_env;

struct Setting {
    const char* name;
    Target target;
    bool (*read)(std::string_view text, GlobalIcvs& icvs);  // false, and nothing changed, where the text is wrong
    const char* expected;                                   // completes "expected ..."
    bool by_device = false;                                 // also as NAME_ALL (§21: device-scope variables)
};

// Of the settings with one target, a later one has precedence.
std::span<const Setting> all_settings();

// Names that are accepted in silence and have no effect here.
std::span<const char* const> settings_without_effect();

// Whether a variable has no meaning here, which its user must be told once.
bool has_no_meaning(std::string_view name);

// Whether a variable sets something here, or is accepted in silence.
bool is_known(std::string_view name);

// Whether a variable's name is of the kind that OpenMP runtimes read. Our own are reported as they are read (GOSSAMER_).
bool looks_like_setting(std::string_view name);

// The best-known variable that sets a target.
const char* variable_of(Target target);

// Writes the target's value in the form in which its variable would set it.
void show(TextSink& out, Target target, const GlobalIcvs& icvs);
// The same, but "unset" for an ICV whose initial value is no value that its variable can have.
void show_in_force(TextSink& out, Target target, const GlobalIcvs& icvs);
// Writes a user's text in printable form, cut to a length that a message can bear.
void quote(TextSink& out, std::string_view value);

// The name of the variable that has set a target, or that of another from which its value follows; null: the target has its
// default.
struct Sources {
    const char* name[target_count] = {};
    bool all_suffix[target_count] = {};  // it was NAME_ALL
};

// Reads the environment as it is now into ICVs that have their defaults, reports what is wrong in it, and displays what the
// settings ask to display. globals() is the result of doing this once.
void read_environment(GlobalIcvs& icvs, Sources& from);

// The sources of globals().
const Sources& setting_sources();

// The text of OMP_DISPLAY_ENV (§21.7): the variables' initial values, the last line without its end.
void show_environment(TextSink& out, const GlobalIcvs& icvs, bool verbose);

// omp_display_env (§18.15): writes that text to standard error. Never suspends.
void display_environment(bool verbose);

// The size of a thread's stack, in bytes, if the user wants `bytes`: within the bounds we keep.
std::uint64_t fitting_stack_size(std::uint64_t bytes);

// The size of a thread's stack, in bytes, where the user wants none: what `ulimit -s` says, and 4 MiB at least.
std::uint64_t usual_stack_size();

// Writes a size in the largest unit of OMP_STACKSIZE of which it is a multiple, such as 8M.
void show_bytes(TextSink& out, std::uint64_t bytes);

// kmp_set_defaults: "NAME=VALUE|NAME=VALUE" as if in the environment, with less precedence than what is there. False: there is
// no memory, or the environment has been read already, which is reported once.
bool set_defaults(std::string_view text);

// The text of `gossamer info`: carriers, places, and each setting with its source.
void describe_settings(TextSink& out);

}  // namespace gossamer::omp
