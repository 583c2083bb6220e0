// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small file of /proc or /sys, read at once.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string_view>

namespace gossamer::os {

// Holds the first `capacity` bytes. Keeps errno.
template <std::size_t capacity>
class SmallFile {
public:
    explicit SmallFile(const char* path) {
        const int saved_errno = errno;
        const int file = ::open(path, O_RDONLY | O_CLOEXEC);
        exists_ = file >= 0;
        if (exists_) {
            ssize_t got;
            while (length_ < capacity &&
                   ((got = ::read(file, text_ + length_, capacity - length_)) > 0 || (got < 0 && errno == EINTR))) {
                if (got > 0) length_ += static_cast<std::size_t>(got);
            }
            ::close(file);
        }
        text_[length_] = '\0';
        errno = saved_errno;
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
