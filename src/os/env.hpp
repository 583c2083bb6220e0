// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process's environment and name.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>

extern "C" char** environ;

namespace gossamer::os {

// The variable's value, which may be empty; nullopt where it is not set. The text stays valid until the
// program changes this variable.
std::optional<std::string_view> env(const char* name);

// Calls visit(name, value) for each variable in the environment's own order.
template <class Visit>
void for_each_env(Visit&& visit) {
    if (environ == nullptr) return;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        std::string_view text(*entry);
        std::string_view value = text;
        auto equals = text.find('=');
        if (equals == std::string_view::npos) continue;
        value.remove_prefix(equals + 1);
        visit(std::string_view(text.data(), equals), value);
    }
}

pid_t process_id();

}  // namespace gossamer::os
