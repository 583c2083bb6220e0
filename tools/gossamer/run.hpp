// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "settings.hpp"

#include <string>
#include <vector>

namespace gossamer::tool {

// Our own exit statuses, the same as those of env(1) and timeout(1); every other status is the command's.
constexpr int exit_failed = 125;
constexpr int exit_not_executable = 126;
constexpr int exit_not_found = 127;

struct Run {
    std::vector<std::string> command;
    bool audit = true;
    bool verbose = false;
};

// Turns this process into the command, with Gossamer in place of other OpenMP runtimes. Returns only if that failed, with
// the exit status, after one line on stderr.
int run(const Run& what, const Settings& settings);

}  // namespace gossamer::tool
