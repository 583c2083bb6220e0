// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What other threads send to a carrier: any thread pushes one link, any thread takes all links at once.
//
// No thread ever takes a single link off the list. So it is harmless if the head that a push compares against has left and
// come back in the meantime: the new link names the head that is there now (no ABA).
#pragma once

#include "base/base.hpp"

namespace gossamer::fiber {

/// Base of everything that is sent. The sender owns `next` until push; the thread that took the list owns it afterwards.
struct Link {
    Link* next = nullptr;
};

template <class A = StdAtomics>
class BasicInbox {
public:
    constexpr BasicInbox() = default;
    BasicInbox(const BasicInbox&) = delete;
    BasicInbox& operator=(const BasicInbox&) = delete;

    /// Any thread. True: the inbox was empty before. After the call the link belongs to the thread that takes it.
    bool push(Link* link) {
        Link* head = head_.load(std::memory_order_relaxed);
        do {
            link->next = head;
            // release pairs with take_all: the taker sees the link and what it carries, and through the release sequence
            // those of every earlier push.
        } while (!head_.compare_exchange_weak(head, link, std::memory_order_release, std::memory_order_relaxed));
        return head == nullptr;
    }

    /// Any thread. Takes the whole list, newest first; null when the inbox was empty.
    Link* take_all() {
        if (empty_hint()) return nullptr;                           // keeps the line shared while there is nothing to take
        return head_.exchange(nullptr, std::memory_order_acquire);  // pairs with push
    }

    /// Any thread. Enough, behind a seq_cst fence, for the look before parking: the caller sees what another thread pushed
    /// before that thread's own fence, unless it has been taken.
    bool empty_hint() const { return head_.load(std::memory_order_relaxed) == nullptr; }

    /// Reverses a list that take_all returned: oldest first.
    static Link* oldest_first(Link* list) {
        Link* reversed = nullptr;
        while (list != nullptr) {
            Link* const next = list->next;
            list->next = reversed;
            reversed = list;
            list = next;
        }
        return reversed;
    }

private:
    typename A::template Atomic<Link*> head_{nullptr};
};

using Inbox = BasicInbox<>;

}  // namespace gossamer::fiber
