// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A C++ library without OpenMP that a program opens inside a region: TLS with constructors, exceptions,
// statics.
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
std::atomic<int> alive{0};
struct Local {
    Local() : values(8, 1) { alive++; }
    ~Local() { alive--; }
    std::vector<int> values;
};
thread_local Local local;
thread_local int plain = 21;
thread_local char large[20000];
}  // namespace

extern "C" {
// Marks this thread's variables; returns 0 if another thread has marked them.
__attribute__((visibility("default"))) int loaded_mark(int number) {
    if (plain != 21 && plain != number) return 0;
    plain = number;
    large[19999] = static_cast<char>(number);
    local.values.assign(static_cast<std::size_t>(8 + number), number);
    return 1;
}

__attribute__((visibility("default"))) int loaded_check(int number) {
    return plain == number && large[19999] == static_cast<char>(number) &&
           local.values.size() == static_cast<std::size_t>(8 + number) && local.values.back() == number;
}

__attribute__((visibility("default"))) int loaded_throw(int number) {
    try {
        throw std::runtime_error(std::to_string(number));
    } catch (const std::exception& error) {
        return std::stoi(error.what());
    }
}
}
