// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How to wait for a spin lock whose sections take some hundred instructions.
#pragma once

#include <cstdint>

#include "arch/arch.hpp"
#include "os/os.hpp"

namespace gossamer::omp {

// Called between two looks at the lock. The holder mostly runs, and is done before a system call would return; now and then it
// has been preempted, and needs the processor.
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
