// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <type_traits>

#include "base/model/machine.hpp"

namespace gossamer::model {

template <class T>
std::uint64_t to_word(T value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof value);
    return word;
}

template <class T>
T from_word(std::uint64_t word) {
    T value;
    std::memcpy(&value, &word, sizeof value);
    return value;
}

/// Stands in for std::atomic: each operation is a step of the machine. Every call records where it was
/// written, so that traces and mutations name lines of the checked source.
template <class T>
class Atomic {
    using Where = std::source_location;
    using Order = std::memory_order;

public:
    Atomic() : Atomic(T{}) {}
    Atomic(T value) : id_(Machine::the().create(to_word(value), std::is_pointer_v<T>)) {}
    Atomic(const Atomic&) = delete;
    Atomic& operator=(const Atomic&) = delete;

    T load(Order order, Where where = Where::current()) const { return from_word<T>(Machine::the().load(id_, order, where)); }

    void store(T value, Order order, Where where = Where::current()) {
        Machine::the().store(id_, to_word(value), order, where);
    }

    T exchange(T value, Order order, Where where = Where::current()) {
        return modify([=](T) { return value; }, order, where);
    }

    T fetch_add(T addend, Order order, Where where = Where::current()) {
        return modify([=](T value) { return static_cast<T>(value + addend); }, order, where);
    }

    T fetch_sub(T subtrahend, Order order, Where where = Where::current()) {
        return modify([=](T value) { return static_cast<T>(value - subtrahend); }, order, where);
    }

    T fetch_or(T bits, Order order, Where where = Where::current()) {
        return modify([=](T value) { return static_cast<T>(value | bits); }, order, where);
    }

    T fetch_and(T bits, Order order, Where where = Where::current()) {
        return modify([=](T value) { return static_cast<T>(value & bits); }, order, where);
    }

    bool compare_exchange_strong(T& expected, T desired, Order success, Order failure, Where where = Where::current()) {
        std::uint64_t seen = to_word(expected);
        const bool done = Machine::the().compare(id_, seen, to_word(desired), success, failure, where);
        if (!done) expected = from_word<T>(seen);
        return done;
    }

    /// Never fails spuriously: a loop around it would only see the same state again.
    bool compare_exchange_weak(T& expected, T desired, Order success, Order failure, Where where = Where::current()) {
        return compare_exchange_strong(expected, desired, success, failure, where);
    }

private:
    template <class Function>
    T modify(Function function, Order order, const Where& where) {
        return from_word<T>(Machine::the().modify(
            id_, [&](std::uint64_t word) { return to_word(function(from_word<T>(word))); }, order, where));
    }

    unsigned id_;
};

/// The policy to give a lock-free core in place of StdAtomics.
struct Atomics {
    template <class T>
    using Atomic = model::Atomic<T>;

    static void fence(std::memory_order order, std::source_location where = std::source_location::current()) {
        Machine::the().fence(order, where);
    }
};

/// A full fence that the caller runs on behalf of every thread of the scenario.
inline void fence_all(std::source_location where = std::source_location::current()) { Machine::the().fence_all(where); }

/// From here on the caller reads nothing older than what is stored now: for a thread that looks again and again, and at last
/// long after. Nothing happens before anything by it.
inline void time_passes(std::source_location where = std::source_location::current()) { Machine::the().time_passes(where); }

/// Plain data that the checked protocol is to protect: an access that may race is a violation.
template <class T>
class Var {
public:
    Var(T value = T{}) : id_(Machine::the().create_plain(to_word(value))) {}
    Var(const Var&) = delete;
    Var& operator=(const Var&) = delete;

    T get() const { return from_word<T>(Machine::the().plain_read(id_)); }
    void set(T value) { Machine::the().plain_write(id_, to_word(value)); }

private:
    unsigned id_;
};

/// Where a thread sleeps until another gives it leave; counts what was given.
class Token {
public:
    void give(std::source_location where = std::source_location::current()) { Machine::the().give(id_, where); }
    void take(std::source_location where = std::source_location::current()) { Machine::the().take(id_, where); }
    unsigned left() const { return Machine::the().tokens_left(id_); }

private:
    unsigned id_ = Machine::the().create_token();
};

/// What must hold, in a thread or in the final check.
inline void require(bool good, const char* message) {
    if (!good) Machine::the().violate(message);
}

/// In a thread: the rest of what it does depends on `label`, on its plain variables of type Var and on the
/// atomics, but on nothing else that it has read or counted so far. A promise of the scenario that makes far
/// fewer states.
inline void forget(std::uint64_t label) { Machine::the().forget(label); }

/// In the final check: whether the thread ran to its end, or sleeps on a token for good.
inline bool finished(unsigned thread) { return Machine::the().finished(thread); }

}  // namespace gossamer::model
