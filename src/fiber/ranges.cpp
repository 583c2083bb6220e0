// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges on their way into queues (docs/protocols/ranges.md): a range is offered whole, and split where a test or relief
// wants its numbers one by one.

#include "fiber/apart.hpp"
#include "fiber/queues.hpp"
#include "fiber/ready.hpp"

namespace gossamer::fiber {

void push_range(Carrier& carrier, Range& range) {
    if (GOSSAMER_UNLIKELY(carrier.deque.full())) {
        // Ranges whose numbers other carriers took, for this region or earlier ones of the same owner, lie here until a carrier
        // comes across them: the deque must not grow by them.
        for (Item item; (item = carrier.deque.peek()) == Item(&range) || item.is_exhausted();) carrier.deque.pop();
    }
    GOSSAMER_CHECK(carrier.deque.push(Item(&range)), "out of memory for a carrier's queue");
    published_here(carrier);
}

Item split_one(Carrier& carrier, Item item) {
    Range& range = *item.range();
    std::uint32_t number;
    if (!range.span.take_last(number)) return Item();
    Range& part = range.part_of(number);
    if (&part != &range && !range.span.empty() && !item.stays()) push_range(carrier, range);
    return Item(&part);
}

void offer(Range& range) {
    Carrier& carrier = *self()->carrier;
    std::uint32_t number;
    while (mode_is_on(mode_no_ranges) && range.span.size_hint() > 1 && range.span.take_last(number)) {
        push_range(carrier, range.part_of(number));
    }
    push_range(carrier, range);
}

void offer_apart(Range& range) {
    std::uint32_t number;
    while (range.span.take_last(number)) {
        Range& part = range.part_of(number);  // `range` itself for the last number to be taken
        if (!run_apart(Item(&part))) push_range(*self()->carrier, part);
        if (&part == &range) return;
    }
}

bool offer_outside(Range& range) { return run_apart(Item(&range)); }

}  // namespace gossamer::fiber
