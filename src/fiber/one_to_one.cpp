// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals that one thread sends to another.
//
// The kernel delivers a signal to a native thread, and its handler runs on whatever that thread runs then. So a fiber can be
// sent a signal only where no other native thread runs it, and where its own runs nothing else. That is so from the moment the
// process is one to one (docs/decisions/0026-one-to-one.md):
//
//   the fiber          its native thread
//   runs               runs it, and takes signals. Those are unblocked and blocked on the fiber's own frames (switch.cpp)
//   waits, or is idle  sleeps at the top of the stack, or is on its way there, with all signals blocked: the kernel keeps them.
//                      It is called, and lets the fiber's frames take them: an answer
//
// The word of the native thread (Fiber::native_word), for what concerns signals:
//
//   lent -> called      the sender, after the kernel has the signal
//   called -> answers   the native thread, which then looks whether it has the fiber
//   answers -> called   the sender: the kernel delivers the signal at once, if the handlers of others still run, and keeps it
//                       if they are just through
//   answers -> lent     the native thread, back from the fiber's frames; not if it was called meanwhile
//   any -> ordered, ended   as without signals. Before an ordered fiber goes on it takes the signals that wait for it
//
// Why no signal is lost: the sender gives it to the kernel, passes a full fence, then looks at the word. If it reads `ordered`,
// the native thread has yet to unblock its signals.
//
// Why no other thread runs the fiber during an answer. The native thread is not in the middle of the fiber, so the fiber's
// context is saved. A thread that wakes the fiber, starts it, or takes it out of the stock to run something on it, has heard in
// the end from the fiber that it was there to be had. The fiber has run one to one before that (`runs_alone`), so that thread
// knows, too, that the process is one to one, and orders the fiber's native thread, which looks at its word when the answer is
// over. So an answer needs nobody else to make a step, who may have been stopped by a signal himself. The exceptions pass
// `let_others_run`: a carrier takes the fiber as a spare, or the system grants no native thread more. It takes `runs_alone`
// back, passes a full fence, then looks at the word; an answer begins with `answers`, a full fence, and a look at `runs_alone`.
// One of the two sees the other.
#include "fiber/one_to_one.hpp"

#include "fiber/switch.hpp"

namespace gossamer::fiber {

void become_one_to_one() {
    g.one_to_one.store(true, std::memory_order_relaxed);
    relief_was_needed.store(true, std::memory_order_relaxed);  // what becomes ready, and what starts, looks further
}

bool is_one_to_one() { return one_to_one(); }

namespace {

Fiber* fiber_of(pthread_t thread) {
    const pthread_t self = ::pthread_self();
    if (::pthread_equal(thread, self) != 0) return nullptr;
    const std::intptr_t at = self_at.load(std::memory_order_relaxed);
    if (GOSSAMER_UNLIKELY(at == 0)) return find_on_roll(thread);
    // libc's name of a thread is an address, equally far from each thread's pointer.
    const std::intptr_t distance = static_cast<char*>(arch::thread_pointer()) - reinterpret_cast<char*>(self);
    return *reinterpret_cast<Fiber* const volatile*>(thread + static_cast<std::uintptr_t>(distance + at));
}

// Whether the native thread of a home runs something else.
bool is_elsewhere(const Fiber& fiber) {
    const Carrier* const own = fiber.own;
    return fiber.kind == Kind::native && own != nullptr && (own->home_place.is_out() || own->home_place.is_away());
}

}  // namespace

Fiber* before_signal(pthread_t thread) {
    Fiber* const fiber = fiber_of(thread);
    if (fiber == nullptr) return nullptr;
    if (fiber->kind != Kind::full && !is_elsewhere(*fiber)) return nullptr;
    if (!one_to_one()) become_one_to_one();
    return fiber->kind == Kind::full ? fiber : nullptr;
}

void after_signal(Fiber& fiber) {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // the kernel has the signal before the word is read
    std::uint32_t word = fiber.native_word.load(std::memory_order_relaxed);
    do {
        if (word != lent && word != answers) return;
    } while (!fiber.native_word.compare_exchange_weak(word, called, std::memory_order_release, std::memory_order_relaxed));
    os::futex_wake(fiber.native_word, 1);
}

void let_others_run(Fiber& fiber) {
    if (!fiber.runs_alone.load(std::memory_order_relaxed)) return;
    fiber.runs_alone.store(false, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with answer
    // acquire pairs with the end of answer.
    while (fiber.native_word.load(std::memory_order_acquire) == answers) os::yield_native();
}

GOSSAMER_UNCHECKED void answer(Fiber& fiber) {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with let_others_run
    if (fiber.runs_alone.load(std::memory_order_relaxed)) take_signals(fiber);
    std::uint32_t word = answers;
    // release pairs with let_others_run.
    fiber.native_word.compare_exchange_strong(word, lent, std::memory_order_release, std::memory_order_relaxed);
}

}  // namespace gossamer::fiber
