// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kinds of task would have no predecessor on an address (depend.hpp). The gate is set under the table's lock. The thread
// that adds tasks reads it without: all that other threads do meanwhile is to let more kinds begin, so a yes holds until that
// thread adds the next task.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"

namespace gossamer::omp {

// In an order by which one comparison tells kinds apart: up to inoutset tasks of one kind may run together; behind exclusive
// come the rare kinds.
enum class DependKind : std::uint8_t {
    in,             // after every earlier task with another kind on the same address
    inoutset,       // likewise: those of one set do not wait for each other
    exclusive,      // out, inout: after every earlier task with that address
    mutexinoutset,  // as inoutset, but only one of a set runs at a time
    all_memory,     // after every earlier task with any dependence; the address means nothing
};

template <class A>
class BasicDependGate {
public:
    // Whether a task of that kind, which is not all_memory, would have no predecessor.
    bool lets_begin(DependKind kind) const {
        const std::uint8_t lets = lets_.load(std::memory_order_acquire);  // pairs with set_idle and set_running
        return lets == any || (kind < DependKind::exclusive && lets == static_cast<std::uint8_t>(kind));
    }

    // Under the lock, which orders the setter behind all tasks that have completed on the address. The address has no task;
    // tasks of one kind, whose turn has come (an exclusive one lets no other begin, nor does one of a mutexinoutset, since
    // another of the set may run next); tasks that wait. release pairs with lets_begin.
    void set_idle() { lets_.store(any, std::memory_order_release); }
    void set_running(DependKind kind) { lets_.store(static_cast<std::uint8_t>(kind), std::memory_order_release); }
    void set_waiting() { lets_.store(none, std::memory_order_relaxed); }  // by the thread that adds, which alone reads it

private:
    static constexpr std::uint8_t none = static_cast<std::uint8_t>(DependKind::exclusive);
    static constexpr std::uint8_t any = 0xff;

    typename A::template Atomic<std::uint8_t> lets_{any};
};

using DependGate = BasicDependGate<StdAtomics>;

}  // namespace gossamer::omp
