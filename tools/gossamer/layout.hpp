// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

namespace gossamer::tool {

// Where the parts of an installation (or a build tree) lie. All paths are absolute.
struct Layout {
    std::string library;    // libomp-gossamer.so
    std::string alias_dir;  // the folder in which libgomp.so.1, libomp.so.5, ... lead to it
    std::string auditor;    // libgossamer-audit.so; empty if it is not there
};

// Looks beside the running command first, then where it was configured to be installed. Nothing if there is no
// library; then `tried` names the places.
std::optional<Layout> find_layout(std::string& tried);

}  // namespace gossamer::tool
