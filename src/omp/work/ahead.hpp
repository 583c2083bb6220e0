// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partition::dynamic_ahead: a loop whose chunks come to each thread in increasing order, but where a thread takes a few short
// ones at once, because each way to the shared counter fetches its line from another core (docs/decisions/0049).
//
// The thread is given them one after the other, so that no iteration comes later than one with a greater number that waits for
// it. It holds the others meanwhile (held.hpp): taken and not begun. An iteration may wait for a later one as well, which its
// own thread holds. So a thread for which the counter has nothing left does not leave the loop while a sibling holds chunks. It
// waits until that has begun them; and where it does not come for a second, it takes the first one. By then it has mostly been
// on to later ones and goes back with it, which programs may not expect: hence the second.
//
// Programs copy a lastprivate variable out of the thread that has run the last chunk, at that thread's end of the loop
// (§5.4.5). So the thread that has come to the last one holds it as long as siblings hold others, of which it may have to take
// some; and whoever has run it takes nothing more.
//
// Invariant: as long as a chunk is held, each thread that comes to the counter, and finds nothing, learns of it.
//   - A thread that may be about to hold some, and is not counted yet, counts itself. Then its word says that it holds `some`;
//     then it takes them from the counter, with release; then its word says which.
//   - A thread that finds nothing has asked the counter with acquire, and after everybody who has got something. So it sees
//     the count of each that may hold, or a later one, and its word, or a later one.
//   - Who is counted no longer holds none, and will hold none before it has asked the counter again; but for the last chunk,
//     which its thread holds only while another one holds some.
//   - So a thread that has seen no sibling hold any goes round once more. Then those others have begun. The last one begins as
//     well, unless its thread has stolen one of those others; who saw that stolen sees the last one held:
//     the thief's heavy fence lies between.
// A thief takes one chunk, and leaves the others where they are, so that no chunk is out of everybody's sight but in the hands
// of a thread that begins it.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"

namespace gossamer::omp {

struct Chunk;
struct Thread;

// Of one loop, beside its counter. The orders are relaxed: asking the counter orders what has to be.
template <class A = StdAtomics>
class BasicHolders {
public:
    // Before a thread asks the counter for more than one chunk. `counted`: whether it is counted.
    template <class Held>
    void announce(Held& own, uint32_t slot, bool& counted) {
        if (!counted) count_.fetch_add(1, std::memory_order_relaxed);
        counted = true;
        own.hold(slot, 0, Held::some);
    }

    // A counted thread has got nothing, or is about to ask for one chunk only; or it leaves the loop, and with it chunks that
    // are cancelled.
    template <class Held>
    void renounce(Held& own, bool& counted) {
        own.hold_none();
        count_.fetch_sub(1, std::memory_order_relaxed);
        counted = false;
    }

    // Whether some thread may hold chunks, other than one that is `counted` itself.
    bool any_other(bool counted) const { return count_.load(std::memory_order_relaxed) != (counted ? 1 : 0); }

    // In the child of a fork: of the threads in the loop only the caller is left.
    void forget_others(bool counted) {
        count_.store(counted ? 1 : 0, std::memory_order_relaxed);
        watched.store(0, std::memory_order_relaxed);
    }

    // 1: a thread for which nothing is left watches those that hold chunks.
    typename A::template Atomic<uint32_t> watched{0};

private:
    typename A::template Atomic<uint32_t> count_{0};
};

using Holders = BasicHolders<>;

// Takes the first chunk, of `size`, that one of `team` siblings holds and does not begin; false when none holds any, and none
// will hold any again. `held_of(number)`: what a sibling holds; null: the caller. `leaves_behind(held, word)`: waits until the
// sibling begins a chunk, false, or is known not to, true; may suspend.
template <class HeldOf, class LeavesBehind>
bool take_from_siblings(uint32_t team, uint32_t slot, uint64_t size, HeldOf held_of, LeavesBehind leaves_behind,
                        uint64_t& first) {
    uint32_t number = 0;
    for (uint32_t without = 0; without < 2 * team;) {  // so many in turn hold none
        auto* const held = held_of(number);
        const uint64_t word = held == nullptr ? 0 : held->look();
        const uint32_t left = held == nullptr ? 0 : held->left(word, slot);
        if (left == 0) {
            ++without;
            number = number + 1 == team ? 0 : number + 1;
            continue;
        }
        without = 0;
        if (leaves_behind(*held, word) && left != held->some && held->steal(word, size, first)) return true;
    }
    return false;
}

// The thread's next chunk, when it holds none; false: none is left. Suspends while siblings hold chunks that they have not
// begun.
bool take_ahead(Thread& thread, Chunk& chunk);

// The thread's next chunk where that would be `chunk`, the last one, and it holds no other. As take_ahead.
bool begin_last(Thread& thread, Chunk& chunk);

}  // namespace gossamer::omp
