// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error directive with at(execution) (OpenMP 5.2 §8.5).
#include <cstdlib>
#include <cstring>

#include "abi/gomp/gomp.hpp"

using namespace gossamer;

namespace {

// length SIZE_MAX: up to the terminating zero.
int length_of(const char* message, size_t length) {
    return static_cast<int>(length == SIZE_MAX ? std::strlen(message) : length);
}

}  // namespace

GOSSAMER_EXPORT void GOMP_warning(const char* message, size_t length) {
    if (message == nullptr) {
        say("error directive: warning");
    } else {
        say("error directive: warning: %.*s", length_of(message, length), message);
    }
}

GOSSAMER_EXPORT void GOMP_error(const char* message, size_t length) {
    if (message == nullptr) {
        say("error directive");
    } else {
        say("error directive: %.*s", length_of(message, length), message);
    }
    std::exit(EXIT_FAILURE);
}
