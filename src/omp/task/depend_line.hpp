// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a table of dependences is made of (depend.hpp): for each address a line, which is a list of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "base/base.hpp"
#include "omp/task/depend.hpp"
#include "omp/task/depend_gate.hpp"

namespace gossamer::omp {

struct DependRank {
    DependLine* line = nullptr;
    DependRank* next = nullptr;
    DependEntry* waiting = nullptr;  // entries of its tasks, newest first, until the rank's turn comes; then see `claimed`
    Task* newest = nullptr;          // the task that joined last
    std::uint32_t unfinished = 0;    // tasks that are not complete
    DependKind kind = DependKind::in;
    DependGate gate{};  // the line's; used in its first rank
    // Of a mutexinoutset whose turn has come: whether one of its tasks may run, and no other until that one is complete. Then
    // `waiting` is the newest of the entries that wait for this, in a ring: its `next` is the oldest.
    bool claimed = false;

    // Takes over what `following` holds, but for the gate: the first rank of a line lies in the line itself.
    void become(const DependRank& following) {
        next = following.next;
        waiting = following.waiting;
        newest = following.newest;
        unfinished = following.unfinished;
        kind = following.kind;
    }
};

// All tasks that name one address. In one cache line with its first rank, the one
// whose turn it is: most tasks change nothing else.
struct alignas(cache_line) DependLine {
    const void* address = nullptr;
    DependLine* next = nullptr;  // in its bucket
    DependRank* last = &first;
    DependRank first{.line = this};  // `unfinished` 0: the line is idle, and this is its only rank

    bool is_idle() const { return first.unfinished == 0; }

    void set_gate() {
        if (is_idle()) {
            first.gate.set_idle();
        } else if (last == &first) {
            first.gate.set_running(first.kind);
        } else {
            first.gate.set_waiting();
        }
    }
};
static_assert(sizeof(DependLine) == cache_line);

// A node that holds no line and no rank. All nodes have the size of a line.
struct DependNode {
    DependNode* next;
};

inline void* DependTable::take_node() {
    if (GOSSAMER_UNLIKELY(free_nodes_ == nullptr)) more_nodes();
    DependNode* const node = free_nodes_;
    free_nodes_ = node->next;
    return node;
}

inline void DependTable::give_node(void* node) { free_nodes_ = ::new (node) DependNode{free_nodes_}; }

// Fibonacci hashing: the upper bits of the product depend on all of the address (Knuth, TAOCP 3, §6.4).
inline std::size_t bucket_of(const void* address, std::uint32_t bits) {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address)) * 0x9e3779b97f4a7c15u >> (64 - bits);
}

}  // namespace gossamer::omp
