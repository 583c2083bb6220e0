// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "info.hpp"

#include "layout.hpp"
#include "run.hpp"

#include <dlfcn.h>
#include <cstdio>
#include <string>

namespace gossamer::tool {

int info(const Settings& settings) {
    std::string tried;
    const auto layout = find_layout(tried);
    if (!layout) {
        std::fprintf(stderr, "gossamer: libomp-gossamer.so is in none of these folders: %s\n", tried.c_str());
        return exit_failed;
    }
    Environment environment;
    settings.write_to(environment);
    environment.apply(false);

    void* library = dlopen(layout->library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        std::fprintf(stderr, "gossamer: %s\n", dlerror());
        return exit_failed;
    }
    std::printf("version   %s\n", GOSSAMER_VERSION);
    std::printf("library   %s\n", layout->library.c_str());
    std::printf("aliases   %s\n", layout->alias_dir.c_str());
    std::printf("auditor   %s\n", layout->auditor.empty() ? "none" : layout->auditor.c_str());

    // gossamer_info writes at most `size` bytes, including the terminating zero, and returns the whole text's length.
    using Info = std::size_t (*)(char* buffer, std::size_t size);
    const auto describe = reinterpret_cast<Info>(dlsym(library, "gossamer_info"));
    if (describe == nullptr) {
        std::fflush(stdout);
        std::fprintf(stderr, "gossamer: this library cannot show its settings: it has no function gossamer_info\n");
        return exit_failed;
    }
    std::string text(16384, '\0');
    std::size_t length = describe(text.data(), text.size());
    if (length >= text.size()) {
        text.assign(length + 1, '\0');
        length = std::min(describe(text.data(), text.size()), length);
    }
    text.resize(length);
    std::printf("%s%s", text.c_str(), text.empty() || text.back() == '\n' ? "" : "\n");
    return std::fflush(stdout) == 0 ? 0 : exit_failed;
}

}  // namespace gossamer::tool
