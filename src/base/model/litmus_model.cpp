// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checker checked: small programs whose possible outcomes C++20 settles. Each must show exactly the
// outcomes that are listed, so that the machine is neither too strong (it would miss bugs) nor too weak (it
// would invent them).

#include <cstdio>
#include <set>
#include <string>

#include "base/model/model.hpp"

using namespace gossamer::model;
using enum std::memory_order;

namespace {

std::set<std::string> outcomes;

/// What the threads of a program have read, one digit each.
struct Program {
    static constexpr bool may_sleep = false;

    Atomic<int> x{0};
    Atomic<int> y{0};
    char read[5] = "----";

    void saw(int place, int value) { read[place] = static_cast<char>('0' + value); }

    void finish() {
        std::string outcome(read);
        outcome.resize(outcome.find_last_not_of('-') + 1);
        outcomes.insert(outcome);
    }
};

template <std::memory_order store, std::memory_order load, std::memory_order fence>
struct StoreBuffering : Program {
    static constexpr unsigned threads = 2;

    void run(unsigned thread) {
        Atomic<int>& mine = thread == 0 ? x : y;
        Atomic<int>& other = thread == 0 ? y : x;
        mine.store(1, store);
        Atomics::fence(fence);
        saw(static_cast<int>(thread), other.load(load));
    }
};

template <std::memory_order store, std::memory_order load>
struct MessagePassing : Program {
    static constexpr unsigned threads = 2;

    void run(unsigned thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            y.store(1, store);
        } else {
            saw(0, y.load(load));
            saw(1, x.load(relaxed));
        }
    }
};

struct MessagePassingInTime : Program {
    static constexpr unsigned threads = 2;

    void run(unsigned thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            y.store(1, relaxed);
        } else {
            saw(0, y.load(relaxed));
            time_passes();
            saw(1, x.load(relaxed));
        }
    }
};

struct MessagePassingByFences : Program {
    static constexpr unsigned threads = 2;

    void run(unsigned thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            Atomics::fence(release);
            y.store(1, relaxed);
        } else {
            saw(0, y.load(relaxed));
            Atomics::fence(acquire);
            saw(1, x.load(relaxed));
        }
    }
};

/// Thread 1 continues the release sequence of thread 0 by a read-modify-write, or breaks it by a store.
template <bool continues>
struct ReleaseSequence : Program {
    static constexpr unsigned threads = 3;

    void run(unsigned thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            y.store(1, release);
        } else if (thread == 1) {
            if (continues) {
                y.fetch_add(1, relaxed);
            } else if (y.load(relaxed) == 1) {
                y.store(2, relaxed);
            }
        } else if (y.load(acquire) == 2) {
            saw(0, x.load(relaxed));
        }
    }
};

struct Coherence : Program {
    static constexpr unsigned threads = 2;

    void run(unsigned thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            x.store(2, relaxed);
        } else {
            saw(0, x.load(relaxed));
            saw(1, x.load(relaxed));
        }
    }
};

/// Two writers, two readers: do the readers agree on who was first?
template <std::memory_order load, std::memory_order fence>
struct IndependentReads : Program {
    static constexpr unsigned threads = 4;

    void run(unsigned thread) {
        if (thread < 2) return (thread == 0 ? x : y).store(1, relaxed);
        Atomic<int>& first = thread == 2 ? x : y;
        Atomic<int>& second = thread == 2 ? y : x;
        const int place = thread == 2 ? 0 : 2;
        saw(place, first.load(load));
        Atomics::fence(fence);
        saw(place + 1, second.load(load));
    }
};

struct Counting : Program {
    static constexpr unsigned threads = 3;

    void run(unsigned) { x.fetch_add(1, relaxed); }

    void finish() {
        saw(0, x.load(relaxed));
        Program::finish();
    }
};

/// A strong compare-and-swap by two: exactly one wins.
struct Competing : Program {
    static constexpr unsigned threads = 2;

    void run(unsigned thread) {
        int expected = 0;
        saw(static_cast<int>(thread), x.compare_exchange_strong(expected, 1, relaxed, relaxed));
    }
};

template <std::memory_order store, std::memory_order load, bool in_time = false>
struct Plain : Program {
    static constexpr unsigned threads = 2;

    Var<int> data;

    void run(unsigned thread) {
        if (thread == 0) {
            data.set(1);
            x.store(1, store);
        } else if (x.load(load) == 1) {
            if (in_time) time_passes();
            saw(0, data.get());
        }
    }
};

struct Deadlock : Program {
    static constexpr unsigned threads = 2;

    Token token[2];

    void run(unsigned thread) {
        token[thread].take();
        token[1 - thread].give();
    }
};

int failures = 0;

template <class P>
void expect(const char* name, const std::set<std::string>& expected, bool violation = false) {
    outcomes.clear();
    const auto report = Suite::explore<P>();
    const bool good = violation ? !report.violation.empty() : report.violation.empty() && outcomes == expected;
    std::printf("%s: %llu executions, %llu states, %s:", name, static_cast<unsigned long long>(report.executions),
                static_cast<unsigned long long>(report.states), good ? "as expected" : "WRONG");
    for (const std::string& outcome : outcomes) std::printf(" %s", outcome.empty() ? "." : outcome.c_str());
    std::printf(" %s\n", report.violation.c_str());
    failures += !good;
}

std::set<std::string> all_but(std::set<std::string> outcomes_of_all, const char* forbidden) {
    outcomes_of_all.erase(forbidden);
    return outcomes_of_all;
}

}  // namespace

int main() {
    const std::set<std::string> two_bits{"00", "01", "10", "11"};
    expect<StoreBuffering<release, acquire, acq_rel>>("store buffering", two_bits);
    expect<StoreBuffering<relaxed, relaxed, seq_cst>>("store buffering, fences", all_but(two_bits, "00"));
    expect<StoreBuffering<seq_cst, seq_cst, relaxed>>("store buffering, seq_cst", all_but(two_bits, "00"));
    expect<StoreBuffering<seq_cst, acquire, relaxed>>("store buffering, stores seq_cst", two_bits);
    expect<MessagePassing<relaxed, acquire>>("message passing, no release", two_bits);
    expect<MessagePassing<release, relaxed>>("message passing, no acquire", two_bits);
    expect<MessagePassing<release, acquire>>("message passing", all_but(two_bits, "10"));
    expect<MessagePassingInTime>("message passing, time", all_but(two_bits, "10"));
    expect<MessagePassingByFences>("message passing by fences", all_but(two_bits, "10"));
    expect<ReleaseSequence<true>>("release sequence, continued", {"", "1"});
    expect<ReleaseSequence<false>>("release sequence, broken", {"", "0", "1"});
    expect<Coherence>("coherence", {"00", "01", "02", "11", "12", "22"});
    std::set<std::string> four_bits;
    for (const std::string& left : two_bits) {
        for (const std::string& right : two_bits) four_bits.insert(left + right);
    }
    expect<IndependentReads<acquire, relaxed>>("independent reads", four_bits);
    expect<IndependentReads<relaxed, seq_cst>>("independent reads, fences", all_but(four_bits, "1010"));
    expect<Counting>("counting", {"3"});
    expect<Competing>("competing", {"01", "10"});
    expect<Plain<release, acquire>>("plain data", {"", "1"});
    expect<Plain<relaxed, acquire>>("plain data, no release", {}, true);
    expect<Plain<release, relaxed>>("plain data, no acquire", {}, true);
    expect<Plain<release, relaxed, true>>("plain data, time", {}, true);
    expect<Deadlock>("deadlock", {}, true);
    return failures != 0;
}
