// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The least fiber that a test can switch to.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <utility>

#include "arch/arch.hpp"

namespace gossamer::arch {

// Runs body on a stack of its own. enter() goes there, leave() comes back, both hand over a payload; the
// body's last act has to be leave().
class TestFiber {
public:
    static constexpr std::size_t stack_size = 256 * 1024;

    explicit TestFiber(std::function<void(TestFiber&, void*)> body) : body_(std::move(body)) {
        stack_ = ::mmap(nullptr, stack_size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stack_ == MAP_FAILED)
            std::abort();
        inside_ = prepare(static_cast<char*>(stack_) + stack_size, &TestFiber::entry);
        first_ = true;
    }
    TestFiber(const TestFiber&) = delete;
    TestFiber& operator=(const TestFiber&) = delete;
    ~TestFiber() { ::munmap(stack_, stack_size); }

    void* enter(void* payload) {
        pass_ = payload;
        void* first = std::exchange(first_, false) ? this : payload;
        return switch_stack(&outside_, inside_, first);
    }
    void* leave(void* payload) { return switch_stack(&inside_, outside_, payload); }

    bool holds(const void* address) const {
        return address >= stack_ && address < static_cast<const char*>(stack_) + stack_size;
    }

    // For switches of another kind than enter and leave.
    void** inside() { return &inside_; }
    void** outside() { return &outside_; }

private:
    static void entry(void* self) {
        auto* fiber = static_cast<TestFiber*>(self);
        fiber->body_(*fiber, fiber->pass_);
        std::abort();
    }

    std::function<void(TestFiber&, void*)> body_;
    void* stack_ = nullptr;
    void* inside_ = nullptr;
    void* outside_ = nullptr;
    void* pass_ = nullptr;
    bool first_ = false;
};

} // namespace gossamer::arch
