// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting for a condition by an address (fiber/wait.hpp).
#pragma once

#include "fiber/fiber.hpp"

namespace gossamer::omp {

// Returns once ready() is true: spins for a while when nothing else wants the carrier, then suspends. The thread that makes
// ready() true calls fiber::notify_all_at(key) afterwards. ready() must not wait.
template <class Ready>
void await(const void* key, const Ready& ready) {
    if (ready()) return;
    auto* const argument = const_cast<Ready*>(&ready);
    do {
        if (fiber::spin_until([](const void* at) { return (*static_cast<const Ready*>(at))(); }, argument)) return;
        fiber::wait_until(key, [](void* at) { return (*static_cast<const Ready*>(at))(); }, argument);
    } while (!ready());
}

}  // namespace gossamer::omp
