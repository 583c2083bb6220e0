// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/sync/reduction.hpp"

#include "omp/sync/barrier.hpp"
#include "omp/sync/critical.hpp"
#include "omp/team/team.hpp"
#include "omp/work/await.hpp"

namespace gossamer::omp {

namespace {

// A lock or an atomic update costs a thread one transfer of a line, and no thread waits for another. A tree needs all threads
// to be there at once, so it pays only where they are: in a wide team with a carrier for each thread.
constexpr std::uint32_t wide_team = 8;
constexpr std::uint32_t few_variables = 2;  // for more variables one lock is cheaper than as many atomic updates

ReductionMethod choose(const Thread& thread, const ReductionOffer& offer, bool waits) {
    const Team& team = *thread.team;
    const bool one_by_one = offer.atomic && offer.variables <= few_variables;
    if (team.size == 1) {
        // The initial threads of a league combine too, and may do so at the same time.
        if (thread.work.league.size <= 1) return ReductionMethod::single;
        return one_by_one ? ReductionMethod::atomic : ReductionMethod::critical;
    }
    const GlobalIcvs& icvs = globals();
    // A cancelled thread never brings its part, and a tree would wait for it.
    const bool tree = offer.data != nullptr && offer.combine != nullptr && !icvs.cancellation;
    if (tree && icvs.deterministic_reduction) return ReductionMethod::tree;
    if (tree && waits && team.size > wide_team && team.size <= icvs.carriers) return ReductionMethod::tree;
    return one_by_one ? ReductionMethod::atomic : ReductionMethod::critical;
}

// Binomial tree: thread n combines n+1, n+2, n+4 … in this order, up to its own lowest
// bit, and the thread whose number has that bit cleared combines n. So the order
// depends on the team's size only. True for the root, thread 0, which has all results.
bool gather(Thread& thread, const ReductionOffer& offer) {
    Team& team = *thread.team;
    for (std::uint32_t bit = 1; bit < team.size; bit <<= 1) {
        if ((thread.num & bit) != 0) {
            thread.reduction.ready.store(offer.data, std::memory_order_release);  // pairs with the parent's load
            fiber::notify_all_at(&thread.reduction.ready);
            return false;
        }
        if (thread.num + bit >= team.size) continue;
        std::atomic<void*>& child = team.threads[thread.num + bit].reduction.ready;
        await(&child, [&] { return child.load(std::memory_order_acquire) != nullptr; });  // pairs with its store
        offer.combine(offer.data, child.load(std::memory_order_relaxed));
        child.store(nullptr, std::memory_order_relaxed);  // the barrier behind each tree publishes it
    }
    return true;
}

// Programs have a variable of their own for the lock of their reductions, mostly one for all. These serve in its place, because
// a forked child could not find the program's, and would wait for a thread that is gone.
constexpr unsigned mutex_bits = 4;
constinit LoneMutex mutexes[1U << mutex_bits];

Mutex& mutex_of(const void* variable) {
    return mutexes[mix64(reinterpret_cast<std::uintptr_t>(variable)) >> (64 - mutex_bits)];
}

}  // namespace

void forget_reduction_locks() {
    for (LoneMutex& mutex : mutexes) gossamer::renew(mutex);
    gossamer::renew(unnamed_atomic);
}

ReductionRole reduction_begin(Thread& thread, const void* lock, const ReductionOffer& offer, bool waits) {
    fiber::scheduling_point();
    const ReductionMethod method = choose(thread, offer, waits);
    thread.reduction.method = method;
    switch (method) {
        case ReductionMethod::single: break;
        case ReductionMethod::critical: mutex_of(lock).lock(); break;
        case ReductionMethod::atomic: return ReductionRole::combines_atomically;
        case ReductionMethod::tree:
            // The barrier keeps the children in the frames that hold their copies until these are combined.
            if (!gather(thread, offer)) {
                barrier(thread);
                return ReductionRole::nothing;
            }
            if (!waits) barrier(thread);
            break;
    }
    return ReductionRole::combines;
}

void reduction_end(Thread& thread, const void* lock, bool waits) {
    if (thread.reduction.method == ReductionMethod::critical) mutex_of(lock).unlock();
    if (waits) barrier(thread);
}

}  // namespace gossamer::omp
