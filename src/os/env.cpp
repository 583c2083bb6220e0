// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/env.hpp"

#include <stdlib.h>
#include <unistd.h>

namespace gossamer::os {

std::optional<std::string_view> env(const char* name) {
    const char* value = ::getenv(name);
    if (value == nullptr) return std::nullopt;
    return std::string_view(value);
}

pid_t process_id() { return ::getpid(); }

}  // namespace gossamer::os
