// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "arch/arch.hpp"
#include "os/os.hpp"

namespace gossamer::omp {

// What to do between two looks at a lock whose sections are some hundred instructions. Its holder mostly runs, and is done
// before a call of the system would return; now and then it is preempted.
class LockPause {
public:
    void operator()() {
        if (++looks_ % looks_a_yield != 0) {
            arch::pause();
        } else {
            os::yield_native();
        }
    }

private:
    static constexpr std::uint32_t looks_a_yield = 32;
    std::uint32_t looks_ = 0;
};

}  // namespace gossamer::omp
