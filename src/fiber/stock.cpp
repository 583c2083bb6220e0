// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where fibers come from: their stacks, their identities, and the stock of idle fibers.
//
// An identity is a genuine pthread, created on the stack that we give it. It notes its thread pointer and sleeps at the top
// of that stack for as long as the fiber lives; the fiber's frames lie below. So everything that libc knows about a thread is
// right for the fiber, without one private symbol of libc. docs/protocols/identity.md tells what that rests on.

#include <bit>
#include <cstdlib>
#include <new>

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

constinit std::atomic<bool> stacks_ran_out{false};

namespace {

constexpr std::uint32_t batch = 4;              // identities begun together: their native threads start side by side
constexpr std::size_t medium_stack = 1u << 20;  // a fiber's stack when memory is short,
constexpr std::size_t small_stack = 64u << 10;  // and the least

// Stacks begin at pages. Frames at the same offset of each would compete for the same few sets of the cache as soon as a few
// dozen fibers take turns: so each fiber's frames begin a little lower than those of the fiber before.
constexpr std::size_t most_colour = 4096;
std::size_t colour_of(const Fiber& fiber) {
    constexpr std::size_t colours = 16;
    return fiber.id % colours * (most_colour / colours);
}

struct Stock {
    Shelf fibers;
    SpinLock lock;
    // Free ids lie on a stack whose memory grows by doubling.
    std::uint32_t* free_ids = nullptr;
    std::uint32_t free_count = 0;
    std::uint32_t free_capacity = 0;
    std::uint32_t next_id = 0;
    std::atomic<std::uint32_t> living{0};  // fibers that are no homes
    std::uint32_t given_up = 0;            // of these; a hint once one of them comes after all
};
constinit Stock stock;

// Stacks for fibers that have begun, must wait and get none from the system (docs/decisions/0007-last-stacks.md). They lie in
// the library's own zeroed memory, of which nothing is committed before it is touched.
constexpr std::uint32_t last_count = 64;
constexpr std::size_t last_guard = 16u << 10;
struct LastStack {
    alignas(4096) char guard[last_guard];
    char stack[small_stack];
};
constinit LastStack last_stacks[last_count];
alignas(Fiber) constinit char last_fibers[last_count][sizeof(Fiber)];
constinit std::atomic<std::uint64_t> last_taken{0};  // a bit each

// The number of a fiber on a last stack; last_count for any other fiber.
std::uint32_t last_number(const Fiber& fiber) {
    const auto offset = reinterpret_cast<std::uintptr_t>(&fiber) - reinterpret_cast<std::uintptr_t>(last_fibers);
    return offset < sizeof last_fibers ? static_cast<std::uint32_t>(offset / sizeof(Fiber)) : last_count;
}

// From here on the fiber may run, with the thread-local storage of the pthread that lends it. Until the next order that pthread
// touches none of it; a sanitizer keeps its state of the thread there.
GOSSAMER_UNCHECKED void lend(Fiber& fiber) {
    sanitizer::leaves(&fiber.native_word);
    fiber.native_word.store(lent, std::memory_order_release);  // pairs with await_identity
    os::futex_wake(fiber.native_word, 1);
}

// Sleeps until the pthread is ordered to run an item; false: it is ordered to end.
GOSSAMER_UNCHECKED bool await_order(Fiber& fiber) {
    std::uint32_t word;
    while ((word = fiber.native_word.load(std::memory_order_acquire)) == lent) os::futex_wait(fiber.native_word, lent);
    sanitizer::arrives(&fiber.native_word);
    if (word == ended) return false;
    // Before the fiber runs: the next order may come as soon as the fiber waits.
    fiber.native_word.store(lent, std::memory_order_relaxed);
    return true;
}

// Runs on the pthread that lends its identity. Everything below its frames is the fiber's.
void lend_identity(void* argument) {
    Fiber& fiber = *static_cast<Fiber*>(argument);
    t_self = &fiber;
    os::leave_rseq();
    char* const below = static_cast<char*>(arch::stack_pointer()) - os::signal_reserve();
    fiber.thread_pointer = arch::thread_pointer();
    // Two stacks, though libc made one of them: control leaves each for the other.
    os::tell_stack(below, fiber.stack.top());
    os::tell_stack(fiber.stack.low, below);
    fiber.stack_pointer = arch::prepare(below, fiber_main);
    lend(fiber);
    while (await_order(fiber)) serve_relief(fiber);
    t_self = nullptr;
}

// Begins to make a full fiber; 0 or the code of what the system refused. `await_identity` must follow.
int begin_full(Fiber& fiber, std::size_t stack_size) {
    fiber.kind = Kind::full;
    return start_with_room([&](std::size_t extra) {
        if (const int code = os::map_stack(stack_size + os::signal_reserve() + extra + most_colour, fiber.stack)) return code;
        fiber.stack.size -= colour_of(fiber);
        const int code = os::start_thread_on(fiber.stack, lend_identity, &fiber, fiber.thread);
        if (code != 0) os::unmap_stack(fiber.stack);
        return code;
    });
}

void await_identity(Fiber& fiber) {
    while (fiber.native_word.load(std::memory_order_acquire) == 0) os::futex_wait(fiber.native_word, 0);
}

void begin_light(Fiber& fiber) {
    fiber.kind = Kind::light;
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
    stock.living.fetch_add(1, std::memory_order_relaxed);
    return fiber;
}

Fiber* new_fiber() {
    void* const memory = std::aligned_alloc(alignof(Fiber), sizeof(Fiber));
    return memory == nullptr ? nullptr : new_fiber_at(memory);
}

void delete_fiber(Fiber* fiber) {
    stock.living.fetch_sub(1, std::memory_order_relaxed);
    give_id(fiber->id);
    fiber->~Fiber();
    std::free(fiber);
}

// A light fiber on one of the last stacks; null: none is left.
GOSSAMER_COLD Fiber* take_last() {
    std::uint64_t taken = last_taken.load(std::memory_order_relaxed);
    std::uint32_t number;
    do {
        number = static_cast<std::uint32_t>(std::countr_one(taken));
        if (number == last_count) return nullptr;
        // acquire pairs with give_back_last: what ran there is over.
    } while (!last_taken.compare_exchange_weak(taken, taken | std::uint64_t{1} << number, std::memory_order_acquire,
                                               std::memory_order_relaxed));
    stacks_ran_out.store(true, std::memory_order_relaxed);
    tell_shortage(ENOMEM, "nested parallel regions have one thread each from now on");
    Fiber* const fiber = new_fiber_at(last_fibers[number]);
    os::forbid(last_stacks[number].guard, last_guard);
    fiber->stack = {last_stacks[number].stack, small_stack};
    begin_light(*fiber);
    return fiber;
}

void give_back_last(Fiber* fiber, std::uint32_t number) {
    stock.living.fetch_sub(1, std::memory_order_relaxed);
    give_id(fiber->id);
    fiber->~Fiber();
    last_taken.fetch_and(~(std::uint64_t{1} << number), std::memory_order_release);
}

// Makes up to `batch` full fibers with such stacks; returns the first and gives the others to the stock. Null: the system
// refused even the first, with `code`.
Fiber* make_full(std::size_t stack_size, int& code) {
    Fiber* made[batch];
    std::uint32_t count = 0;
    code = 0;
    while (count < batch && code == 0) {
        Fiber* const fiber = new_fiber();
        code = fiber == nullptr ? ENOMEM : begin_full(*fiber, stack_size);
        if (code == 0) {
            made[count++] = fiber;
        } else if (fiber != nullptr) {
            delete_fiber(fiber);
        }
    }
    for (std::uint32_t i = 0; i < count; ++i) await_identity(*made[i]);
    for (std::uint32_t i = 1; i < count; ++i) give_to_stock(*made[i]);
    return count > 0 ? made[0] : nullptr;
}

// While the caller's carrier sleeps in the kernel because we make a fiber (see judge in relief.cpp).
class Making {
public:
    Making() { set(true); }
    ~Making() { set(false); }
    Making(const Making&) = delete;
    Making& operator=(const Making&) = delete;

private:
    // relaxed: the monitor may see it late, and looks twice
    void set(bool making) const {
        if (carrier_ != nullptr) carrier_->making.store(making, std::memory_order_relaxed);
    }
    Carrier* const carrier_ = known_self() != nullptr ? known_self()->carrier : nullptr;
};

// The best fiber that the system grants: a full one, on a smaller stack if it must be, or else a light one. Null: none.
Fiber* make_some() {
    const Making making;
    const std::size_t wanted = g.config.stack_size;
    const std::size_t sizes[] = {wanted, wanted < medium_stack ? wanted : medium_stack,
                                 wanted < small_stack ? wanted : small_stack};
    int code = 0;
    for (const std::size_t size : sizes) {
        if (Fiber* const fiber = make_full(size, code)) {
            if (size != wanted) tell_shortage(ENOMEM, "stacks are smaller than was asked for");
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
        delete_fiber(fiber);
    }
    return nullptr;
}

}  // namespace

void forget_stock() {
    const std::uint32_t next_id = stock.next_id;
    stock.~Stock();
    ::new (&stock) Stock;
    stock.next_id = next_id;  // the caller's own id stays unique
}

std::uint32_t take_id() {
    SpinGuard guard(stock.lock, arch::pause);
    return stock.free_count > 0 ? stock.free_ids[--stock.free_count] : stock.next_id++;
}

void give_id(std::uint32_t id) {
    SpinGuard guard(stock.lock, arch::pause);
    if (stock.free_count == stock.free_capacity) {
        const std::uint32_t capacity = stock.free_capacity == 0 ? 64 : 2 * stock.free_capacity;
        void* const grown = std::realloc(stock.free_ids, capacity * sizeof(std::uint32_t));
        if (grown == nullptr) return;  // the id is never used again, which costs nothing but a gap
        stock.free_ids = static_cast<std::uint32_t*>(grown);
        stock.free_capacity = capacity;
    }
    stock.free_ids[stock.free_count++] = id;
}

void give_spares(Carrier& carrier) {
    Link* lists[] = {carrier.spares.first, carrier.shelf.take(UINT32_MAX, carrier.spares.count)};
    carrier.spares.first = nullptr;
    carrier.spares.count = 0;
    for (Link* const first : lists) {
        if (first == nullptr) continue;
        Link* last = first;
        while (last->next != nullptr) last = last->next;
        stock.fibers.put(first, last);
    }
}

bool stock_is_complete() { return stock.fibers.size() + stock.given_up >= stock.living.load(std::memory_order_relaxed); }

void give_up_missing() { stock.given_up = stock.living.load(std::memory_order_relaxed) - stock.fibers.size(); }

void end_stock(void (*retired)(std::uint32_t id)) {
    std::uint32_t count;
    Link* first = stock.fibers.take(UINT32_MAX, count);
    for (Link* at = first; at != nullptr; at = at->next) {
        Fiber& fiber = *static_cast<Fiber*>(at);
        if (fiber.kind != Kind::full) continue;
        fiber.native_word.store(ended, std::memory_order_release);  // pairs with await_order
        os::futex_wake(fiber.native_word, 1);
    }
    while (first != nullptr) {
        Fiber* const fiber = static_cast<Fiber*>(first);
        first = first->next;
        if (fiber->kind == Kind::full) {
            os::join_thread(fiber->thread);
        } else {
            sanitizer::light_ends(fiber->sanitizer);
        }
        if (retired != nullptr) retired(fiber->id);
        if (const std::uint32_t number = last_number(*fiber); number != last_count) {
            give_back_last(fiber, number);
            continue;
        }
        os::unmap_stack(fiber->stack);
        delete_fiber(fiber);
    }
    stacks_ran_out.store(false, std::memory_order_relaxed);
}

void give_to_stock(Fiber& fiber) { stock.fibers.put(&fiber, &fiber); }

namespace {

// Idle fibers, at most `most`, as a list: from the shelf of `carrier`, if there is one, where they ran last, else from the
// common shelf, else from another carrier's.
Link* take_idle(Carrier* carrier, std::uint32_t most, std::uint32_t& count) {
    Link* first = carrier == nullptr ? nullptr : carrier->shelf.take(most, count);
    if (first == nullptr) first = stock.fibers.take(most, count);
    const std::uint32_t slots = g.slots.load(std::memory_order_acquire);  // pairs with the store that follows a new carrier
    for (std::uint32_t index = 0; first == nullptr && index < slots; ++index) {
        Carrier* const other = g.carriers[index].load(std::memory_order_acquire);
        if (other != nullptr) first = other->shelf.take(most, count);
    }
    return first;
}

}  // namespace

Fiber* take_from_stock() {
    std::uint32_t count;
    Link* const first = take_idle(nullptr, 1, count);
    return first != nullptr ? static_cast<Fiber*>(first) : make_some();
}

Fiber* take_lender() {
    if (!g.light_fibers.load(std::memory_order_relaxed)) {
        Fiber* const fiber = take_from_stock();
        if (fiber == nullptr || fiber->kind == Kind::full) return fiber;
        give_to_stock(*fiber);
    }
    const auto is_full = [](const Link& link) { return static_cast<const Fiber&>(link).kind == Kind::full; };
    return static_cast<Fiber*>(stock.fibers.take_if(is_full));
}

Fiber* take_spare(Carrier& carrier) {
    if (carrier.spares.first == nullptr) carrier.spares.first = take_idle(&carrier, spares_moved, carrier.spares.count);
    if (Link* const first = carrier.spares.first) {
        carrier.spares.first = first->next;
        --carrier.spares.count;
        return static_cast<Fiber*>(first);
    }
    Fiber* fiber = make_some();
    if (fiber == nullptr) fiber = take_last();
    if (fiber == nullptr) fatal("out of memory: no stack of even %zu bytes for a waiting OpenMP thread", small_stack);
    return fiber;
}

void put_spare(Carrier& carrier, Fiber& fiber) {
    // A light fiber may rest anywhere: it has no frames of a user's that know an address of this carrier's TLS.
    if (GOSSAMER_UNLIKELY(carrier.spares.count == spares_kept)) {
        Link* const first = carrier.spares.first;
        Link* last = first;
        for (std::uint32_t count = 1; count < spares_moved; ++count) last = last->next;
        carrier.spares.first = last->next;
        carrier.spares.count -= spares_moved;
        carrier.shelf.put(first, last);
    }
    fiber.next = carrier.spares.first;
    carrier.spares.first = &fiber;
    ++carrier.spares.count;
}

Fiber* reserve() {
    Fiber* const fiber = take_from_stock();
    if (fiber != nullptr) {
        fiber->reserved = true;
        fiber->rested = true;
    }
    return fiber;
}

void release(Fiber* fiber) {
    fiber->reserved = false;
    // A fiber that waits for its next start lies as well here as in a queue: the thread that takes it lets it go on with the
    // loop. One that is only about to wait for that goes on with the loop by itself.
    if (fiber->rested || fiber->permit.notify()) {
        fiber->rested = false;
        give_to_stock(*fiber);
    }
}

}  // namespace gossamer::fiber
