// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run.hpp"

#include "layout.hpp"
#include "program.hpp"

#include <gnu/libc-version.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace gossamer::tool {

namespace {

// Before glibc 2.35 the mere presence of an auditor sends every call through the linker.
bool auditing_is_free() {
    int major = 0;
    int minor = 0;
    return std::sscanf(gnu_get_libc_version(), "%d.%d", &major, &minor) == 2 && (major > 2 || minor >= 35);
}

}  // namespace

int run(const Run& what, const Settings& settings) {
    std::string tried;
    const auto layout = find_layout(tried);
    if (!layout) {
        std::fprintf(stderr, "gossamer: libomp-gossamer.so is in none of these folders: %s\n", tried.c_str());
        return exit_failed;
    }
    if (layout->alias_dir.find(':') != std::string::npos) {
        std::fprintf(stderr, "gossamer: the dynamic linker cannot load from a folder with a colon in its name: %s\n",
                     layout->alias_dir.c_str());
        return exit_failed;
    }

    const std::string& command = what.command.front();
    std::optional<std::string> sanitizer;
    if (const auto file = find_program(command)) {
        if (const auto reason = why_not_loadable(*file)) {
            std::fprintf(stderr, "gossamer: warning: %s runs without Gossamer: %s\n", command.c_str(), reason->c_str());
        }
        sanitizer = needed_sanitizer(*file);
    }

    Environment environment;
    // The linker splits LD_PRELOAD at blanks too, but not the path in which it searches for a bare name.
    const std::filesystem::path preload = layout->preload;
    const bool blank = layout->preload.find_first_of(" \t\n") != std::string::npos;
    if (blank && preload.parent_path() != layout->alias_dir) {
        environment.prepend("LD_LIBRARY_PATH", preload.parent_path().string());
    }
    environment.prepend("LD_PRELOAD", blank ? preload.filename().string() : layout->preload);
    if (sanitizer) {
        environment.prepend("LD_PRELOAD", *sanitizer);
    }
    environment.prepend("LD_LIBRARY_PATH", layout->alias_dir);
    // A sanitizer has more static TLS than an audited process leaves room for.
    if (what.audit && !sanitizer && !layout->auditor.empty() && auditing_is_free()) {
        environment.prepend("LD_AUDIT", layout->auditor);
        // An audited process lays out its static TLS before it knows the program's libraries, and leaves 1.6 KiB for all of
        // theirs; jemalloc alone takes more. The program's own value of the tunable comes behind ours, and so holds.
        environment.prepend("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=16384");
    }
    settings.write_to(environment);
    environment.apply(what.verbose);

    std::vector<char*> arguments;
    for (const std::string& argument : what.command) {
        arguments.push_back(const_cast<char*>(argument.c_str()));
    }
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    const int error = errno;

    if (error == ENOENT && !find_program(command)) {
        std::fprintf(stderr, "gossamer: %s: command not found\n", command.c_str());
        return exit_not_found;
    }
    // ENOENT for a file that exists: the interpreter that it names is missing.
    std::fprintf(stderr, "gossamer: %s: cannot be run: %s\n", command.c_str(),
                 error == ENOENT ? "its interpreter is missing" : std::strerror(error));
    return exit_not_executable;
}

}  // namespace gossamer::tool
