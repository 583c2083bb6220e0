// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a lender has for thread-local storage while it runs something: nothing of its own, in all builds but ThreadSanitizer's.
//
// A lender shares its fiber's storage, and its fiber may run elsewhere from the moment the lender has left it. So on its way
// back to sleep the lender touches none of that storage (docs/protocols/relief.md). ThreadSanitizer, though, keeps its state of
// a thread there, and writes to it at every function and every access. In its builds another pthread stands in: it sleeps, and
// gives the lender its thread pointer for as long as the lender serves an order.
#pragma once

#include <atomic>
#include <cstdint>

#include "arch/arch.hpp"
#include "fiber/sanitizer.hpp"
#include "os/os.hpp"

namespace gossamer::fiber {

#if defined(GOSSAMER_TSAN)

struct Fiber;

class StandIn {
public:
    StandIn() = default;
    StandIn(const StandIn&) = delete;
    StandIn& operator=(const StandIn&) = delete;
    // On any thread, once the lender has come to its end.
    ~StandIn();

    // On the lender's native thread, with the fiber's thread pointer, while no other thread may run the fiber: calls
    // serve(fiber) with the stand-in's, and returns with the fiber's again. The first call makes the stand-in; where there can
    // be none, the fiber's own must do.
    void in_place_of(Fiber& fiber, void (*serve)(Fiber&));

private:
    void begin(Fiber& fiber);

    Fiber* fiber_ = nullptr;
    pthread_t thread_{};
    void* thread_pointer_ = nullptr;
    std::atomic<std::uint32_t> word_{0};  // futex: 0, then `ready`, then `over`
};

#else

class StandIn {
public:
    template <class Fiber>
    void in_place_of(Fiber& fiber, void (*serve)(Fiber&)) {
        serve(fiber);
    }
};

#endif

}  // namespace gossamer::fiber
