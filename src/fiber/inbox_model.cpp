// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every message that is pushed is taken exactly once, complete, and those of one sender in their order.

#include "base/model/model.hpp"
#include "fiber/inbox.hpp"

using namespace gossamer;

namespace {

struct Message : fiber::Link {
    model::Var<int> text;
    int taken = 0;
};

/// Two senders with two messages and one, and a receiver that looks twice; the remaining messages are taken at the end.
struct TwoSenders {
    static constexpr unsigned threads = 3;
    static constexpr bool may_sleep = false;

    fiber::BasicInbox<model::Atomics> inbox;
    Message message[3];
    int last_from_first_sender = -1;
    int found_empty = 0;

    void run(unsigned thread) {
        if (thread == 0) {
            receive();
            receive();
        } else if (thread == 1) {
            send(0);
            send(1);
        } else {
            send(2);
        }
    }

    void send(int number) {
        message[number].text.set(number + 1);
        found_empty += inbox.push(&message[number]);
    }

    void receive() {
        auto* link = inbox.take_all();
        for (link = inbox.oldest_first(link); link != nullptr; link = link->next) {
            auto& got = static_cast<Message&>(*link);
            const int number = static_cast<int>(&got - message);
            model::require(got.text.get() == number + 1, "a message came without its text");
            model::require(got.taken++ == 0, "a message was taken twice");
            if (number == 2) continue;
            model::require(number > last_from_first_sender, "a sender's messages changed places");
            last_from_first_sender = number;
        }
    }

    void finish() {
        receive();
        for (const Message& each : message) model::require(each.taken == 1, "a message was lost");
        model::require(found_empty >= 1, "nobody was told that the inbox had been empty");
    }
};

/// Two receivers: a head that leaves and comes back must not confuse a push (the same link is sent again).
struct SentAgain {
    static constexpr unsigned threads = 3;
    static constexpr bool may_sleep = false;

    fiber::BasicInbox<model::Atomics> inbox;
    Message first;
    Message second;
    int taken_by[2] = {0, 0};

    void run(unsigned thread) {
        if (thread == 2) {
            second.text.set(2);
            inbox.push(&second);
        } else if (thread == 1) {
            first.text.set(1);
            inbox.push(&first);
            for (auto* link = inbox.take_all(); link != nullptr;) {
                auto* const next = link->next;
                count(link);
                if (link == &first) {
                    first.taken = 0;
                    first.text.set(3);
                    inbox.push(&first);
                }
                link = next;
            }
        } else {
            drain();
        }
    }

    void count(fiber::Link* link) {
        auto& got = static_cast<Message&>(*link);
        model::require(got.text.get() != 0, "a message came without its text");
        model::require(got.taken++ == 0, "a message was taken twice");
    }

    void drain() {
        for (auto* link = inbox.take_all(); link != nullptr;) {
            auto* const next = link->next;
            count(link);
            link = next;
        }
    }

    void finish() {
        drain();
        model::require(first.taken == 1 && second.taken == 1, "a message was lost");
    }
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("inbox");
    suite.add<TwoSenders>("two senders");
    suite.add<SentAgain>("sent again");
    return suite.run(argc, argv);
}
