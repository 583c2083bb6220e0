// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fiber: a stack, a saved context and, for a full one, the identity of a genuine pthread (docs/protocols/identity.md).
#pragma once

#include <atomic>
#include <cstdint>

#include "arch/arch.hpp"
#include "fiber/permit.hpp"
#include "fiber/sanitizer.hpp"
#include "fiber/stand_in.hpp"
#include "fiber/work.hpp"
#include "os/os.hpp"

namespace gossamer::fiber {

struct Carrier;

enum class Kind : std::uint8_t {
    native,  // a native thread's own stack and identity: a carrier's home, or a thread that is no carrier
    full,    // a stack with the identity of a pthread that sleeps at its top
    light,   // a stack only: uses its carrier's home identity, so it never leaves that carrier in mid-call
    lender,  // a pthread that lends its identity, while it runs something itself (apart.cpp)
};

// The function that `start` gives a fiber to run.
using StartCall = void (*)(void* argument);

// A start's words for its call (schedule.hpp), in the line with the order.
constexpr std::uint32_t words_a_start = 3;

struct Fiber;

// A fiber's place on the roll of all fibers, for debuggers (roll.cpp). After fork only the caller is on it.
struct OnRoll {
    Fiber* next = nullptr;
    Fiber* previous = nullptr;
};
void enrol(Fiber& fiber);
void strike(Fiber& fiber);
void forget_roll(Fiber* only);
bool nobody_on_roll();                  // in the child of fork: no fiber exists, nor was one being made
Fiber* find_on_roll(pthread_t thread);  // the full fiber with this identity; null: there is none

// The first line is what a switch touches, and a thread that makes the fiber ready. What a starter writes lies apart, so that
// it takes no line from a home that runs; a home answers there, so that the line comes back by the transfer that brings the
// answer.
struct alignas(no_share) Fiber : Work {
    Fiber() : Work(true) { enrol(*this); }
    ~Fiber() { strike(*this); }

    Permit permit;
    void* stack_pointer = nullptr;   // while it is switched away
    void* thread_pointer = nullptr;  // null: light
    Carrier* carrier = nullptr;      // under it while it runs; where it last ran while it does not
    void* local = nullptr;           // the upper layer's word, which follows the fiber
    ReliefRecord* record = nullptr;  // of the work that it runs
    std::uint32_t zone = 0;          // the processors it must not leave (zone.hpp); 0: none
    Kind kind = Kind::native;        // by set_kind
    bool reserved = false;           // serves `start` only; false: an interchangeable fiber of the scheduling loop
    bool rested = false;             // reserved, and not started since: in no queue, and waiting for no permit
    bool spun_out = false;           // a home's: it has just spun as long as its patience lasts, and suspends

    std::atomic<std::uint32_t> taken{0};  // a home's: the orders that it has begun to serve; the monitor looks at it
    std::uint32_t reported = 0;           // a copy of `served`, whose line may be elsewhere
    // A home's, while it waits until a count is zero, or for nothing (Awaits); the monitor looks at it.
    std::atomic<const std::atomic<std::uint32_t>*> awaited{nullptr};
    const void* read_early = nullptr;  // a home's: what it keeps in its cache while it waits for an order; null: nothing
    std::uint32_t lent_zone = 0;       // a full one's: the zone that its lending pthread is bound to, as far as is known
    std::uint32_t id = 0;              // small, unique among living fibers, stable for its life

    // Those before `orders`: written before the order is given, read after it was seen.
    alignas(no_share) StartCall start_call = nullptr;
    void* start_argument = nullptr;
    void* start_words[words_a_start] = {};  // a home's
    std::uint32_t start_tag = 0;
    std::atomic<std::uint32_t> orders{0};       // a home's: how often `start` was called for it
    std::atomic<std::uint32_t> served{0};       // a home's: how many of these calls are over
    std::atomic<std::uint32_t> native_word{0};  // futex of the native thread that is no carrier, or sleeps above
    bool takes_orders = true;                   // Kind::native, for the starter

    // The rest changes rarely.
    alignas(cache_line) Carrier* own = nullptr;  // a home's: the carrier whose native thread it is
    ReliefRecord* start_record = nullptr;        // a home's: written before an order, like the above
    void* memory = nullptr;                      // what is freed with it: itself, or the page in which it lies; null: nothing
    os::Stack stack;                             // where its frames lie; null: unknown, mostly of a thread that is no carrier
    void* alternate_stack = nullptr;             // a home's, for the message about a stack that ran over
    pthread_t thread{};
    OnRoll on_roll;
    bool in_heap_call = false;            // it calls libc for the library itself, and must not suspend (heap.cpp)
    Item relief;                          // what its native thread is ordered to run,
    Carrier* relief_carrier = nullptr;    // and on which carrier
    Behind behind;                        // where it was stuck when it was last relieved
    void* landed_from = nullptr;          // where the fiber goes on once it has taken its signals (switch.cpp)
    void* lender_pointer = nullptr;       // its own native thread's stack pointer, while its frames take signals for that
    std::atomic<bool> runs_alone{false};  // it has run one to one, and no other native thread than its own may run it since
    os::SignalMask signals;               // then, its mask while it does not run
    [[no_unique_address]] sanitizer::Context sanitizer;
    [[no_unique_address]] StandIn stand_in;

    // For a reserved fiber, whose last call is over: ends its rest, or its wait for the next start. True: the caller has the
    // fiber, and queues it or lends it; its permit stays as it is where no thread has notified it. False: it is only about to
    // wait, and goes on by itself.
    bool end_rest() {
        if (!rested && !permit.notify()) return false;
        rested = false;
        return true;
    }

    // Not while a thread may start it.
    void set_kind(Kind to) {
        kind = to;
        takes_orders = to == Kind::native;
    }

    // Of the work that it runs next. acquire pairs with `give`; relaxed: the caller has the fiber, so that it takes no order.
    ReliefRecord* next_record() const {
        const bool ordered = orders.load(std::memory_order_acquire) != taken.load(std::memory_order_relaxed);
        return GOSSAMER_UNLIKELY(ordered) ? start_record : record;
    }

    // For a home: whether it is to go on, because its wait is over, it only yields, or it was given an order. An order comes
    // only to a home that has none, or stands at the end of its last one. acquire, in both, pairs with `notify` or `give`;
    // relaxed, both: the home writes them itself, and leaving it publishes them.
    bool wanted() const {
        if (permit.notified() || orders.load(std::memory_order_acquire) != taken.load(std::memory_order_relaxed)) return true;
        const std::atomic<std::uint32_t>* const count = awaited.load(std::memory_order_relaxed);
        return GOSSAMER_UNLIKELY(count != nullptr) && count->load(std::memory_order_acquire) == 0;  // pairs with count_down
    }
};

// Every native thread and every full fiber has its own, in TLS; a switch to or from a light fiber sets it.
extern thread_local constinit Fiber* t_self GOSSAMER_SYMBOL("gossamer_self") __attribute__((visibility("hidden")));

// At the end of a native thread of the runtime's own, before libc runs the destructors of its thread-local objects. They run
// without a fiber, and may open regions; the thread that closes the runtime down waits for them.
void leave_native_thread();

// The distance of t_self from each thread's pointer, where it is the same for all threads; 0: not known. It spares the call
// that a shared object's TLS takes otherwise, which is most of the cost of many an entry
// (docs/decisions/0014-where-self-is.md). relaxed: a constant, known once the first native thread has been adopted.
extern std::atomic<std::intptr_t> self_at __attribute__((visibility("hidden")));

// The fiber that the caller runs on, if the thread has one yet; else null.
inline Fiber* known_self() {
    const std::intptr_t at = self_at.load(std::memory_order_relaxed);
    return GOSSAMER_LIKELY(at != 0) ? static_cast<Fiber*>(arch::word_at_thread_pointer(at)) : t_self;
}

// The same without a call in any case: also null where t_self has no such distance.
inline Fiber* near_self() {
    const std::intptr_t at = self_at.load(std::memory_order_relaxed);
    return GOSSAMER_LIKELY(at != 0) ? static_cast<Fiber*>(arch::word_at_thread_pointer(at)) : nullptr;
}

// Gives a native thread that comes here for the first time its descriptor. Aborts without memory.
Fiber& adopt_native();

// The fiber that the caller runs on; constant for it, so it may be kept across a call that suspends. Never suspends.
inline Fiber* self() {
    Fiber* const fiber = known_self();
    return GOSSAMER_LIKELY(fiber != nullptr) ? fiber : &adopt_native();
}

inline void* local() { return self()->local; }
inline void set_local(void* value) { self()->local = value; }

}  // namespace gossamer::fiber
