// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/work/ahead.hpp"

#include "omp/team/team.hpp"
#include "omp/work/deal.hpp"
#include "os/os.hpp"

namespace gossamer::omp {

namespace {

uint32_t slot_of(const Team& team, const Share& share) { return static_cast<uint32_t>(&share - team.work.ring); }

static_assert(most_at_once - 1 < HeldChunks::some);

// How long a thread may take for what it took at once, together with the way to the counter, for which each carrier may be in
// line.
uint64_t short_cycles() {
    static constinit std::atomic<uint64_t> known{0};  // relaxed: each thread would compute the same, and it orders nothing
    uint64_t cycles = known.load(std::memory_order_relaxed);
    if (GOSSAMER_UNLIKELY(cycles == 0)) {
        const bool one_by_one = (known_globals().without & without_lookahead) != 0 || !os::asymmetric_fence_ready();
        cycles = one_by_one ? 1 : fiber::cycles_in(400 + 100 * fiber::carrier_count());
        known.store(cycles, std::memory_order_relaxed);
    }
    return cycles;
}

// Whether chunks that were taken at once have cost more than one by one would: they took `cycles`, most of which one thread may
// have had to itself, and each chunk of the loop that is taken alone costs a way to the counter.
bool is_long(const Loop& loop, uint64_t cycles, uint64_t short_cycles) {
    constexpr uint64_t times_short = 16;  // less is lost to an interrupt, or at a page's first use
    constexpr uint64_t ways = 12;         // so many in the time of chunks that are short together
    return cycles >= times_short * short_cycles && cycles >= quotient_up(loop.count, loop.chunk) * (short_cycles / ways);
}

// How many chunks the thread is to take now.
uint64_t choose_chunks(Thread& thread, const Took& took) {
    ThreadWork& work = thread.work;
    const Loop& loop = work.loop;
    UnevenLoops& uneven = thread.team->work.uneven;
    if (GOSSAMER_UNLIKELY(uneven.has(loop.site))) {
        if (took.chunks == 0 && thread.num == 0) uneven.count();
        work.even = 0;
        return 1;
    }
    const uint64_t limit = short_cycles();
    if (took.chunks == 0) ++work.even;
    if (took.chunks > 1 && GOSSAMER_UNLIKELY(is_long(loop, took.cycles, limit))) uneven.add(loop.site, work.even);
    return chunks_at_once(loop, loop.count - work.chunk.end, thread.team->size, took, limit);
}

// How long a sibling has begun no chunk of those that it holds.
class Watch {
public:
    Watch(const HeldChunks& held, HeldChunks::Word word) : held_(held), word_(word) {}

    // Whether it has been a second.
    bool is_over() const { return waited_ >= fiber::cycles_in(second_ns); }

    // Until it begins one, or a second is over. Suspends.
    void wait() {
        const auto done = [](const void* at) { return static_cast<Watch*>(const_cast<void*>(at))->look(); };
        while (!fiber::spin_until(done, this)) {
            if (!fiber::yield()) os::sleep_native(nap());
        }
    }

private:
    static constexpr uint32_t second_ns = 1'000'000'000;
    static constexpr uint32_t longest_nap_ns = 1'000'000;  // work for this carrier waits meanwhile

    bool look() {
        const uint64_t now = arch::cycles();
        const uint64_t most = fiber::cycles_in(2 * longest_nap_ns);  // the process may have been stopped
        waited_ += now - last_ < most ? now - last_ : most;
        last_ = now;
        return held_.look() != word_ || is_over();
    }

    // In ns: a sixteenth of what it has waited so far.
    uint64_t nap() const {
        const uint64_t part = waited_ / 16 * longest_nap_ns / fiber::cycles_in(longest_nap_ns);
        return part < longest_nap_ns ? part : longest_nap_ns;
    }

    const HeldChunks& held_;
    HeldChunks::Word word_;
    uint64_t waited_ = 0;
    uint64_t last_ = arch::cycles();
};

// Takes a chunk that a sibling holds and has begun none for a second; false when no sibling holds any. Suspends.
bool watch_siblings(const Thread& thread, ThreadWork& work, uint64_t& first) {
    const Team& team = *thread.team;
    const auto held_of = [&](uint32_t num) { return num == thread.num ? nullptr : &team.threads[num].held; };
    const auto leaves_behind = [&](const HeldChunks& held, HeldChunks::Word word) {
        if (word == work.ahead.busy) return true;  // as long as nothing changes
        Watch watch(held, word);
        watch.wait();
        if (watch.is_over()) work.ahead.busy = word;
        return watch.is_over();
    };
    return take_from_siblings(team.size, slot_of(team, *work.share), work.loop.chunk, held_of, leaves_behind, first);
}

// Of the threads that hold nothing one at a time watches; the others sleep.
GOSSAMER_COLD bool take_left_behind(const Thread& thread, ThreadWork& work, uint64_t& first) {
    std::atomic<uint32_t>& watched = work.share->ahead.watched;
    while (watched.exchange(1, std::memory_order_acquire) != 0) fiber::wait_while(watched, 1u);  // pairs with the release
    const bool any = watch_siblings(thread, work, first);
    watched.store(0, std::memory_order_release);
    fiber::notify_all(watched);
    return any;
}

}  // namespace

bool begin_last(Thread& thread, Chunk& chunk) {
    ThreadWork& work = thread.work;
    Share& share = *work.share;
    if (GOSSAMER_LIKELY(!share.ahead.any_other(work.counted_holder))) return true;
    const uint32_t slot = slot_of(*thread.team, share);
    share.ahead.announce(thread.held, slot, work.counted_holder);
    thread.held.hold(slot, chunk.begin, 1);
    uint64_t first;
    if (!watch_siblings(thread, work, first) && !thread.held.take(work.loop.chunk, first)) return false;
    chunk = chunk_from(work.loop, first);
    return true;
}

bool take_ahead(Thread& thread, Chunk& chunk) {
    ThreadWork& work = thread.work;
    const Loop& loop = work.loop;
    Share& share = *work.share;
    const uint64_t now = arch::cycles();
    const Took took{work.round, now - work.ahead.since};
    const uint64_t chunks = choose_chunks(thread, took);
    const uint32_t slot = slot_of(*thread.team, share);
    if (chunks > 1) {
        share.ahead.announce(thread.held, slot, work.counted_holder);
    } else {
        hold_nothing(work);
    }
    Chunk taken;
    const bool any = take_dynamic<std::memory_order_acq_rel>(share.next, loop, loop.chunk * chunks, taken);
    work.round = chunks;
    work.ahead.since = now;
    if (any) {
        chunk = chunk_from(loop, taken.begin);
        if (chunks > 1) {
            const uint64_t behind = quotient_up(taken.end - chunk.end, loop.chunk);
            thread.held.hold(slot, chunk.end, static_cast<uint32_t>(behind));
        }
        return GOSSAMER_LIKELY(chunk.end != loop.count) || begin_last(thread, chunk);
    }
    hold_nothing(work);
    if (GOSSAMER_LIKELY(!share.ahead.any_other(false)) || work.chunk.end == loop.count) return false;
    uint64_t first;
    if (!take_left_behind(thread, work, first)) return false;
    chunk = chunk_from(loop, first);
    return true;
}

}  // namespace gossamer::omp
