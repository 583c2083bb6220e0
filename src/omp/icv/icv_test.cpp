// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/icv/icv.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "omp/icv/parse.hpp"
#include "omp/icv/settings.hpp"
#include "os/os.hpp"

// What settings and places hold they hold as long as the process lives; these tests read them many times over.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
    return "leak:gossamer::omp::read_environment\nleak:gossamer::omp::PlaceList::add\n";
}

namespace gossamer::omp {
namespace {

using Environment = std::map<std::string, std::string>;

// What the environment says, read with nothing in it but the variables given.
class Reading {
public:
    Reading(const Environment* variables) {
        clear();
        for (const auto& [name, value] : *variables) ::setenv(name.c_str(), value.c_str(), 1);
        testing::internal::CaptureStderr();
        read_environment(icvs, from);
        messages = testing::internal::GetCapturedStderr();
        clear();
    }

    std::size_t lines() const {
        std::size_t count = 0;
        for (char letter : messages) count += letter == '\n';
        return count;
    }

    GlobalIcvs icvs;
    Sources from;
    std::string messages;

private:
    static void clear() {
        std::vector<std::string> names;
        for (char** entry = environ; *entry != nullptr; ++entry) {
            std::string name = std::string(*entry).substr(0, std::string(*entry).find('='));
            for (const char* prefix : {"OMP_", "KMP_", "GOMP_", "GOSSAMER_", "LIBOMP_"}) {
                if (name.rfind(prefix, 0) == 0) names.push_back(name);
            }
        }
        for (const std::string& name : names) ::unsetenv(name.c_str());
    }
};

Reading reading(const Environment& variables) { return Reading(&variables); }

std::string shown(const GlobalIcvs& icvs, Target target) {
    TextBuffer<1024> text;
    show(text, target, icvs);
    return std::string(text.text());
}

TEST(Environment, Defaults) {
    auto read = reading({});
    EXPECT_EQ(read.messages, "");
    EXPECT_EQ(read.icvs.nthreads_count, 1u);
    EXPECT_EQ(read.icvs.nthreads[0], read.icvs.quota);
    EXPECT_EQ(read.icvs.carriers, read.icvs.quota);
    EXPECT_LE(read.icvs.quota, read.icvs.num_procs);
    EXPECT_GE(read.icvs.stack_size, 4u << 20);
    EXPECT_GE(read.icvs.stack_size, os::default_stack_size());
    EXPECT_EQ(read.icvs.default_device, 0);
    EXPECT_EQ(read.icvs.max_active_levels, max_levels);
    EXPECT_FALSE(read.icvs.dynamic);
    EXPECT_EQ(read.from.name[static_cast<std::size_t>(Target::num_threads)], nullptr);
}

TEST(Environment, GoodValues) {
    const struct {
        Environment variables;
        Target target;
        const char* value;
    } cases[] = {
        {{{"OMP_NUM_THREADS", " 4 , 3,2 "}}, Target::num_threads, "4,3,2"},
        {{{"OMP_NUM_THREADS_ALL", "7"}}, Target::num_threads, "7"},
        {{{"OMP_NUM_THREADS_ALL", "7"}, {"OMP_NUM_THREADS", "5"}}, Target::num_threads, "5"},
        {{{"OMP_NUM_THREADS_DEV", "7"}, {"OMP_NUM_THREADS", "5"}}, Target::num_threads, "5"},
        {{{"OMP_THREAD_LIMIT", "3"}}, Target::thread_limit, "3"},
        {{{"KMP_ALL_THREADS", "9"}, {"OMP_THREAD_LIMIT", "12"}}, Target::thread_limit, "9"},
        {{{"OMP_DYNAMIC", "TRUE"}}, Target::dynamic, "TRUE"},
        {{{"OMP_DYNAMIC", " on "}}, Target::dynamic, "TRUE"},
        {{{"OMP_SCHEDULE", "dynamic"}}, Target::schedule, "DYNAMIC,1"},
        {{{"OMP_SCHEDULE", "Guided , 7"}}, Target::schedule, "GUIDED,7"},
        {{{"OMP_SCHEDULE", "auto"}}, Target::schedule, "AUTO"},
        {{{"OMP_SCHEDULE", "static_steal,3"}}, Target::schedule, "DYNAMIC,3"},
        {{{"OMP_SCHEDULE", "trapezoidal"}}, Target::schedule, "GUIDED,1"},
        {{{"OMP_SCHEDULE", "static"}}, Target::schedule, "STATIC"},
        {{{"OMP_SCHEDULE", "static,5"}}, Target::schedule, "STATIC,5"},
        {{{"OMP_SCHEDULE", "monotonic : dynamic,4"}}, Target::schedule, "MONOTONIC:DYNAMIC,4"},
        {{{"OMP_SCHEDULE", "nonmonotonic:guided"}}, Target::schedule, "NONMONOTONIC:GUIDED,1"},
        {{{"OMP_STACKSIZE", "2000"}}, Target::stack_size, "2000K"},
        {{{"OMP_STACKSIZE", "2000 K"}}, Target::stack_size, "2000K"},
        {{{"OMP_STACKSIZE", "10 M "}}, Target::stack_size, "10M"},
        {{{"OMP_STACKSIZE", "1g"}}, Target::stack_size, "1G"},
        {{{"OMP_STACKSIZE", "64"}}, Target::stack_size, "64K"},
        {{{"KMP_STACKSIZE", "1048576"}}, Target::stack_size, "1M"},
        {{{"OMP_STACKSIZE", "1M"}, {"GOMP_STACKSIZE", "2048"}}, Target::stack_size, "2M"},
        {{{"OMP_STACKSIZE", "1M"}, {"GOMP_STACKSIZE", "2M"}, {"KMP_STACKSIZE", "3M"}}, Target::stack_size, "3M"},
        {{{"OMP_WAIT_POLICY", "Active"}}, Target::wait_policy, "ACTIVE"},
        {{{"KMP_LIBRARY", "turnaround"}}, Target::wait_policy, "ACTIVE"},
        {{{"KMP_LIBRARY", "turnaround"}, {"OMP_WAIT_POLICY", "passive"}}, Target::wait_policy, "PASSIVE"},
        {{{"KMP_LIBRARY", "serial"}}, Target::max_active_levels, "0"},
        {{{"OMP_WAIT_POLICY", "active"}}, Target::blocktime, "infinite"},
        {{{"OMP_WAIT_POLICY", "passive"}}, Target::blocktime, "0ms"},
        {{{"OMP_WAIT_POLICY", "passive"}, {"KMP_BLOCKTIME", "7"}}, Target::blocktime, "7ms"},
        {{{"KMP_BLOCKTIME", "0"}}, Target::blocktime, "0ms"},
        {{{"KMP_BLOCKTIME", "50"}}, Target::blocktime, "50ms"},
        {{{"KMP_BLOCKTIME", "50us"}}, Target::blocktime, "50us"},
        {{{"KMP_BLOCKTIME", "1s"}}, Target::blocktime, "1000ms"},
        {{{"KMP_BLOCKTIME", "infinite"}}, Target::blocktime, "infinite"},
        {{{"GOMP_SPINCOUNT", "30k"}}, Target::spin_count, "30000"},
        {{{"GOMP_SPINCOUNT", "INFINITY"}}, Target::spin_count, "infinity"},
        {{{"OMP_NESTED", "false"}}, Target::max_active_levels, "1"},
        {{{"OMP_NESTED", "false"}, {"OMP_MAX_ACTIVE_LEVELS", "3"}}, Target::max_active_levels, "3"},
        {{{"OMP_MAX_ACTIVE_LEVELS", "0"}}, Target::max_active_levels, "0"},
        {{{"OMP_PROC_BIND", "true"}}, Target::proc_bind, "TRUE"},
        {{{"OMP_PROC_BIND", "spread,close,master,unset"}}, Target::proc_bind, "SPREAD,CLOSE,PRIMARY,UNSET"},
        {{{"OMP_PLACES", "{0:4}:2:4"}}, Target::places, "{0:4}:2:4"},
        {{{"OMP_PLACES", "cores"}}, Target::proc_bind, "TRUE"},
        {{{"KMP_AFFINITY", "granularity=fine,compact,1,0"}}, Target::proc_bind, "CLOSE"},
        {{{"KMP_AFFINITY", "granularity=fine,compact,1,0"}}, Target::places, "threads"},
        {{{"KMP_AFFINITY", "verbose,granularity=core,scatter"}}, Target::proc_bind, "CLOSE"},
        {{{"KMP_AFFINITY", "balanced"}}, Target::proc_bind, "SPREAD"},
        {{{"KMP_AFFINITY", "explicit,proclist=[0,1,2-5]"}}, Target::proc_bind, "TRUE"},
        {{{"KMP_AFFINITY", "explicit,proclist=[0,1,2-5]"}}, Target::places, "0,1,2-5"},
        {{{"KMP_AFFINITY", "granularity=fine,proclist=[{0,1},{2,3}],explicit"}}, Target::places, "{0,1},{2,3}"},
        {{{"KMP_AFFINITY", "none"}, {"OMP_PROC_BIND", "close"}}, Target::proc_bind, "CLOSE"},
        {{{"GOMP_CPU_AFFINITY", "0-3 5 8-14:2"}}, Target::places, "0-3 5 8-14:2"},
        {{{"OMP_CANCELLATION", "true"}}, Target::cancellation, "TRUE"},
        {{{"OMP_DEFAULT_DEVICE", "2"}}, Target::default_device, "2"},
        {{{"OMP_MAX_TASK_PRIORITY", "5"}}, Target::max_task_priority, "5"},
        {{{"OMP_TARGET_OFFLOAD", "mandatory"}}, Target::target_offload, "MANDATORY"},
        {{{"OMP_TARGET_OFFLOAD", "mandatory"}}, Target::default_device, "-4"},
        {{{"OMP_TARGET_OFFLOAD", "mandatory"}, {"OMP_DEFAULT_DEVICE", "0"}}, Target::default_device, "0"},
        {{{"OMP_NUM_TEAMS", "6"}}, Target::num_teams, "6"},
        {{{"KMP_TEAMS_THREAD_LIMIT", "6"}, {"OMP_TEAMS_THREAD_LIMIT", "4"}}, Target::teams_thread_limit, "4"},
        {{{"OMP_ALLOCATOR", "omp_low_lat_mem_alloc"}}, Target::allocator, "omp_low_lat_mem_alloc"},
        {{{"OMP_ALLOCATOR", "omp_default_mem_space:alignment=64,fallback=null_fb"}},
         Target::allocator,
         "omp_default_mem_space:alignment=64,fallback=null_fb"},
        {{{"OMP_AFFINITY_FORMAT", "%n on %A"}}, Target::affinity_format, "%n on %A"},
        {{{"OMP_TOOL", "disabled"}}, Target::tool, "disabled"},
        {{{"OMP_TOOL_VERBOSE_INIT", "stderr"}}, Target::tool_verbose_init, "stderr"},
        {{{"GOSSAMER_CARRIERS", "5"}}, Target::carriers, "5"},
        {{{"GOSSAMER_CARRIERS", "512"}}, Target::carriers, "512"},
        {{{"GOSSAMER_QUOTA_ROUND", "nearest"}}, Target::quota_rounding, "nearest"},
        {{{"GOSSAMER_ONE_TO_ONE", "yes"}}, Target::one_to_one, "TRUE"},
        {{{"GOSSAMER_CHAOS", "17"}}, Target::chaos, "17"},
        {{{"GOSSAMER_WITHOUT", "lookahead, Ranges"}}, Target::without, "ranges,lookahead"},
        {{{"KMP_DETERMINISTIC_REDUCTION", "1"}}, Target::deterministic_reduction, "TRUE"},
    };
    for (const auto& good : cases) {
        auto read = reading(good.variables);
        const auto& [name, value] = *good.variables.begin();
        EXPECT_EQ(shown(read.icvs, good.target), good.value) << name << '=' << value;
        EXPECT_EQ(read.messages, "") << name << '=' << value;
    }
}

TEST(Environment, BadValuesGetOneLineThatNamesThem) {
    const char* bad[][2] = {
        {"OMP_NUM_THREADS", "abc"},
        {"OMP_NUM_THREADS", "-3"},
        {"OMP_NUM_THREADS", "0"},
        {"OMP_NUM_THREADS", "4,,2"},
        {"OMP_NUM_THREADS", "4,"},
        {"OMP_NUM_THREADS", ""},
        {"OMP_NUM_THREADS", "2147483648"},
        {"OMP_NUM_THREADS", "99999999999999999999999"},
        {"OMP_NUM_THREADS", "4.5"},
        {"OMP_THREAD_LIMIT", "0"},
        {"OMP_DYNAMIC", "maybe"},
        {"OMP_SCHEDULE", "foo"},
        {"OMP_SCHEDULE", "static,"},
        {"OMP_SCHEDULE", "dynamic,0"},
        {"OMP_SCHEDULE", "dynamic,-1"},
        {"OMP_SCHEDULE", "monotonic:"},
        {"OMP_SCHEDULE", "often:static"},
        {"OMP_STACKSIZE", "1X"},
        {"OMP_STACKSIZE", "0"},
        {"OMP_STACKSIZE", "99999999999G"},
        {"OMP_STACKSIZE", "M"},
        {"OMP_STACKSIZE", "-1"},
        {"OMP_WAIT_POLICY", "lazy"},
        {"KMP_LIBRARY", "gossamer"},
        {"KMP_BLOCKTIME", "-1"},
        {"KMP_BLOCKTIME", "1w"},
        {"GOMP_SPINCOUNT", "many"},
        {"OMP_MAX_ACTIVE_LEVELS", "-1"},
        {"OMP_PROC_BIND", "spread,true"},
        {"OMP_PROC_BIND", "spread,,close"},
        {"OMP_PLACES", "{0:2"},
        {"OMP_PLACES", "cores(0)"},
        {"OMP_PLACES", "kitchens"},
        {"OMP_PLACES", "{0},"},
        {"GOMP_CPU_AFFINITY", "3-1"},
        {"GOMP_CPU_AFFINITY", "0,"},
        {"KMP_AFFINITY", "cosy"},
        {"KMP_AFFINITY", "explicit"},
        {"KMP_AFFINITY", "compact,1,2,3"},
        {"KMP_AFFINITY", "balanced,1,2"},
        {"KMP_AFFINITY", "1,compact"},
        {"OMP_CANCELLATION", "2"},
        {"OMP_TARGET_OFFLOAD", "please"},
        {"OMP_DEFAULT_DEVICE", "-1"},
        {"OMP_ALLOCATOR", "malloc"},
        {"OMP_ALLOCATOR", "omp_default_mem_space:alignment=3"},
        {"OMP_DISPLAY_ENV", "loud"},
        {"OMP_TOOL", "yes"},
        {"GOSSAMER_CARRIERS", "0"},
        {"GOSSAMER_QUOTA_ROUND", "sideways"},
        {"GOSSAMER_CHAOS", "total"},
    };
    auto defaults = reading({});
    for (const auto& [name, value] : bad) {
        auto read = reading({{name, value}});
        EXPECT_EQ(read.lines(), 1u) << name << '=' << value << ": " << read.messages;
        EXPECT_EQ(read.messages.rfind(std::string("gossamer: ") + name + "=" + value + ": expected ", 0), 0u) << read.messages;
        for (std::size_t at = 0; at < target_count; ++at) {
            auto target = static_cast<Target>(at);
            EXPECT_EQ(shown(read.icvs, target), shown(defaults.icvs, target)) << name << '=' << value;
        }
    }
}

TEST(Environment, TheMessageTellsWhatIsUsedInstead) {
    EXPECT_EQ(reading({{"OMP_WAIT_POLICY", "spin"}}).messages,
              "gossamer: OMP_WAIT_POLICY=spin: expected active or passive; using unset\n");
    EXPECT_EQ(reading({{"OMP_NUM_TEAMS", "0"}}).messages,
              "gossamer: OMP_NUM_TEAMS=0: expected a positive integer; using unset\n");
    EXPECT_EQ(reading({{"OMP_SCHEDULE", "foo"}}).messages,
              "gossamer: OMP_SCHEDULE=foo: expected "
              "[monotonic:|nonmonotonic:]static|dynamic|guided|auto[,chunk]; using "
              "STATIC\n");
    EXPECT_EQ(reading({{"OMP_STACKSIZE", "1X"}, {"GOMP_STACKSIZE", "8M"}}).messages,
              "gossamer: OMP_STACKSIZE=1X: expected a size from 64K on such as 8M (units B, K, M, G); using 8M\n");
    EXPECT_EQ(reading({{"OMP_STACKSIZE", "1"}}).messages,
              "gossamer: OMP_STACKSIZE=1: expected a size from 64K on such as 8M (units B, K, M, G); using 64K\n");
    EXPECT_EQ(reading({{"GOSSAMER_CARRIERS", "513"}}).messages,
              "gossamer: GOSSAMER_CARRIERS=513: expected a positive integer up to 512; using 512\n");
    EXPECT_EQ(reading({{"GOSSAMER_TASK_LIMIT", "16777217"}}).messages,
              "gossamer: GOSSAMER_TASK_LIMIT=16777217: expected a positive integer up to 16777216; using 16777216\n");
    // By the name of the variable whose value that is.
    EXPECT_EQ(reading({{"OMP_NESTED", "maybe"}}).messages,
              "gossamer: OMP_NESTED=maybe: expected true or false; using OMP_MAX_ACTIVE_LEVELS=2147483647\n");
    EXPECT_EQ(reading({{"GOSSAMER_WITHOUT", "foo"}}).messages,
              "gossamer: GOSSAMER_WITHOUT=foo: expected a list of hot-teams, ranges, calls, spinning, fsgsbase and lookahead; "
              "using none\n");
}

TEST(Environment, OverlongAndForeignValuesAreCutAndEscaped) {
    auto overlong = reading({{"OMP_NUM_THREADS", std::string(100'000, '7')}});
    EXPECT_EQ(overlong.lines(), 1u);
    EXPECT_LT(overlong.messages.size(), 200u);
    EXPECT_NE(overlong.messages.find("7777..."), std::string::npos);

    auto foreign = reading({{"OMP_NUM_THREADS", "\xc3\xa9\n\x1b[31m"}});
    EXPECT_EQ(foreign.lines(), 1u);
    EXPECT_NE(foreign.messages.find("OMP_NUM_THREADS=\\xc3\\xa9\\x0a\\x1b[31m:"), std::string::npos) << foreign.messages;
}

TEST(Environment, MeaninglessAndUnknownNames) {
    for (const char* name : {"KMP_PLAIN_BARRIER_PATTERN", "KMP_FORKJOIN_BARRIER", "KMP_TOPOLOGY_METHOD",
                             "LIBOMP_NUM_HIDDEN_HELPER_THREADS", "LIBOMP_USE_HIDDEN_HELPER_TASK"}) {
        auto read = reading({{name, "1"}});
        EXPECT_EQ(read.lines(), 1u) << name;
        EXPECT_NE(read.messages.find(name), std::string::npos) << name;
    }
    for (const char* name : {"KMP_DUPLICATE_LIB_OK", "KMP_INIT_AT_FORK", "KMP_HOT_TEAMS_MAX_LEVEL", "KMP_HOT_TEAMS_MODE",
                             "KMP_USE_YIELD", "KMP_TASK_STEALING_CONSTRAINT", "GOSSAMER_BENCH_X"}) {
        EXPECT_EQ(reading({{name, "1"}}).messages, "") << name;
    }
    auto unknown = reading({{"GOSSAMER_CARIERS", "1"}});
    EXPECT_EQ(unknown.lines(), 1u);
    EXPECT_NE(unknown.messages.find("GOSSAMER_CARIERS is not a setting"), std::string::npos);
    EXPECT_NE(unknown.messages.find("GOSSAMER_CARRIERS"), std::string::npos);
}

TEST(Environment, InterfacesThatAreMissingAreTold) {
    EXPECT_EQ(reading({{"OMP_TOOL_LIBRARIES", "/opt/tool.so"}}).messages,
              "gossamer: OMP_TOOL_LIBRARIES=/opt/tool.so: no tool is loaded: this runtime has no interface for tools (OMPT)\n");
    EXPECT_EQ(reading({{"OMP_TOOL_LIBRARIES", "/opt/tool.so"}, {"OMP_TOOL", "disabled"}}).messages, "");
    EXPECT_EQ(reading({{"OMP_TOOL_LIBRARIES", "a\nb"}}).lines(), 1u);
    EXPECT_EQ(reading({{"OMP_DEBUG", "enabled"}}).lines(), 1u);
    EXPECT_EQ(reading({{"OMP_DEBUG", "disabled"}}).messages, "");
}

TEST(Environment, WarningsCanBeSwitchedOff) {
    for (const char* off : {"0", "false", "off"}) {
        auto read = reading({{"KMP_WARNINGS", off},
                             {"OMP_NUM_THREADS", "abc"},
                             {"GOSSAMER_X", "1"},
                             {"KMP_TOPOLOGY_METHOD", "1"},
                             {"OMP_DEBUG", "enabled"}});
        EXPECT_EQ(read.messages, "");
    }
}

TEST(Environment, SourcesAreKept) {
    auto read =
        reading({{"OMP_STACKSIZE", "1M"}, {"KMP_STACKSIZE", "2M"}, {"OMP_DYNAMIC_ALL", "true"}, {"OMP_SCHEDULE", "foo"}});
    auto name = [&](Target target) { return read.from.name[static_cast<std::size_t>(target)]; };
    EXPECT_STREQ(name(Target::stack_size), "KMP_STACKSIZE");
    EXPECT_STREQ(name(Target::dynamic), "OMP_DYNAMIC");
    EXPECT_TRUE(read.from.all_suffix[static_cast<std::size_t>(Target::dynamic)]);
    EXPECT_EQ(name(Target::schedule), nullptr);
    EXPECT_EQ(name(Target::num_threads), nullptr);
}

TEST(Environment, ADerivedValueNamesTheVariableBehindIt) {
    const struct {
        Environment variables;
        Target target;
        const char* name;
    } cases[] = {
        {{{"KMP_ALL_THREADS", "7"}}, Target::thread_limit, "KMP_ALL_THREADS"},
        {{{"KMP_ALL_THREADS", "7"}, {"OMP_THREAD_LIMIT", "5"}}, Target::thread_limit, "OMP_THREAD_LIMIT"},
        {{{"OMP_PLACES", "cores"}}, Target::proc_bind, "OMP_PLACES"},
        {{{"GOMP_CPU_AFFINITY", "0"}}, Target::proc_bind, "GOMP_CPU_AFFINITY"},
        {{{"OMP_PLACES", "cores"}, {"OMP_PROC_BIND", "false"}}, Target::proc_bind, "OMP_PROC_BIND"},
        {{{"KMP_LIBRARY", "serial"}}, Target::max_active_levels, "KMP_LIBRARY"},
        {{{"KMP_LIBRARY", "throughput"}}, Target::max_active_levels, nullptr},
        {{{"KMP_LIBRARY", "turnaround"}}, Target::wait_policy, "KMP_LIBRARY"},
        {{{"OMP_WAIT_POLICY", "active"}}, Target::blocktime, "OMP_WAIT_POLICY"},
        {{{"OMP_STACKSIZE", "1"}}, Target::stack_size, "OMP_STACKSIZE"},
        {{{"OMP_STACKSIZE", "1X"}}, Target::stack_size, nullptr},
        {{{"GOSSAMER_CARRIERS", "513"}}, Target::carriers, "GOSSAMER_CARRIERS"},
        {{{"GOSSAMER_CARRIERS", "many"}}, Target::carriers, nullptr},
        {{{"GOSSAMER_TASK_LIMIT", "16777217"}}, Target::task_limit, "GOSSAMER_TASK_LIMIT"},
        {{{"KMP_HW_SUBSET", "1000c"}}, Target::hw_subset, nullptr},
    };
    for (const auto& each : cases) {
        const auto read = reading(each.variables);
        EXPECT_STREQ(read.from.name[static_cast<std::size_t>(each.target)], each.name) << variable_of(each.target);
    }
}

TEST(Environment, KnownNames) {
    for (const char* name : {"OMP_NUM_THREADS", "OMP_NUM_THREADS_ALL", "OMP_NUM_THREADS_DEV", "OMP_NUM_THREADS_DEV_0",
                             "KMP_BLOCKTIME", "KMP_USE_YIELD"})
        EXPECT_TRUE(is_known(name)) << name;
    for (const char* name : {"OMP_NUM_THREAD", "OMP_NUM_THREADSS", "OMP_CANCELLATION_ALL", "KMP_LOCK_KIND", ""})
        EXPECT_FALSE(is_known(name)) << name;
}

TEST(Environment, DefaultThreadsKeepTheThreadLimit) {
    auto read = reading({{"OMP_THREAD_LIMIT", "1"}});
    EXPECT_EQ(shown(read.icvs, Target::num_threads), "1");
}

TEST(Environment, DisplayHasEveryStandardVariable) {
    auto read = reading({{"OMP_DISPLAY_ENV", "true"}, {"OMP_NUM_THREADS", "4,3"}});
    EXPECT_EQ(read.messages.rfind("OPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP='202111'\n", 0), 0u) << read.messages;
    EXPECT_NE(read.messages.find("\nOPENMP DISPLAY ENVIRONMENT END\n"), std::string::npos);
    for (const char* name : {"OMP_DYNAMIC",        "OMP_NUM_THREADS",      "OMP_SCHEDULE",
                             "OMP_PROC_BIND",      "OMP_PLACES",           "OMP_STACKSIZE",
                             "OMP_WAIT_POLICY",    "OMP_THREAD_LIMIT",     "OMP_MAX_ACTIVE_LEVELS",
                             "OMP_CANCELLATION",   "OMP_DEFAULT_DEVICE",   "OMP_MAX_TASK_PRIORITY",
                             "OMP_TARGET_OFFLOAD", "OMP_NUM_TEAMS",        "OMP_TEAMS_THREAD_LIMIT",
                             "OMP_ALLOCATOR",      "OMP_DISPLAY_AFFINITY", "OMP_AFFINITY_FORMAT",
                             "OMP_TOOL",           "OMP_TOOL_LIBRARIES",   "OMP_TOOL_VERBOSE_INIT",
                             "OMP_DEBUG"}) {
        EXPECT_NE(read.messages.find(std::string("  [host] ") + name + "='"), std::string::npos) << name;
    }
    EXPECT_NE(read.messages.find("[host] OMP_NUM_THREADS='4,3'\n"), std::string::npos);
    EXPECT_EQ(read.messages.find("GOSSAMER_"), std::string::npos);
    auto verbose = reading({{"OMP_DISPLAY_ENV", "VERBOSE"}});
    EXPECT_NE(verbose.messages.find("[host] GOSSAMER_CARRIERS='"), std::string::npos);
}

TEST(Environment, EachTargetHasAVariableThatSetsIt) {
    for (std::size_t at = 0; at < target_count; ++at) {
        EXPECT_STRNE(variable_of(static_cast<Target>(at)), "") << at;
    }
}

TEST(Inheritance, ListsDropTheirFirstElement) {
    auto read = reading({{"OMP_NUM_THREADS", "4,3,2"}, {"OMP_PROC_BIND", "spread,close"}});
    Icvs level0 = initial_icvs(read.icvs);
    Icvs level1 = inherited_by_list(level0, read.icvs);
    Icvs level2 = inherited_by_list(level1, read.icvs);
    Icvs level3 = inherited(level2);  // no list left, so globals() is not asked
    EXPECT_EQ(level0.nthreads, 4u);
    EXPECT_EQ(level1.nthreads, 3u);
    EXPECT_EQ(level2.nthreads, 2u);
    EXPECT_EQ(level3.nthreads, 2u);
    EXPECT_EQ(level0.bind, Bind::spread);
    EXPECT_EQ(level1.bind, Bind::close);
    EXPECT_EQ(level2.bind, Bind::close);
}

TEST(Inheritance, ARoutineReplacesTheFirstElementOnly) {
    auto read = reading({{"OMP_NUM_THREADS", "4,3"}});
    Icvs level0 = initial_icvs(read.icvs);
    level0.nthreads = 9;  // what omp_set_num_threads does
    EXPECT_EQ(inherited_by_list(level0, read.icvs).nthreads, 3u);

    auto single = reading({{"OMP_NUM_THREADS", "4"}});
    level0 = initial_icvs(single.icvs);
    level0.nthreads = 9;
    EXPECT_EQ(inherited(level0).nthreads, 9u);
}

TEST(Inheritance, EverythingButFinalIsPassedOn) {
    Icvs parent;
    parent.max_active_levels = 3;
    parent.thread_limit = 17;
    parent.default_device = 2;
    parent.dynamic = true;
    parent.final = true;
    parent.default_allocator = 6;
    parent.set_run_schedule({ScheduleKind::guided, Ordering::monotonic, 5});
    Icvs child = inherited(parent);
    EXPECT_EQ(child.max_active_levels, 3u);
    EXPECT_EQ(child.thread_limit, 17u);
    EXPECT_EQ(child.default_device, 2);
    EXPECT_TRUE(child.dynamic);
    EXPECT_FALSE(child.final);
    EXPECT_EQ(child.default_allocator, 6u);
    EXPECT_EQ(child.run_schedule().kind, ScheduleKind::guided);
    EXPECT_EQ(child.run_schedule().ordering, Ordering::monotonic);
    EXPECT_EQ(child.run_schedule().chunk, 5);
}

TEST(Inheritance, AListLongerThanWeKeepIsCut) {
    std::string list = "1";
    for (int at = 2; at <= 200; ++at) list += "," + std::to_string(at);
    auto read = reading({{"OMP_NUM_THREADS", list}});
    Icvs icvs = initial_icvs(read.icvs);
    for (int level = 0; level < 300; ++level) icvs = inherited_by_list(icvs, read.icvs);
    EXPECT_EQ(icvs.nthreads, GlobalIcvs::max_list);
}

TEST(TextSink, CountsOnWhereTheBufferIsFull) {
    char buffer[4] = {'x', 'x', 'x', 'x'};
    TextSink sink(buffer, sizeof buffer);
    sink << "abc" << 42u;
    EXPECT_EQ(sink.finish(), 5u);
    EXPECT_STREQ(buffer, "abc");
    TextSink nowhere(nullptr, 0);
    nowhere << -17;
    EXPECT_EQ(nowhere.finish(), 3u);
}

TEST(Settings, NoneIsBothInForceAndWithoutEffect) {
    for (const Setting& setting : all_settings()) {
        for (const char* const idle : settings_without_effect()) EXPECT_STRNE(setting.name, idle);
    }
}

}  // namespace
}  // namespace gossamer::omp
