// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout.hpp"

#include <sys/auxv.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

namespace gossamer::tool {

namespace fs = std::filesystem;

std::optional<Layout> find_layout(std::string& tried) {
    std::error_code error;
    std::vector<fs::path> folders;
    fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (error) {
        // Without /proc: the path that the kernel was given, which may be relative.
        const auto* const given = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
        self = given == nullptr ? fs::path() : fs::canonical(given, error);
    }
    if (!self.empty()) {
        const fs::path prefix = self.parent_path().parent_path();
        folders.push_back(prefix / "lib");
        folders.push_back(prefix / GOSSAMER_LIBDIR);
    }
    folders.push_back(GOSSAMER_FULL_LIBDIR);
    folders.erase(std::unique(folders.begin(), folders.end()), folders.end());

    for (const fs::path& folder : folders) {
        const fs::path library = folder / "libomp-gossamer.so";
        if (!fs::is_regular_file(library, error)) {
            tried += (tried.empty() ? "" : ", ") + folder.string();
            continue;
        }
        // In an installation the aliases have a folder of their own: in the system's they would shadow other runtimes.
        const fs::path apart = folder / "gossamer";
        const fs::path alias_dir = fs::exists(apart / "libgomp.so.1", error) ? apart : folder;
        const fs::path auditor = alias_dir / "libgossamer-audit.so";
        const fs::path aliases = fs::canonical(alias_dir, error);
        const fs::path intels = aliases / "libiomp5.so";
        return Layout{fs::canonical(library, error).string(), aliases.string(),
                      fs::equivalent(intels, library, error) ? intels.string() : fs::canonical(library, error).string(),
                      fs::exists(auditor, error) ? fs::canonical(auditor, error).string() : std::string()};
    }
    return std::nullopt;
}

}  // namespace gossamer::tool
