// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/work/ordered.hpp"

#include "omp/team/team.hpp"

namespace gossamer::omp {

namespace {

// Where a thread waits whose slot is taken: an address within the share that serves no other wait.
const void* key(const Share& share, uint64_t iteration) {
    return reinterpret_cast<const char*>(&share.ordered) + iteration % sizeof share.ordered;
}

// How long a waiter whose turn is far off leaves the line of the turns alone, which the thread whose turn it is writes at each
// pass and the next one waits for: so many asks for each pass before its own. (Mellor-Crummey and Scott, "Algorithms for
// scalable synchronization on shared-memory multiprocessors", 1991, §2.2: proportional backoff.)
class Distance {
public:
    // Whether the waiter for `iteration` should look now.
    bool is_due() {
        if (asks_left_ == 0) return true;
        --asks_left_;
        return false;
    }

    // It has looked, and seen the turn of iteration `now`, which is before its own.
    void look(uint64_t now, uint64_t iteration) {
        // The passes go from chunk to chunk where the ABI tells nothing of iterations: by the smallest step that it has seen.
        if (seen_ != 0 && now > seen_ && now - seen_ < step_) step_ = now - seen_;
        seen_ = now;
        const uint64_t passes = (iteration - now) / step_;
        asks_left_ = asks_a_pass * static_cast<uint32_t>(passes <= 1 ? 0 : passes < most_passes ? passes - 1 : most_passes);
    }

private:
    static constexpr uint32_t asks_a_pass = 2, most_passes = 16;

    uint64_t step_ = UINT64_MAX;
    uint64_t seen_ = 0;
    uint32_t asks_left_ = 0;
};

struct Turn {
    Share& share;
    uint64_t iteration;
    mutable Distance distance;

    bool has_come() const { return share.ordered.has_come(iteration); }
    bool has_come_soon() const {
        if (!distance.is_due()) return false;
        const uint64_t now = share.ordered.now();
        if (now >= iteration) return true;
        distance.look(now, iteration);
        return false;
    }
    static bool ask(const void* at) { return static_cast<const Turn*>(at)->has_come_soon(); }
    static bool ask_locked(void* at) { return static_cast<const Turn*>(at)->has_come(); }

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
    const Turn turn{share, iteration, {}};
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
