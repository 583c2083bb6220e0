// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/fatal.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace gossamer {

namespace {

constexpr std::size_t longest_line = 1024;

GOSSAMER_COLD void put_line(const char* prefix, const char* format, va_list arguments) {
    int saved_errno = errno;
    char line[longest_line];
    std::size_t used = std::strlen(prefix);
    std::memcpy(line, prefix, used);
    int wanted = std::vsnprintf(line + used, sizeof line - used, format, arguments);
    if (wanted > 0) {
        // The newline takes the place of the terminating zero.
        std::size_t room = sizeof line - used - 1;
        used += static_cast<std::size_t>(wanted) < room ? static_cast<std::size_t>(wanted) : room;
    }
    line[used++] = '\n';
    // Lost output is not worth a second failure. By number, because write() is a cancellation point, and the caller may hold a
    // lock.
    [[maybe_unused]] const long written = ::syscall(SYS_write, STDERR_FILENO, line, used);
    errno = saved_errno;
}

}  // namespace

void fatal(const char* format, ...) {
    // What ends the process often strikes several threads at once; one of them tells. relaxed: the flag guards no data.
    static constinit std::atomic<bool> told{false};
    if (!told.exchange(true, std::memory_order_relaxed)) {
        va_list arguments;
        va_start(arguments, format);
        put_line("gossamer: fatal: ", format, arguments);
        va_end(arguments);
    }
    std::abort();
}

void say(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put_line("gossamer: ", format, arguments);
    va_end(arguments);
}

bool say_once(std::atomic<bool>& said, const char* format, ...) {
    // relaxed: the flag guards no data.
    if (said.exchange(true, std::memory_order_relaxed)) return false;
    va_list arguments;
    va_start(arguments, format);
    put_line("gossamer: ", format, arguments);
    va_end(arguments);
    return true;
}

void broken(const char* message) { fatal("%s", message); }

}  // namespace gossamer
