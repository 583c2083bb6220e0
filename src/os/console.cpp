// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/console.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "arch/arch.hpp"

namespace gossamer::os {

void write_error(std::string_view text) {
    while (!text.empty()) {
        // Not libc's, which is a cancellation point (small_file.hpp).
        const long written =
            arch::system_call(SYS_write, STDERR_FILENO, reinterpret_cast<long>(text.data()), static_cast<long>(text.size()), 0);
        if (written < 0 && written != -EINTR) break;
        if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace gossamer::os
