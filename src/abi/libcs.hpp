// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of libc's whose names this library takes over.
#pragma once

#include <atomic>

#include "omp/omp.hpp"

namespace gossamer::abi {

// One of libc's functions. A file that takes its name over calls `get` when the library is loaded, since a signal handler may
// call the function, and the loader is no place for one; or it is found by another library's constructor that comes before.
template <class Function>
class Libcs {
public:
    constexpr explicit Libcs(const char* name) : name_(name) {}

    Function get() {
        Function found = found_.load(std::memory_order_relaxed);  // the same each time
        if (GOSSAMER_UNLIKELY(found == nullptr)) {
            found = reinterpret_cast<Function>(os::next_symbol(name_));
            found_.store(found, std::memory_order_relaxed);
        }
        return found;
    }

private:
    const char* name_;
    std::atomic<Function> found_{nullptr};
};

}  // namespace gossamer::abi
