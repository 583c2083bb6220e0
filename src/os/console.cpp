// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/console.hpp"

#include <unistd.h>

#include <cerrno>

namespace gossamer::os {

void write_error(std::string_view text) {
    int saved_errno = errno;
    while (!text.empty()) {
        ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
        if (written < 0 && errno != EINTR) break;
        if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    errno = saved_errno;
}

}  // namespace gossamer::os
