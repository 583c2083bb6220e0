// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

namespace gossamer::tool {

// The paths of an installation's (or a build tree's) parts. All are absolute.
struct Layout {
    std::string library;    // libomp-gossamer.so
    std::string alias_dir;  // the folder in which libgomp.so.1, libomp.so.5, ... lead to the library
    std::string preload;    // the library by the name by which a run loads it (docs/decisions/0028-the-name-of-a-run.md)
    std::string auditor;    // libgossamer-audit.so; empty if there is none
};

// Looks beside the running command first, then in the configured installation folder. Returns nothing if neither has the
// library; then `tried` names the folders.
std::optional<Layout> find_layout(std::string& tried);

}  // namespace gossamer::tool
