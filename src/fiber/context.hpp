// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fiber: a stack, a saved context and, for a full one, the identity of a genuine pthread (docs/protocols/identity.md).
#pragma once

#include <atomic>
#include <cstdint>

#include "arch/arch.hpp"
#include "fiber/permit.hpp"
#include "fiber/sanitizer.hpp"
#include "fiber/work.hpp"
#include "os/os.hpp"

namespace gossamer::fiber {

struct Carrier;

enum class Kind : std::uint8_t {
    native,  // a native thread's own stack and identity: a carrier's home, or a thread that is no carrier
    full,    // a stack with the identity of a pthread that sleeps at its top
    light,   // a stack only: uses its carrier's home identity, so it never leaves that carrier
    lender,  // a pthread that lends its identity, while it runs something itself (apart.cpp)
};

// What a fiber is asked to run next, by `start`.
using StartCall = void (*)(void* argument);

struct Fiber;

// Every fiber that exists is on the roll, for debuggers (roll.cpp). After fork only the caller is.
struct OnRoll {
    Fiber* next = nullptr;
    Fiber* previous = nullptr;
};
void enrol(Fiber& fiber);
void strike(Fiber& fiber);
void forget_roll(Fiber* only);

// The first line is what others write to start or wake the fiber, in one transfer; the rest is its own. A home answers in the
// same line, where its starter looks: it comes back by the transfer that brings the answer.
struct alignas(no_share) Fiber : Work {
    Fiber() : Work(true) { enrol(*this); }
    ~Fiber() { strike(*this); }

    Permit permit;
    std::atomic<std::uint32_t> native_word{0};  // futex of the native thread that is no carrier, or sleeps above
    StartCall start_call = nullptr;             // these four: written before the order is given, read after it was seen
    void* start_argument = nullptr;
    ReliefRecord* record = nullptr;  // of the work that it runs
    std::uint32_t start_tag = 0;
    std::atomic<std::uint32_t> orders{0};  // a home's: how often `start` was called for it
    std::atomic<std::uint32_t> served{0};  // and how many of these calls are over

    alignas(no_share) void* stack_pointer = nullptr;  // while it is switched away
    void* thread_pointer = nullptr;                   // null: light
    Carrier* carrier = nullptr;                       // under it while it runs; where it last ran while it does not
    Carrier* own = nullptr;                           // a home's: the carrier whose native thread it is
    void* local = nullptr;                            // the upper layer's word, which follows the fiber
    std::atomic<std::uint32_t> taken{0};  // a home's: the orders that it has begun to serve; the monitor looks at it
    std::atomic<const std::atomic<std::uint32_t>*> awaited{nullptr};  // a home's, in await_zero; the monitor looks at it
    std::uint32_t reported = 0;                                       // `served`, which others' looks may have taken away
    Kind kind = Kind::native;
    bool reserved = false;            // serves `start` only; false: an interchangeable fiber of the scheduling loop
    bool rested = false;              // reserved, and not started since: it lies in nobody's hands and waits for no permit
    bool spun_out = false;            // a home's: it has just spun as long as its patience lasts, and suspends
    std::uint32_t zone = 0;           // the processors it must not leave (zone.hpp); 0: none
    std::uint32_t lent_zone = 0;      // a full one's: where the pthread that lends its identity is bound, as far as is known
    std::uint32_t id = 0;             // small, unique among living fibers, stable for its life
    os::Stack stack;                  // where its frames lie; unknown (null) for a native thread that is no carrier
    void* alternate_stack = nullptr;  // a home's, for the message about a stack that ran over
    pthread_t thread{};
    OnRoll on_roll;
    Item relief;  // what its native thread is ordered to run, and on which carrier
    Carrier* relief_carrier = nullptr;
    Behind behind;  // when it last was
    [[no_unique_address]] sanitizer::Context sanitizer;

    // A home: whether it is to go on, because what it waits for has come, or because it was given an order. An order comes
    // only to one that has none, or stands at the end of its last one. acquire, in both, pairs with whoever gives it.
    bool wanted() const {
        if (permit.notified() || orders.load(std::memory_order_acquire) != taken.load(std::memory_order_relaxed)) return true;
        const std::atomic<std::uint32_t>* const count = awaited.load(std::memory_order_relaxed);
        return GOSSAMER_UNLIKELY(count != nullptr) && count->load(std::memory_order_acquire) == 0;  // pairs with count_down
    }
};

// Every native thread and every full fiber has its own, since it lies in TLS; a switch to or from a light fiber sets it.
extern thread_local constinit Fiber* t_self GOSSAMER_SYMBOL("gossamer_self") __attribute__((visibility("hidden")));

// How far from each thread's pointer that lies, where it lies equally far from all; 0: not known. By that it is read without the
// call that a shared object's TLS takes otherwise, which is most of what many an entry costs
// (docs/decisions/0014-where-self-is.md). relaxed: a constant, known once the first native thread has been adopted.
extern std::atomic<std::intptr_t> self_at __attribute__((visibility("hidden")));

// The fiber the caller runs on, if it is known yet; else null.
inline Fiber* known_self() {
    const std::intptr_t at = self_at.load(std::memory_order_relaxed);
    return GOSSAMER_LIKELY(at != 0) ? static_cast<Fiber*>(arch::word_at_thread_pointer(at)) : t_self;
}

// Gives a native thread that comes here for the first time its descriptor.
Fiber& adopt_native();

// The fiber the caller runs on; constant for it, so it may be kept across a call that suspends. Never suspends.
inline Fiber* self() {
    Fiber* const fiber = known_self();
    return GOSSAMER_LIKELY(fiber != nullptr) ? fiber : &adopt_native();
}

inline void* local() { return self()->local; }
inline void set_local(void* value) { self()->local = value; }

}  // namespace gossamer::fiber
