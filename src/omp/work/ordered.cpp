// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/work/ordered.hpp"

#include "omp/team/team.hpp"
#include "omp/work/await.hpp"

namespace gossamer::omp {

namespace {

// An address within the share that nothing else waits on: one of the bytes of the line that holds the turn.
const void* key(const Share& share, uint64_t iteration) {
    static_assert(sizeof(Share) - offsetof(Share, ordered) >= cache_line);
    return reinterpret_cast<const char*>(&share.ordered) + iteration % cache_line;
}

void await_turn(const Share& share, uint64_t iteration) {
    // acquire pairs with the release in pass: what earlier regions wrote is seen.
    await(key(share, iteration), [&] { return share.ordered.load(std::memory_order_acquire) >= iteration; });
}

// What the thread has passed it remembers: to look would take the line away from whose turn it is.
void pass(Thread& thread, Share& share, uint64_t next) {
    thread.work.passed = next;
    share.ordered.store(next, std::memory_order_release);  // pairs with the acquire in await_turn
    fiber::notify_all_at(key(share, next));
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
