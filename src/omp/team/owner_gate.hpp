// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gate between the owner of some plain fields, who comes all the time, and visitors, who come hardly ever: the owner passes
// without a locked instruction or a fence of the CPU's (the asymmetric Dekker protocol, as in task_deque.hpp).
//
//   owner                                    visitor, one at a time
//   inside = 1                               closed = 1
//   light fence                              heavy fence, in every thread of the process
//   closed: inside = 0, and does without     inside: does without
//   else: uses the fields; inside = 0        else: uses the fields
//                                            closed = 0
//
// Nobody waits for the other. Either the owner's look sees the closed gate, or the visitor's look comes after the owner's
// store: the heavy fence is a fence in the owner's own stream too, before its look or behind its store.
//
// Who is the owner may change, from thread to thread, by means that order what the former one did before what the next one
// does.
#pragma once

#include <atomic>

#include "base/base.hpp"

namespace gossamer::omp {

// A supplies Atomic, light() and heavy(), as for BasicTaskDeque.
template <class A>
class BasicOwnerGate {
public:
    constexpr BasicOwnerGate() = default;
    BasicOwnerGate(const BasicOwnerGate&) = delete;
    BasicOwnerGate& operator=(const BasicOwnerGate&) = delete;

    /// Owner. True: the fields are the owner's until `leave`. False: a visitor is there.
    bool enter() {
        inside_.store(true, std::memory_order_relaxed);
        A::light();                                                                  // pairs with the visitor's heavy fence
        if (GOSSAMER_LIKELY(!closed_.load(std::memory_order_acquire))) return true;  // pairs with open
        leave();
        return false;
    }
    void leave() { inside_.store(false, std::memory_order_release); }  // pairs with is_clear

    /// Visitor. After `close`, of one gate or several, and A::heavy(): the fields of those that are clear are the visitor's
    /// until `open`, which each closed gate needs.
    void close() { closed_.store(true, std::memory_order_relaxed); }  // the heavy fence behind it pairs with enter's light one
    bool is_clear() const { return !inside_.load(std::memory_order_acquire); }  // pairs with leave
    void open() { closed_.store(false, std::memory_order_release); }            // pairs with enter

private:
    typename A::template Atomic<bool> inside_{false};
    typename A::template Atomic<bool> closed_{false};
};

}  // namespace gossamer::omp
