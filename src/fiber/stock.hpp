// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stock of idle fibers (stock.cpp).
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

Fiber* take_spare(Carrier& carrier);  // never null: falls back, with a message, and aborts only without any memory
void put_spare(Carrier& carrier, Fiber& fiber);
Fiber* take_lender();      // a full fiber from the stock, or a new one while the system grants them; or null
Fiber* take_from_stock();  // null: no memory even for a light fiber
void give_to_stock(Fiber& fiber);
void give_spares(Carrier& carrier);  // gives all of the carrier's spares to the stock
bool stock_is_complete();            // whether every living fiber lies there that is no home and was not given up
void give_up_missing();              // gives up the fibers that do not
void end_stock(void (*retired)(std::uint32_t id));
// In the child of fork, where every fiber but the caller's is gone.
void forget_stock();

}  // namespace gossamer::fiber
