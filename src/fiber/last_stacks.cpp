// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/last_stacks.hpp"

#include <bit>

#include "fiber/schedule.hpp"

namespace gossamer::fiber {

constinit std::atomic<bool> stacks_ran_out{false};

namespace {

constexpr std::uint32_t count = 64;
constexpr std::size_t guard_bytes = 16u << 10;

struct Room {
    alignas(4096) char guard[guard_bytes];
    char stack[smallest_stack];
};
constinit Room rooms[count];
alignas(Fiber) constinit char fibers[count][sizeof(Fiber)];
constinit std::atomic<std::uint64_t> taken{0};  // a bit for each
static_assert(count == 64);

std::uintptr_t offset_of(const Fiber& fiber) {
    return reinterpret_cast<std::uintptr_t>(&fiber) - reinterpret_cast<std::uintptr_t>(fibers);
}

std::uint64_t bit_of(const Fiber& fiber) { return std::uint64_t{1} << offset_of(fiber) / sizeof(Fiber); }

}  // namespace

bool take_last_stack(LastStack& out) {
    std::uint64_t seen = taken.load(std::memory_order_relaxed);
    std::uint32_t number;
    do {
        number = static_cast<std::uint32_t>(std::countr_one(seen));
        if (number == count) return false;
        // acquire pairs with give_back_last_stack: what ran there is over.
    } while (!taken.compare_exchange_weak(seen, seen | std::uint64_t{1} << number, std::memory_order_acquire,
                                          std::memory_order_relaxed));
    stacks_ran_out.store(true, std::memory_order_relaxed);
    os::forbid(rooms[number].guard, guard_bytes);
    os::open_own_stack(rooms[number].stack, smallest_stack);
    out = {fibers[number], {rooms[number].stack, smallest_stack}};
    return true;
}

void give_back_last_stack(const Fiber& fiber) {
    taken.fetch_and(~bit_of(fiber), std::memory_order_release);  // pairs with take_last_stack
}

bool is_on_last_stack(const Fiber& fiber) { return offset_of(fiber) < sizeof fibers; }

void end_shortage_of_stacks() { stacks_ran_out.store(false, std::memory_order_relaxed); }

void forget_last_stacks(const Fiber* only) {
    taken.store(only != nullptr && is_on_last_stack(*only) ? bit_of(*only) : 0, std::memory_order_relaxed);
    end_shortage_of_stacks();
}

}  // namespace gossamer::fiber
