// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "settings.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdio>
#include <cstdlib>

namespace gossamer::tool {

void Environment::prepend(const std::string& name, const std::string& value) {
    const char* now = std::getenv(name.c_str());
    if (now == nullptr || *now == '\0') {
        set(name, value);
    } else if ((":" + std::string(now) + ":").find(":" + value + ":") == std::string::npos) {
        set(name, value + ":" + now);
    }
}

void Environment::apply(bool verbose) const {
    for (const auto& [name, value] : changes_) {
        setenv(name.c_str(), value.c_str(), 1);
        if (verbose) {
            std::fprintf(stderr, "gossamer: %s=%s\n", name.c_str(), value.c_str());
        }
    }
}

void Settings::add_to(CLI::App& app) {
    const auto text = [&app](const char* name, std::string& value, const char* type, const char* meaning) {
        app.add_option(name, value, meaning)->type_name(type);
    };
    text("-n,--threads", threads_, "N[,N]", "Threads of a region, or a number for each nesting level: OMP_NUM_THREADS");
    text("--carriers", carriers_, "N", "Native threads that run the fibers, at most: GOSSAMER_CARRIERS");
    text("--wait-policy", wait_policy_, "POLICY", "active (waiters spin) or passive (waiters sleep): OMP_WAIT_POLICY");
    text("--max-levels", levels_, "N", "Nested regions that may run in parallel: OMP_MAX_ACTIVE_LEVELS");
    text("--schedule", schedule_, "KIND[,N]", "Schedule of loops with schedule(runtime): OMP_SCHEDULE");
    text("--bind", bind_, "POLICY[,..]", "How threads are bound to places: OMP_PROC_BIND");
    text("--places", places_, "PLACES", "Places that threads are bound to: OMP_PLACES");
    text("--stack-size", stack_size_, "SIZE", "A thread's stack, such as 8M: OMP_STACKSIZE");
    text("--chaos", chaos_, "SEED", "Suspend and steal wherever that is allowed, to find bugs: GOSSAMER_CHAOS");
    app.add_flag("--display-env", display_env_, "Print the settings in force at the start: OMP_DISPLAY_ENV");
    app.add_flag("--stats", stats_, "Print at the end what the runtime did: GOSSAMER_STATS");
}

void Settings::write_to(Environment& environment) const {
    const std::pair<const char*, const std::string*> options[] = {
        {"OMP_NUM_THREADS", &threads_},     {"GOSSAMER_CARRIERS", &carriers_},
        {"OMP_WAIT_POLICY", &wait_policy_}, {"OMP_MAX_ACTIVE_LEVELS", &levels_},
        {"OMP_SCHEDULE", &schedule_},       {"OMP_PROC_BIND", &bind_},
        {"OMP_PLACES", &places_},           {"OMP_STACKSIZE", &stack_size_},
        {"GOSSAMER_CHAOS", &chaos_},
    };
    for (const auto& [variable, value] : options) {
        if (!value->empty()) {
            environment.set(variable, *value);
        }
    }
    if (display_env_) {
        environment.set("OMP_DISPLAY_ENV", "true");
    }
    if (stats_) {
        environment.set("GOSSAMER_STATS", "1");
    }
}

}  // namespace gossamer::tool
