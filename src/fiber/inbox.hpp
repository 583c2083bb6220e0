// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/base.hpp"

// What others send to a carrier: any thread pushes, any thread takes everything at once.
//
// Nobody ever takes a single link off the list. So the head that a push compares against may have left and
// come back in the meantime without harm: the link that it puts in front of it names the head that is there
// now (no ABA).

namespace gossamer::fiber {

/// Base of whatever is sent. The sender owns `next` until push; whoever took the list owns it afterwards.
struct Link {
    Link* next = nullptr;
};

template <class A = StdAtomics>
class BasicInbox {
public:
    constexpr BasicInbox() = default;
    BasicInbox(const BasicInbox&) = delete;
    BasicInbox& operator=(const BasicInbox&) = delete;

    /// Anyone. True: the inbox was empty before. After the call the link belongs to whoever takes it.
    bool push(Link* link) {
        Link* head = head_.load(std::memory_order_relaxed);
        do {
            link->next = head;
            // release pairs with take_all: it sees the link and what it carries, and through the release
            // sequence those of every earlier push.
        } while (!head_.compare_exchange_weak(head, link, std::memory_order_release, std::memory_order_relaxed));
        return head == nullptr;
    }

    /// Anyone. Takes the whole list, newest first; null when there was nothing.
    Link* take_all() {
        if (empty_hint()) return nullptr;                           // keeps the line shared while there is nothing to take
        return head_.exchange(nullptr, std::memory_order_acquire);  // pairs with push
    }

    /// Anyone. After a sequentially consistent fence this is good enough for the re-check before parking:
    /// what was pushed before the pusher's own fence is seen, unless it has been taken.
    bool empty_hint() const { return head_.load(std::memory_order_relaxed) == nullptr; }

    /// Turns a list that take_all returned around, so that it is in the order of arrival.
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
