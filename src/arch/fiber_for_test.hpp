// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The least fiber that a test can switch to.
#pragma once

#include <pthread.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <utility>

#include "arch/arch.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace gossamer::arch {

// Runs body on a stack of its own. enter() goes there, leave() comes back, both hand over a payload; the
// body's last act has to be leave(). The thread that enters is the one that made the fiber.
class TestFiber {
public:
    static constexpr std::size_t stack_size = 256 * 1024;

    explicit TestFiber(std::function<void(TestFiber&, void*)> body) : body_(std::move(body)) {
        stack_ = ::mmap(nullptr, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stack_ == MAP_FAILED) {
            std::abort();
        }
        inside_ = prepare(static_cast<char*>(stack_) + stack_size, &TestFiber::entry);
        pthread_attr_t own;
        pthread_getattr_np(pthread_self(), &own);
        pthread_attr_getstack(&own, &outer_stack_, &outer_size_);
        pthread_attr_destroy(&own);
    }
    TestFiber(const TestFiber&) = delete;
    TestFiber& operator=(const TestFiber&) = delete;
    ~TestFiber() {
        forget_frames(stack_, stack_size);
        ::munmap(stack_, stack_size);
    }

    void* enter(void* payload) {
        announce_ = true;
        announce_switch(stack_, stack_size);
        void* result = enter_by(&switch_stack, payload);
        finish_switch();
        return result;
    }
    void* leave(void* payload) {
        announce_switch(outer_stack_, outer_size_);
        void* result = leave_by(&switch_stack, payload);
        finish_switch();
        return result;
    }

    // By any other switch(save, load, payload), which sanitizers are not told of: no exception may be thrown
    // inside.
    template <class Switch>
    void* enter_by(Switch&& go, void* payload) {
        first_payload_ = payload;
        return go(&outside_, inside_, std::exchange(first_, false) ? this : payload);
    }
    template <class Switch>
    void* leave_by(Switch&& go, void* payload) {
        return go(&inside_, outside_, payload);
    }

    bool holds(const void* address) const {
        return address >= stack_ && address < static_cast<const char*>(stack_) + stack_size;
    }

private:
    static void entry(void* self) {
        auto* fiber = static_cast<TestFiber*>(self);
        if (fiber->announce_) {
            finish_switch();
        }
        fiber->body_(*fiber, fiber->first_payload_);
        std::abort();
    }

#if defined(__SANITIZE_ADDRESS__)
    static void announce_switch(const void* low, std::size_t size) { __sanitizer_start_switch_fiber(nullptr, low, size); }
    // The body never returned, so its frames' red zones are still marked, and the addresses will be used
    // again.
    static void forget_frames(void* low, std::size_t size) { __asan_unpoison_memory_region(low, size); }
    static void finish_switch() { __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr); }
#else
    static void announce_switch(const void*, std::size_t) {}
    static void forget_frames(void*, std::size_t) {}
    static void finish_switch() {}
#endif

    std::function<void(TestFiber&, void*)> body_;
    void* stack_ = nullptr;
    void* outer_stack_ = nullptr;
    std::size_t outer_size_ = 0;
    void* inside_ = nullptr;
    void* outside_ = nullptr;
    void* first_payload_ = nullptr;
    bool first_ = true;
    bool announce_ = false;
};

}  // namespace gossamer::arch
