// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

namespace gossamer::tool {

// The file that execvp would run for `command`: a path stays as it is, another name is searched for in $PATH.
std::optional<std::string> find_program(const std::string& command);

// The reason why the dynamic linker will not load our library into the program in this file; nothing if it will, or if
// the file is not an ELF program (a script's interpreter is not checked).
std::optional<std::string> why_not_loadable(const std::string& file);

// The library of gcc's address or thread sanitizer that the program in this file names, if it names one. It wants to be loaded
// before all others.
std::optional<std::string> needed_sanitizer(const std::string& file);

}  // namespace gossamer::tool
