// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stock of idle fibers (stock.cpp).
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

Fiber* find_spare(Carrier& carrier);  // for a carrier that has none at hand. Never null, as take_spare
// By the carrier's own native thread. Never null: falls back, with a message, and aborts only without any memory.
GOSSAMER_INLINE Fiber* take_spare(Carrier& carrier) {
    Link* const first = carrier.spares.first;
    if (GOSSAMER_UNLIKELY(first == nullptr)) return find_spare(carrier);
    carrier.spares.first = first->next;
    --carrier.spares.count;
    return static_cast<Fiber*>(first);
}
Fiber* take_full_spare(Carrier& carrier);  // a full one; null, without a message: the system grants none
void shelve_spares(Carrier& carrier);      // some of those at hand, which are spares_kept
// By the carrier's own native thread. Without a call, unless there are too many (docs/decisions/0034-as-deep-in-calls.md).
GOSSAMER_INLINE void put_spare(Carrier& carrier, Fiber& fiber) {
    if (GOSSAMER_UNLIKELY(carrier.spares.count == spares_kept)) shelve_spares(carrier);
    fiber.next = carrier.spares.first;
    carrier.spares.first = &fiber;
    ++carrier.spares.count;
}
Fiber* take_lender();      // a full fiber from the stock, or a new one while the system grants them; or null
Fiber* take_from_stock();  // null: no memory even for a light fiber
void give_to_stock(Fiber& fiber);
std::uint32_t give_spares(Carrier& carrier);  // gives all of the carrier's spares to the stock; how many these were
bool stock_is_complete();                     // whether every living fiber lies there that is no home and was not given up
void give_up_missing();                       // gives up the fibers that do not
void end_stock(void (*retired)(std::uint32_t id));
// In the child of fork, where every fiber but the caller's is gone.
void forget_stock();

}  // namespace gossamer::fiber
