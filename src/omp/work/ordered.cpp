// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/work/ordered.hpp"

#include "omp/team/team.hpp"

namespace gossamer::omp {

namespace {

// Where a thread waits whose slot is taken: an address within the share that serves no other wait.
const void* key(const Share& share, uint64_t iteration) {
    return reinterpret_cast<const char*>(&share.ordered) + iteration % sizeof share.ordered;
}

struct Turn {
    Share& share;
    uint64_t iteration;

    bool has_come() const { return share.ordered.has_come(iteration); }
    static bool ask(const void* at) { return static_cast<const Turn*>(at)->has_come(); }
    static bool ask_locked(void* at) { return ask(at); }

    void sleep() const {
        fiber::Fiber* const me = fiber::self();
        if (GOSSAMER_UNLIKELY(!share.ordered.fill_slot(me, iteration))) {
            share.ordered.begin_overflow();
            fiber::wait_until(key(share, iteration), ask_locked, const_cast<Turn*>(this));
            share.ordered.end_overflow();
        } else if (!share.ordered.has_come_now(iteration) || !share.ordered.take_back(me, iteration)) {
            fiber::suspend();
        }
    }
};

void await_turn(Share& share, uint64_t iteration) {
    const Turn turn{share, iteration};
    while (!turn.has_come() && !fiber::spin_until(Turn::ask, &turn)) turn.sleep();
}

// The thread remembers what it has passed: to look that up would take the line from the thread whose turn it is.
void pass(Thread& thread, Share& share, uint64_t next) {
    thread.work.passed = next;
    if (fiber::Fiber* const waiter = share.ordered.pass(next)) fiber::resume(waiter);
    if (GOSSAMER_UNLIKELY(share.ordered.any_overflow())) fiber::notify_all_at(key(share, next));
}

}  // namespace

void ordered_start(Thread& thread) {
    fiber::scheduling_point();
    if (Share* share = thread.work.share) await_turn(*share, thread.work.ordered);
}

void ordered_end(Thread& thread) {
    if (Share* share = thread.work.share) pass(thread, *share, thread.work.ordered + 1);
}

void ordered_iteration_end(Thread& thread) {
    Share* const share = thread.work.share;
    if (share == nullptr) return;
    const uint64_t iteration = thread.work.ordered++;
    if (thread.work.passed > iteration) return;
    await_turn(*share, iteration);
    pass(thread, *share, iteration + 1);
}

void ordered_pass_chunk(Thread& thread) {
    Share* const share = thread.work.share;
    const uint64_t end = thread.work.chunk.end;
    if (share == nullptr || thread.work.passed >= end) return;
    await_turn(*share, thread.work.ordered);
    pass(thread, *share, end);
}

}  // namespace gossamer::omp
