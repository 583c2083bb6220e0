// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small file of /proc or /sys, read at once.
//
// By system calls of its own: libc's are cancellation points, and the caller may hold a lock for the whole process when the
// program has cancelled its thread.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <string_view>

#include "arch/arch.hpp"

namespace gossamer::os {

// Holds the first `capacity` bytes. Leaves errno alone.
template <std::size_t capacity>
class SmallFile {
public:
    explicit SmallFile(const char* path) {
        const long file = arch::system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC, 0);
        exists_ = file >= 0;
        if (exists_) {
            long got;
            while (length_ < capacity && ((got = arch::system_call(SYS_read, file, reinterpret_cast<long>(text_ + length_),
                                                                   static_cast<long>(capacity - length_), 0)) > 0 ||
                                          got == -EINTR)) {
                if (got > 0) length_ += static_cast<std::size_t>(got);
            }
            arch::system_call(SYS_close, file, 0, 0, 0);
        }
        text_[length_] = '\0';
    }

    bool exists() const { return exists_; }
    std::string_view text() const { return {text_, length_}; }
    const char* c_str() const { return text_; }

private:
    char text_[capacity + 1];
    std::size_t length_ = 0;
    bool exists_ = false;
};

}  // namespace gossamer::os
