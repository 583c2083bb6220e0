// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/stand_in.hpp"

#if defined(GOSSAMER_TSAN)

#include <cerrno>

#include "fiber/context.hpp"

namespace gossamer::fiber {

namespace {

constexpr std::uint32_t ready = 1, over = 2;

// While the lender has the thread pointer, the native thread that it was made with touches none of its storage.
GOSSAMER_UNCHECKED void sleep_until_over(std::atomic<std::uint32_t>& word) {
    word.store(ready, std::memory_order_release);  // pairs with begin
    os::futex_wake(word, 1);
    // acquire pairs with the destructor.
    while (word.load(std::memory_order_acquire) != over) os::futex_wait(word, ready);
}

GOSSAMER_UNCHECKED void await_ready(std::atomic<std::uint32_t>& word) {
    while (word.load(std::memory_order_acquire) == 0) os::futex_wait(word, 0);  // pairs with sleep_until_over
}

}  // namespace

void StandIn::begin(Fiber& fiber) {
    const int saved_errno = errno;  // the fiber's
    fiber_ = &fiber;
    const auto main = [](void* argument) {
        StandIn& me = *static_cast<StandIn*>(argument);
        t_self = me.fiber_;
        me.thread_pointer_ = arch::thread_pointer();
        sleep_until_over(me.word_);
    };
    if (os::start_thread(main, this, 0, thread_) == 0) {
        await_ready(word_);
    } else {
        fiber_ = nullptr;
    }
    errno = saved_errno;
}

GOSSAMER_UNCHECKED void StandIn::in_place_of(Fiber& fiber, void (*serve)(Fiber&)) {
    if (thread_pointer_ == nullptr && arch::can_set_thread_pointer()) begin(fiber);
    if (thread_pointer_ == nullptr) {
        serve(fiber);
        return;
    }
    // The two use the lender's stack one after the other.
    void* const own = arch::thread_pointer();
    sanitizer::leaves(&fiber.native_word);
    arch::set_thread_pointer(thread_pointer_);
    sanitizer::arrives(&fiber.native_word);
    serve(fiber);
    sanitizer::leaves(&fiber.native_word);
    arch::set_thread_pointer(own);  // which arrives with the next order
}

StandIn::~StandIn() {
    if (fiber_ == nullptr) return;
    word_.store(over, std::memory_order_release);  // pairs with sleep_until_over
    os::futex_wake(word_, 1);
    os::join_thread(thread_);
}

}  // namespace gossamer::fiber

#endif
