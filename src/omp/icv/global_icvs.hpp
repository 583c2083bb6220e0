// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The internal control variables that exist once for the device or the whole program (OpenMP 5.2 §2, table 2.3), and this
// library's own settings. Read from the environment on first use.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/base.hpp"

namespace gossamer::omp {

constexpr std::uint32_t no_limit = 0x7fffffff;
constexpr std::uint32_t max_levels = no_limit;  // omp_get_supported_active_levels

// omp_sched_t (§18.2.11).
enum class ScheduleKind : std::uint8_t { static_ = 1, dynamic = 2, guided = 3, auto_ = 4 };

enum class Ordering : std::uint8_t { unsaid, monotonic, nonmonotonic };

struct Schedule {
    ScheduleKind kind = ScheduleKind::static_;
    Ordering ordering = Ordering::unsaid;
    std::int32_t chunk = 0;  // iterations; 0: the kind's default
};

// omp_proc_bind_t (§18.3.1). unset, our own, is for a level of OMP_PROC_BIND=...,unset: as if nothing had been set.
enum class Bind : std::uint8_t { no = 0, yes = 1, primary = 2, close = 3, spread = 4, unset = 5 };

enum class WaitPolicy : std::uint8_t { unset, passive, active };

enum class Offload : std::uint8_t { optional, disabled, mandatory };

enum class QuotaRounding : std::uint8_t { up, down, nearest, off };

enum class DisplayEnv : std::uint8_t { no, yes, verbose };

// KMP_LIBRARY, as kmp_get_library numbers it.
enum class Library : std::uint8_t { serial = 1, turnaround = 2, throughput = 3 };

// default-device-var before the environment is read; and omp_invalid_device (OpenMP 5.2 §1.2.1), which it becomes if it is not
// set, a device is mandatory and there is none.
constexpr std::int32_t device_unset = INT32_MIN;
constexpr std::int32_t device_invalid = -4;

enum class ToolUse : std::uint8_t { enabled, disabled };

// How long a waiter spins before it sleeps, as far as the user has set it.
struct Waiting {
    static constexpr std::uint64_t for_ever = UINT64_MAX;

    WaitPolicy policy = WaitPolicy::unset;             // OMP_WAIT_POLICY, KMP_LIBRARY=turnaround
    std::atomic<bool> blocktime_set{false};            // by KMP_BLOCKTIME or kmp_set_blocktime
    std::atomic<std::uint64_t> blocktime_us{200'000};  // microseconds, or for_ever
    bool spin_count_set = false;                       // by GOMP_SPINCOUNT
    std::uint64_t spin_count = 0;                      // looks, or for_ever
};

// Mechanisms that GOSSAMER_WITHOUT switches off, to show what each is worth (bench/) and to test what is used instead.
enum Without : std::uint32_t {
    without_hot_teams = 1,
    without_ranges = 2,
    without_calls = 4,
    without_spinning = 8,
    without_fsgsbase = 16,
    without_lookahead = 32,
};
// By those bits.
constexpr const char* mechanism_names[] = {"hot-teams", "ranges", "calls", "spinning", "fsgsbase", "lookahead"};

// The order of places that KMP_AFFINITY asks for (affinity/place_order.hpp).
// compact: neighbours in number are neighbours in the machine; the thread's coordinate runs fastest. `permute`: how many
// of the innermost levels become the slowest, so compact with 1 goes through all cores before it comes to their second threads.
// scatter: the socket's coordinate runs fastest, and permute counts from there. The list begins at `offset`, and wraps.
struct PlaceOrder {
    bool scatter = false;
    std::uint32_t permute = 0;
    std::uint32_t offset = 0;
};

struct GlobalIcvs {
    static constexpr std::uint32_t max_list = 64;  // elements that a list setting keeps

    // Lists, by nesting level: their first elements are Icvs::nthreads and Icvs::bind of an initial task.
    std::array<std::uint32_t, max_list> nthreads{};
    std::uint32_t nthreads_count = 0;
    std::array<Bind, max_list> bind{};
    std::uint32_t bind_count = 0;

    const char* hw_subset = nullptr;  // KMP_HW_SUBSET in force, known to be valid; null: none, and the process keeps its CPUs
    std::uint32_t num_procs = 1;      // CPUs in the startup mask, or of it in the subset
    std::uint32_t quota = 1;  // num_procs, capped by the control groups' quota as GOSSAMER_QUOTA_ROUND says: omp_get_num_procs
    std::uint32_t carriers = 0;  // how many may run at once: GOSSAMER_CARRIERS, or quota

    std::atomic<std::uint64_t> stack_size{0};  // stacksize-var, bytes; 0 until the environment is read
    Waiting waiting;

    std::uint32_t thread_limit = no_limit;         // threads of a contention group; 2147483647: no limit
    std::uint32_t device_thread_limit = no_limit;  // threads of all contention groups; thread_limit is no larger
    std::uint32_t max_active_levels = max_levels;
    std::uint32_t max_task_priority = 0;
    std::int32_t default_device = device_unset;        // device_unset until the environment is read
    std::atomic<std::uint32_t> num_teams{0};           // nteams-var, 0: not set
    std::atomic<std::uint32_t> teams_thread_limit{0};  // teams-thread-limit-var, 0: not set
    Schedule run_schedule;
    Offload offload = Offload::optional;
    DisplayEnv display_env = DisplayEnv::no;

    std::uintptr_t default_allocator = 1;
    const char* default_allocator_text = "omp_default_mem_alloc";

    const char* places = nullptr;     // OMP_PLACES or GOMP_CPU_AFFINITY, known to be valid; null: not set
    bool places_are_cpus = false;     // `places` has GOMP_CPU_AFFINITY's form
    bool places_are_ordered = false;  // the places are put into the order `place_order`
    PlaceOrder place_order;
    bool reset_affinity = false;  // a root's native thread is bound only in its regions
    const char* affinity_format = "level %L, thread %n of %N, native thread %i, may run on CPUs %A";

    bool dynamic = false;
    bool cancellation = false;
    bool display_affinity = false;
    bool deterministic_reduction = false;
    bool print_settings = false;       // KMP_SETTINGS
    bool print_version = false;        // KMP_VERSION
    bool debug = false;                // OMP_DEBUG
    std::atomic<bool> warnings{true};  // KMP_WARNINGS
    bool task_throttling = true;  // KMP_ENABLE_TASK_THROTTLING; false: no thread executes a task at once because it has enough
    std::atomic<Library> library{Library::throughput};

    ToolUse tool = ToolUse::enabled;
    const char* tool_libraries = "";
    const char* tool_verbose_init = "disabled";  // disabled, stdout, stderr, or a file's name

    // Our own.
    QuotaRounding quota_rounding = QuotaRounding::up;
    bool stats = false;                                        // GOSSAMER_STATS
    static constexpr std::uint32_t most_task_limit = 1 << 24;  // each thread with tasks has so many pointers
    std::uint32_t task_limit = 1024;  // GOSSAMER_TASK_LIMIT: deferred tasks of a thread, before it executes new ones at once
    bool one_to_one = false;          // GOSSAMER_ONE_TO_ONE
    bool one_to_one_set = false;      // false: the runtime chooses
    bool chaos = false;               // GOSSAMER_CHAOS was given
    std::uint64_t chaos_seed = 0;     // its value
    std::uint32_t without = 0;        // bits of Without, from GOSSAMER_WITHOUT
};

namespace detail {
struct GlobalState {
    std::atomic<bool> ready{false};
    GlobalIcvs icvs;
};
extern GlobalState global_state;
GOSSAMER_COLD void read_environment_once();
}  // namespace detail

// The one instance; reads the environment at the first call. Usable before main and after exit, by any thread. Never suspends.
// Callers may change the atomic members only.
inline GlobalIcvs& globals() {
    // acquire pairs with the release in read_environment_once.
    if (GOSSAMER_UNLIKELY(!detail::global_state.ready.load(std::memory_order_acquire))) {
        detail::read_environment_once();
    }
    return detail::global_state.icvs;
}

// The same for a caller that is an OpenMP thread: the environment was read before there was one.
inline GlobalIcvs& known_globals() { return detail::global_state.icvs; }

// In the child of a fork, whose parent's other threads may have been in the middle of reading the environment: it is read anew.
void forget_environment();

}  // namespace gossamer::omp
