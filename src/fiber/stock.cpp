// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stock of idle fibers: each carrier's few spares at hand, its shelf, and the common stock, in that order; and the reserved
// fibers, which the upper layer takes out of it.
//
// Fibers are kept for later work. But a process that once had a thousand roots need not keep their native threads: a root that
// ends has brought its fibers to the common stock, and ends as many of those that lie there, as long as some are left for the
// roots that come next. Nobody looks at a fiber that lies there, so it may end while all carriers run: a deque that still holds
// it tells by a tag that it is a fiber (work.hpp), a thread that has woken it has not touched it since (permit.hpp), and the
// native thread that lends its identity looks at the order to end when it is through with all others.

#include "fiber/stock.hpp"

#include <algorithm>
#include <utility>

#include "fiber/identity.hpp"
#include "fiber/last_stacks.hpp"
#include "fiber/one_to_one.hpp"

namespace gossamer::fiber {

namespace {

// So many idle fibers outlast the roots that have brought them, in all and for each carrier, whichever is more.
constexpr std::uint32_t kept_in_all = 64, kept_a_carrier = 8;

constinit Shelf stock;  // fibers that lie on no carrier's shelf. Native threads of fibers take its lock
constinit std::uint32_t given_up =
    0;  // living fibers that closing gave up; a hint once one of them comes after all. Only closing's

// Idle fibers, at most `most`, as a list: from the shelf of `carrier`, if there is one, where they ran last, else from the
// common shelf, else from another carrier's.
Link* take_idle(Carrier* carrier, std::uint32_t most, std::uint32_t& count) {
    Link* first = carrier == nullptr ? nullptr : carrier->shelf.take(most, count);
    if (first == nullptr) {
        const HeldSignals held;
        first = stock.take(most, count);
    }
    if (first != nullptr) return first;
    for (Carrier& other : all_carriers()) {
        if (Link* const found = other.shelf.take(most, count)) return found;
    }
    return nullptr;
}

void end_all(Link* first, void (*retired)(std::uint32_t id)) {
    for (Link* at = first; at != nullptr; at = at->next) begin_to_end(*static_cast<Fiber*>(at));
    while (first != nullptr) {
        Fiber& fiber = *static_cast<Fiber*>(first);
        first = first->next;
        end_fiber(fiber, retired);
    }
}

}  // namespace

Fiber* take_from_stock() {
    std::uint32_t count;
    Link* const first = take_idle(nullptr, 1, count);
    return first != nullptr ? static_cast<Fiber*>(first) : make_fiber();
}

Fiber* take_lender() {
    if (!g.light_fibers.load(std::memory_order_relaxed)) {
        Fiber* const fiber = take_from_stock();
        if (fiber == nullptr || fiber->kind == Kind::full) return fiber;
        give_to_stock(*fiber);
    }
    const auto is_full = [](const Link& link) { return static_cast<const Fiber&>(link).kind == Kind::full; };
    const HeldSignals held;
    return static_cast<Fiber*>(stock.take_if(is_full));
}

void give_to_stock(Fiber& fiber) {
    const HeldSignals held;
    stock.put(&fiber, &fiber, 1);
}

Fiber* take_full_spare(Carrier& carrier) {
    if (carrier.spares.first == nullptr) carrier.spares.first = take_idle(&carrier, spares_moved, carrier.spares.count);
    Fiber* const spare = carrier.spares.first != nullptr ? take_spare(carrier) : try_full_fiber();
    if (spare == nullptr || spare->kind == Kind::full) return spare;
    put_spare(carrier, *spare);
    return nullptr;
}

Fiber* find_spare(Carrier& carrier) {
    carrier.spares.first = take_idle(&carrier, spares_moved, carrier.spares.count);
    for (Link* at = carrier.spares.first; one_to_one() && at != nullptr; at = at->next) {
        let_others_run(*static_cast<Fiber*>(at));
    }
    if (carrier.spares.first != nullptr) return take_spare(carrier);
    Fiber* fiber = make_fiber();
    if (fiber == nullptr) fiber = make_last_fiber();
    if (fiber == nullptr) fatal("out of memory: no stack of even %zu bytes for a waiting OpenMP thread", smallest_stack);
    return fiber;
}

// A light fiber may rest anywhere: it has no frames of a user's that know an address of this carrier's TLS.
void shelve_spares(Carrier& carrier) {
    Link* const first = carrier.spares.first;
    Link* last = first;
    for (std::uint32_t count = 1; count < spares_moved; ++count) last = last->next;
    carrier.spares.first = last->next;
    carrier.spares.count -= spares_moved;
    carrier.shelf.put(first, last, spares_moved);
}

std::uint32_t give_spares(Carrier& carrier) {
    std::uint32_t shelved, given = 0;
    Link* const lists[] = {std::exchange(carrier.spares.first, nullptr), carrier.shelf.take(UINT32_MAX, shelved)};
    carrier.spares.count = 0;
    for (Link* const first : lists) {
        if (first == nullptr) continue;
        Link* last = first;
        std::uint32_t count = 1;
        for (; last->next != nullptr; ++count) last = last->next;
        const HeldSignals held;
        stock.put(first, last, count);
        given += count;
    }
    return given;
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
    // loop.
    if (fiber->end_rest()) give_to_stock(*fiber);
}

// With several roots that end at once, some fibers more may go.
void end_surplus(std::uint32_t most, void (*retired)(std::uint32_t id)) {
    const std::uint32_t idle = stock.size_hint(), kept = std::max(kept_in_all, kept_a_carrier * carrier_count());
    if (idle <= kept || most == 0) return;
    std::uint32_t count;
    Link* first;
    {
        const HeldSignals held;
        first = stock.take(std::min(most, idle - kept), count);
    }
    end_all(first, retired);
}

bool stock_is_complete() { return stock.size_hint() + given_up >= living_fibers(); }

void give_up_missing() { given_up = living_fibers() - stock.size_hint(); }

void end_stock(void (*retired)(std::uint32_t id)) {
    std::uint32_t count;
    end_all(stock.take(UINT32_MAX, count), retired);
    end_shortage_of_stacks();
}

void forget_stock() {
    renew(stock);
    given_up = 0;
    forget_fibers();
}

}  // namespace gossamer::fiber
