// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stack that has run over ends in its guard. The fault then says so in one line, instead of nothing but "Segmentation fault".
// So does one by which the system refuses memory to a stack that grows.
//
// A stack on which code is executed, by a library that came late, becomes executable at its first fault.
//
// The kernel delivers the fault to the native thread that runs the fiber, on that thread's alternate stack, with the fiber's
// thread pointer in place; so `self` names the fiber that ran over. Without an alternate stack it would kill without a word.

#include "fiber/overflow.hpp"

#include "fiber/schedule.hpp"

namespace gossamer::fiber {

namespace {

constinit std::atomic<Overflow> told{nullptr};

// Handlers of the program's that ask for an alternate stack run there, too, and know nothing of its size: without us most would
// run on the thread's own stack.
constexpr std::size_t home_alternate_stack = 128 << 10;

void explain(void* address, bool missing) {
    const Fiber* const fiber = known_self();
    const Overflow tell = told.load(std::memory_order_relaxed);
    if (fiber == nullptr || tell == nullptr || fiber->stack.low == nullptr) return;
    const char* const low = static_cast<const char*>(fiber->stack.low);
    const char* const at = static_cast<const char*>(address);
    // glibc counts a native stack's guard in, so the fault may lie a little above `low`.
    if (at >= low - os::guard_size() && at < low + os::guard_size()) return tell(fiber->local, fiber->stack.size, 0);
    // An initial thread's stack grows as it is touched.
    if (missing && fiber->stack.contains(at)) {
        const auto below_top = static_cast<std::size_t>(static_cast<const char*>(fiber->stack.top()) - at);
        tell(fiber->local, fiber->stack.size, align_down(below_top, os::page_size()));
    }
}

// A library that wants executable stacks has come by dlopen after the fiber was made. libc makes the stacks of its threads
// executable then, but leaves out those that it was given.
bool let_execute(void* address) {
    const Fiber* const fiber = known_self();
    if (fiber == nullptr || fiber->kind == Kind::native || !fiber->stack.contains(address)) return false;
    return os::execute_stack(fiber->stack);
}

}  // namespace

void on_overflow(Overflow tell) {
    told.store(tell, std::memory_order_relaxed);
    os::explain_faults(explain, let_execute);
}

void bring_alternate_stack(Fiber& home) {
    if (told.load(std::memory_order_relaxed) == nullptr) return;
    os::Stack stack;
    if (os::map_stack(home_alternate_stack, stack) == 0) home.alternate_stack = stack.low;
}

void return_alternate_stack(Fiber& home) {
    if (home.alternate_stack != nullptr) os::unmap_stack({home.alternate_stack, home_alternate_stack});
    home.alternate_stack = nullptr;
}

void take_alternate_stack(Fiber& home) {
    if (home.alternate_stack == nullptr || os::use_alternate_stack(home.alternate_stack, home_alternate_stack)) return;
    return_alternate_stack(home);
}

void learn_stack(Fiber& home) {
    if (told.load(std::memory_order_relaxed) != nullptr) os::stack_of(home.thread, home.stack);
}

void watch_overflow(Fiber& home) {
    bring_alternate_stack(home);
    take_alternate_stack(home);
    if (home.alternate_stack != nullptr && home.stack.low == nullptr) os::own_stack(home.stack);
}

void watch_lender(void* memory) {
    if (told.load(std::memory_order_relaxed) != nullptr) os::use_alternate_stack(memory, os::alternate_stack_size());
}

void watch_own_stack() {
    Fiber& me = *self();
    if (me.kind == Kind::native && me.carrier == nullptr && me.alternate_stack == nullptr) watch_overflow(me);
}

bool has_ample_stack() {
    const os::Stack& stack = self()->stack;
    if (stack.low == nullptr) return false;
    const auto used = static_cast<const char*>(stack.top()) - static_cast<const char*>(arch::stack_pointer());
    return used >= 0 && static_cast<std::size_t>(used) < stack.size / 4;
}

void unwatch_overflow(Fiber& home) {
    if (home.alternate_stack == nullptr) return;
    if (os::drop_alternate_stack(home.alternate_stack)) return return_alternate_stack(home);
    home.alternate_stack = nullptr;
}

}  // namespace gossamer::fiber
