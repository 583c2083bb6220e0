// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making and ending fibers: their stacks and their identities.
//
// An identity is a genuine pthread, created on the stack that we give it. It notes its thread pointer and sleeps at the top
// of that stack for as long as the fiber lives; the fiber's frames lie below. So everything that libc knows about a thread is
// right for the fiber, without one private symbol of libc. docs/protocols/identity.md tells what that rests on.

#include "fiber/identity.hpp"

#include <cstdlib>
#include <new>

#include "fiber/apart.hpp"
#include "fiber/ids.hpp"
#include "fiber/last_stacks.hpp"
#include "fiber/one_to_one.hpp"
#include "fiber/overflow.hpp"
#include "fiber/stock.hpp"
#include "fiber/switch.hpp"

namespace gossamer::fiber {

namespace {

constexpr std::uint32_t batch = 4;  // identities begun together: their native threads start side by side

constinit std::atomic<std::uint32_t> living{0};

// Stacks begin at pages. Frames at the same offset of each would compete for the same few sets of the cache as soon as a few
// dozen fibers take turns: so each fiber's frames begin a little lower than those of the fiber before.
constexpr std::size_t most_colour = 4096;
std::size_t colour_of(const Fiber& fiber) {
    constexpr std::size_t colours = 16;
    return fiber.id % colours * (most_colour / colours);
}

// From here on the fiber may run, with the thread-local storage of the pthread that lends it. Until the next order that pthread
// touches none of it; a sanitizer keeps its state of the thread there.
GOSSAMER_UNCHECKED void lend(Fiber& fiber) {
    sanitizer::leaves(&fiber.native_word);
    fiber.native_word.store(lent, std::memory_order_release);  // pairs with await_identity
    os::futex_wake(fiber.native_word, 1);
}

// Sleeps until the pthread is ordered to run an item or to end, or is called for a signal, and returns which: `ordered`,
// `ended` or `called`.
GOSSAMER_UNCHECKED std::uint32_t await_order(Fiber& fiber) {
    for (;;) {
        std::uint32_t word = fiber.native_word.load(std::memory_order_acquire);  // pairs with Apart::run and begin_to_end
        if (word == lent) {
            os::futex_wait(fiber.native_word, lent);
        } else if (word != called) {
            sanitizer::arrives(&fiber.native_word);
            // Before the fiber runs: the next order may come as soon as the fiber waits.
            if (word == ordered) fiber.native_word.store(lent, std::memory_order_relaxed);
            return word;
        } else if (fiber.native_word.compare_exchange_strong(word, answers, std::memory_order_acquire,
                                                             std::memory_order_relaxed)) {
            return called;
        }
    }
}

// libc takes its part of the stack, for all static thread-local storage above all, and refuses a stack only where nearly
// nothing would be left. That part is the same for every stack, so one look is enough, at a stack with so many bytes more as
// suffice.
constinit std::atomic<std::size_t> extra_that_suffices{SIZE_MAX};
constexpr std::size_t least_room = 1024;               // less is no stack at all
constexpr std::size_t most_lost = smallest_stack / 4;  // of what was asked for

bool has_room(const Fiber& fiber, std::size_t stack_size) {
    const auto room = static_cast<std::size_t>(static_cast<char*>(fiber.stack_pointer) - static_cast<char*>(fiber.stack.low));
    return room + most_lost >= stack_size;
}

// Runs on the pthread that lends its identity. Everything below its frames is the fiber's.
void lend_identity(void* argument) {
    Fiber& fiber = *static_cast<Fiber*>(argument);
    t_self = &fiber;
    os::leave_rseq();
    fiber.thread_pointer = arch::thread_pointer();
    const std::size_t above = os::signal_reserve() + os::alternate_stack_size();
    const auto room = static_cast<std::size_t>(static_cast<char*>(arch::stack_pointer()) - static_cast<char*>(fiber.stack.low));
    if (GOSSAMER_LIKELY(room > above + least_room)) {
        char* const below = static_cast<char*>(fiber.stack.low) + (room - above);
        watch_lender(below);
        // Two stacks, though libc made one of them: control leaves each for the other.
        os::tell_stack(below, fiber.stack.top());
        os::tell_stack(fiber.stack.low, below);
        fiber.stack_pointer = arch::prepare(below, fiber_main);
    } else {
        fiber.stack_pointer = fiber.stack.low;
    }
    lend(fiber);
    for (std::uint32_t word; (word = await_order(fiber)) != ended;) {
        word == called ? answer(fiber) : fiber.stand_in.in_place_of(fiber, serve_relief);
    }
    leave_native_thread();
}

void await_identity(Fiber& fiber) {
    while (fiber.native_word.load(std::memory_order_acquire) == 0) os::futex_wait(fiber.native_word, 0);
}

// Begins to make a full fiber; 0 or the code of what the system refused. `await_identity` must follow.
int begin_full(Fiber& fiber, std::size_t stack_size) {
    fiber.set_kind(Kind::full);
    const std::size_t above = os::signal_reserve() + os::alternate_stack_size();
    return start_with_room([&](std::size_t extra) {
        if (const int code = os::map_stack(stack_size + above + extra + most_colour, fiber.stack)) return code;
        fiber.stack.size -= colour_of(fiber);
        int code = os::start_thread_on(fiber.stack, lend_identity, &fiber, fiber.thread);
        // relaxed: threads that look at once find the same.
        if (code == 0 && GOSSAMER_UNLIKELY(extra < extra_that_suffices.load(std::memory_order_relaxed))) {
            await_identity(fiber);
            if (has_room(fiber, stack_size)) {
                extra_that_suffices.store(extra, std::memory_order_relaxed);
            } else {
                begin_to_end(fiber);
                os::join_thread(fiber.thread);
                fiber.native_word.store(0, std::memory_order_relaxed);
                code = EINVAL;
            }
        }
        if (code != 0) os::unmap_stack(fiber.stack);
        return code;
    });
}

void begin_light(Fiber& fiber) {
    fiber.set_kind(Kind::light);
    g.light_fibers.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with take_home
    sanitizer::light_begins(fiber.sanitizer, fiber.stack);
    os::tell_stack(fiber.stack.low, fiber.stack.top());
    fiber.stack_pointer = arch::prepare(fiber.stack.top(), fiber_main);
}

bool make_light(Fiber& fiber, std::size_t stack_size) {
    if (os::map_stack(stack_size, fiber.stack) != 0) return false;
    begin_light(fiber);
    return true;
}

Fiber* new_fiber_at(void* memory) {
    Fiber* const fiber = ::new (memory) Fiber;
    fiber->id = take_id();
    g.fibers_made.fetch_add(1, std::memory_order_relaxed);
    living.fetch_add(1, std::memory_order_relaxed);
    return fiber;
}

Fiber* new_fiber() {
    void* const memory = std::aligned_alloc(alignof(Fiber), sizeof(Fiber));
    if (memory == nullptr) return nullptr;
    Fiber* const fiber = new_fiber_at(memory);
    fiber->memory = memory;
    return fiber;
}

void delete_fiber(Fiber& fiber) {
    living.fetch_sub(1, std::memory_order_relaxed);
    give_id(fiber.id);
    const bool last = is_on_last_stack(fiber);
    fiber.~Fiber();
    if (last) {
        give_back_last_stack(fiber);
    } else {
        std::free(&fiber);
    }
}

// While the calling native thread, of carrier `carrier` or of none, makes a fiber. It sleeps in the kernel because we do
// (relief.cpp, judge; relaxed: the monitor may see it late, and looks twice). Nor is it time sooner for the oldest work: making
// a fiber takes as long as hundreds of decisions.
class Making {
public:
    explicit Making(Carrier* carrier) : carrier_(carrier), flag_(carrier != nullptr ? &carrier->making : nullptr) {}
    ~Making() {
        if (carrier_ != nullptr) carrier_->turn_when += arch::cycles() - begin_;
    }
    Making(const Making&) = delete;
    Making& operator=(const Making&) = delete;

private:
    Carrier* const carrier_;
    const Raised flag_;
    const std::uint64_t begin_ = arch::cycles();
};

// Makes up to `most` full fibers with such stacks; returns the first and gives the others to the stock. Null: the system
// refused even the first, with `code`.
Fiber* make_full(std::size_t stack_size, std::uint32_t most, int& code) {
    Fiber* made[batch];
    std::uint32_t count = 0;
    code = 0;
    while (count < most && code == 0) {
        Fiber* const fiber = new_fiber();
        code = fiber == nullptr ? ENOMEM : begin_full(*fiber, stack_size);
        if (code == 0) {
            made[count++] = fiber;
        } else if (fiber != nullptr) {
            delete_fiber(*fiber);
        }
    }
    for (std::uint32_t i = 0; i < count; ++i) await_identity(*made[i]);
    for (std::uint32_t i = 1; i < count; ++i) give_to_stock(*made[i]);
    return count > 0 ? made[0] : nullptr;
}

}  // namespace

Fiber* make_fiber() {
    const Making making(caller_carrier());
    const StackSizes sizes;
    int code = 0;
    for (const std::size_t size : sizes) {
        const int refused = code;
        if (Fiber* const fiber = make_full(size, batch, code)) {
            if (refused != 0) tell_smaller_stack(refused, size);
            return fiber;
        }
        if (code != ENOMEM) break;  // it was not memory: a smaller stack would not help
    }
    for (const std::size_t size : sizes) {
        Fiber* const fiber = new_fiber();
        if (fiber == nullptr) break;
        if (make_light(*fiber, size)) {
            tell_shortage(code, "further threads share the thread-local variables of the native thread that runs them");
            return fiber;
        }
        delete_fiber(*fiber);
    }
    return nullptr;
}

Fiber* try_full_fiber() {
    const Making making(caller_carrier());
    int code = 0;
    return make_full(*StackSizes().begin(), 1, code);
}

Fiber* make_last_fiber() {
    LastStack last;
    if (!take_last_stack(last)) return nullptr;
    tell_shortage(ENOMEM, "nested parallel regions have one thread each from now on");
    Fiber* const fiber = new_fiber_at(last.fiber);
    fiber->stack = last.stack;
    begin_light(*fiber);
    return fiber;
}

std::uint32_t living_fibers() { return living.load(std::memory_order_relaxed); }

void begin_to_end(Fiber& fiber) {
    if (fiber.kind != Kind::full) return;
    fiber.native_word.store(ended, std::memory_order_release);  // pairs with await_order
    os::futex_wake(fiber.native_word, 1);
}

void end_fiber(Fiber& fiber, void (*retired)(std::uint32_t id)) {
    if (fiber.kind == Kind::full) {
        os::join_thread(fiber.thread);
    } else {
        sanitizer::light_ends(fiber.sanitizer);
    }
    if (retired != nullptr) retired(fiber.id);  // while no other fiber can get the id
    if (!is_on_last_stack(fiber)) os::unmap_stack(fiber.stack);
    delete_fiber(fiber);
}

void forget_fibers() { living.store(0, std::memory_order_relaxed); }

}  // namespace gossamer::fiber
