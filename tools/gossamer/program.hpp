// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

namespace gossamer::tool {

// The file that execvp would run for `command`: a path as it stands, else searched for in $PATH.
std::optional<std::string> find_program(const std::string& command);

// Why the dynamic linker will not load a library of ours into the program in this file; nothing if it will, or if the
// file is no ELF program (a script's interpreter is not looked at).
std::optional<std::string> why_not_loadable(const std::string& file);

}  // namespace gossamer::tool
