// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/work/share.hpp"

#include <cstdlib>

#include "omp/team/team.hpp"

namespace gossamer::omp {

namespace {

static_assert(is_pow2(ring_size));

// Gives the slot's next loop an epoch of its own: portions of other epochs count as untouched. When the epochs begin anew, no
// portion of an earlier round may be left.
void next_epoch(Team& team, Share& share) {
    if (GOSSAMER_LIKELY(share.epoch++ != Portion::last_epoch)) return;
    share.epoch = 1;
    const auto slot = &share - team.work.ring;
    for (uint32_t num = 0; num < team.capacity; ++num) team.threads[num].portions[slot].forget();
}

// Makes everything but `turn` as in a fresh slot. No other thread looks at these fields until turn moves.
void recycle(Team& team, Share& share) {
    next_epoch(team, share);
    share.leavers.store(0, std::memory_order_relaxed);  // relaxed, all: the store to turn publishes them
    share.next.store(0, std::memory_order_relaxed);
    share.ordered.reset();
    if (share.prepared.load(std::memory_order_relaxed) == 0) return;
    share.prepared.store(0, std::memory_order_relaxed);
    std::free(share.memory);
    share.memory = nullptr;
    share.program = nullptr;
    share.reductions = nullptr;
}

}  // namespace

TeamWork::TeamWork() {
    for (uint32_t slot = 0; slot < ring_size; ++slot) ring[slot].turn.store(slot, std::memory_order_relaxed);
}

TeamWork::~TeamWork() {
    for (Share& share : ring) std::free(share.memory);
}

void TeamWork::clear_ring() {
    for (uint32_t slot = 0; slot < ring_size; ++slot) {
        std::atomic<uint32_t>& turn = ring[slot].turn;
        // relaxed, all: publishing the region publishes them. A line that is right is not written, and stays in its cache.
        if (turn.load(std::memory_order_relaxed) != slot) turn.store(slot, std::memory_order_relaxed);
    }
    touched.store(0, std::memory_order_relaxed);
}

void TeamWork::forget(Team& team) {
    departed.store(0, std::memory_order_relaxed);  // relaxed, both: publishing the region publishes them
    for (uint32_t num = 0; num < team.capacity; ++num) {
        team.threads[num].work.departed.store(false, std::memory_order_relaxed);
    }
    for (Share& share : ring) recycle(team, share);
}

void TeamWork::forget_others(Team& team, const ThreadWork& me) {
    if (touched.load(std::memory_order_relaxed) == 0) return;
    gossamer::renew(leaving);
    if (me.share != nullptr) me.share->ahead.forget_others(me.counted_holder);
    for (uint32_t num = 0; num < team.capacity; ++num) team.threads[num].held.forget_thief();
    for (uint32_t construct = me.met; construct != me.met + ring_size; ++construct) {
        Share& share = ring[construct % ring_size];
        share.ordered.forget_waiters();
        if (&share == me.share || &share == me.doacross_share) continue;
        share.ahead.forget_others(false);
        share.memory = nullptr;  // not freed: a thread may have been freeing it
        recycle(team, share);
        share.turn.store(construct, std::memory_order_relaxed);
    }
}

namespace {

// Leaves, in the place of the threads that have departed, all constructs up to number `last`, which the caller has entered
// itself. A thread that has not left a construct holds its slot, so each slot still serves the construct that is left here.
// True: some were left.
GOSSAMER_COLD bool leave_for_departed(Team& team, uint32_t last) {
    TeamWork& work = team.work;
    SpinGuard guard(work.leaving, arch::pause);
    bool any = false;
    for (uint32_t num = 0; num < team.size; ++num) {
        ThreadWork& other = team.threads[num].work;
        if (!other.departed.load(std::memory_order_acquire)) continue;  // pairs with share_depart
        while (static_cast<int32_t>(last - other.met) >= 0) {
            share_leave(team, work.ring[other.met++ % ring_size]);
            any = true;
        }
    }
    return any;
}

// Waits until the slot's turn is no longer `turn`, or threads have departed.
GOSSAMER_COLD void await_turn(Team& team, Share& share, uint32_t turn) {
    if (GOSSAMER_LIKELY(!globals().cancellation)) {
        fiber::wait_while(share.turn, turn);
        return;
    }
    struct Look {
        const TeamWork& work;
        const Share& share;
        uint32_t turn;
        uint32_t departed;
    } look{team.work, share, turn, team.work.departed.load(std::memory_order_seq_cst)};
    if (look.departed != 0 && leave_for_departed(team, turn)) return;
    const auto over = [](void* argument) {
        const Look& at = *static_cast<const Look*>(argument);
        // seq_cst, both: pairs with the stores before the notifiers' fences
        return at.share.turn.load(std::memory_order_seq_cst) != at.turn ||
               at.work.departed.load(std::memory_order_seq_cst) != at.departed;
    };
    fiber::wait_until(&share.turn, over, &look);
}

}  // namespace

Share& share_enter(Thread& thread) {
    if (GOSSAMER_UNLIKELY(thread.work.share != nullptr)) share_leave(thread);
    TeamWork& work = thread.team->work;
    thread.note_work();
    const uint32_t construct = thread.work.met++;
    // relaxed: read by the next region's start, which the join orders after this.
    if (construct == 0 && work.touched.load(std::memory_order_relaxed) == 0) {
        work.touched.store(1, std::memory_order_relaxed);
    }
    Share& share = work.ring[construct % ring_size];
    for (;;) {
        const uint32_t turn = share.turn.load(std::memory_order_acquire);  // pairs with the release in share_leave
        if (GOSSAMER_LIKELY(turn == construct)) break;
        await_turn(*thread.team, share, turn);
    }
    thread.work.share = &share;
    return share;
}

void share_leave(Team& team, Share& share) {
    // acq_rel pairs with itself: the last thread recycles the share behind everything that the others did.
    if (team.size > 1 && share.leavers.fetch_add(1, std::memory_order_acq_rel) + 1 != team.size) return;
    recycle(team, share);
    const uint32_t turn = share.turn.load(std::memory_order_relaxed);  // relaxed: only the last thread to leave writes it
    // relaxed: only this thread reads it, and those of a later region, which its start orders
    if (team.size == 1) return share.turn.store(turn + ring_size, std::memory_order_relaxed);
    share.turn.exchange(turn + ring_size, std::memory_order_seq_cst);  // pairs with share_enter, and with await_turn
    fiber::notify_all_behind_change(&share.turn);
}

void share_leave(Thread& thread) {
    Share* const share = thread.work.share;
    if (share == nullptr) return;
    hold_nothing(thread.work);
    thread.work.share = nullptr;
    share_leave(*thread.team, *share);
}

void share_depart(Thread& thread) {
    ThreadWork& own = thread.work;
    TeamWork& work = thread.team->work;
    if (own.departed.load(std::memory_order_relaxed)) return;  // relaxed: written by this thread
    hold_nothing(own);
    // What the construct keeps in memory the thread may still use on its way out: such a construct is left with the region.
    // relaxed: the thread has filled that in itself, or has waited for it (share_prepare).
    const bool keeps = own.share != nullptr && own.share->prepared.load(std::memory_order_relaxed) != 0;
    if (keeps || own.doacross_share != nullptr) return;
    thread.note_work();
    share_leave(thread);
    own.departed.store(true, std::memory_order_release);    // pairs with leave_for_departed
    work.departed.fetch_add(1, std::memory_order_seq_cst);  // pairs with the looks in await_turn
    for (Share& each : work.ring) fiber::notify_all(each.turn);
}

bool share_prepare(Share& share) {
    uint32_t seen = 0;
    // acquire pairs with the release in share_prepared.
    if (share.prepared.compare_exchange_strong(seen, 1, std::memory_order_acquire, std::memory_order_acquire)) {
        return true;
    }
    while (seen != 2) seen = fiber::wait_while(share.prepared, seen);
    return false;
}

void share_prepared(Share& share) {
    share.prepared.store(2, std::memory_order_release);  // pairs with the acquires in share_prepare
    fiber::notify_all(share.prepared);
}

void* share_allocate(Share& share, size_t bytes) {
    share.memory = std::calloc(1, bytes);
    if (share.memory == nullptr) fatal("no memory left for %zu bytes that a worksharing construct needs", bytes);
    return share.memory;
}

}  // namespace gossamer::omp
