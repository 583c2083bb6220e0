// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poor victims are spared. A theft takes lines from the owner that it writes at each push and pop, so does each look whether there
// is something to steal, and where tasks are small a thief comes back at once. One whose loot was over sooner than two thefts take
// has its victim left alone for about as long as one takes, by all thieves and their looks; for twice as long if the next loot is
// as poor, and so on up to sixteen times. A loot that was worth it ends that. What it takes to tell the successors of stolen tasks
// that they are complete belongs to the theft: it disturbs the thread that generates them likewise.
//
// A task's lines move to the thief and come back when its block serves again, so where one thread generates small tasks for all,
// each that is stolen costs both more than its execution; those of one with dependences are several times as many. Loots of several
// tasks, or of such ones, are therefore judged by more, unless they have mostly been worth that: in a tree most are over at once,
// and a few are half of it. Where dependences make the price, the pause is as long as that, and grows four times as far: the owner
// goes another way to offer something, and what it has offered costs both ways.
//
// It is the victim that is spared, not the thief: what another thread has to give is taken at once, and a victim's riches lie
// untaken for some ten microseconds at most; small tasks with dependences for four hundred. Nobody goes to sleep for the sake of a
// victim that is spared (work_until).
//
// A victim that has been spared ever longer may keep its tasks meanwhile. To enter a task's dependences, and to look for those it
// would wait for, takes many times as long as a small task, and each that waits has others wait behind it. So the owner executes
// those with dependences at once while it is left alone (keep_tasks_if_spared). What it does then tells how long one takes it; where
// that is long enough the moves are not counted, for as many loots as it takes to forget that.
//
// Its other tasks are executed at once from some few in its deque on, not from many (few_tasks): to put one off costs half as much
// again, and they are not for others.
//
// All of it is hints, which several thieves write; each is a plain number, and an old one delays a theft by one pause.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace gossamer::omp {

class Spared {
public:
    // A thief asks whether the victim is left alone at `now`, in cycles. `kept`: how many tasks the victim has kept to itself.
    // Once it is over the owner hears of it, and what it has done alone meanwhile tells how long its tasks take.
    bool at(std::uint64_t now, const std::atomic<std::uint32_t>& kept) {
        const std::uint64_t until = until_.load(std::memory_order_relaxed);
        if (until == never) return false;
        if (static_cast<std::int64_t>(until - now) > 0) return true;
        until_.store(never, std::memory_order_relaxed);
        const std::uint32_t tasks = kept.load(std::memory_order_relaxed) - kept_then_.load(std::memory_order_relaxed);
        const std::uint64_t begin = since_.load(std::memory_order_relaxed);
        // Signed: another thief may have begun the next pause meanwhile.
        const bool soon = static_cast<std::int64_t>(now - until) < static_cast<std::int64_t>(until - begin);
        if (tasks >= enough_to_tell && soon) task_.store((now - begin) / tasks, std::memory_order_relaxed);
        return false;
    }

    // The owner asks whether it is left alone, and has been more and more often.
    bool is_left_alone() const { return until_.load(std::memory_order_relaxed) != never && is_poor(); }

    // Whether it has been found poor again and again.
    bool is_poor() const { return pauses_.load(std::memory_order_relaxed) >= often; }

    // Whether the owner alone takes less than `cycles` for a task, or has not been alone for long.
    bool has_small_tasks(std::uint64_t cycles) const { return task_.load(std::memory_order_relaxed) < cycles; }

    // At `now` a thief has finished what it stole, and all that came of it, in `lasted` cycles. `theft`: what a theft takes;
    // `moves`: what besides it takes to move all tasks but the first; `data`: and what those with dependences touch.
    void judge(std::uint64_t lasted, std::uint64_t now, std::uint64_t theft, std::uint64_t moves, std::uint64_t data,
               const std::atomic<std::uint32_t>& kept) {
        const std::uint64_t pauses = pauses_.load(std::memory_order_relaxed);
        const std::uint64_t task = task_.load(std::memory_order_relaxed);
        if (task != 0) task_.store(task - (task + trust - 1) / trust, std::memory_order_relaxed);
        const std::uint64_t all = worth * theft + moves + data;
        const bool counts = moves + data != 0 && usual_gain(lasted, all, theft) <= 0;
        if (lasted >= (counts ? all : worth * theft)) {
            if (pauses == 0) return;
            pauses_.store(0, std::memory_order_relaxed);
            until_.store(never, std::memory_order_relaxed);
        } else if (!at(now, kept)) {  // else another thief has found the same
            const std::uint64_t bound = data != 0 ? most_with_data : most;
            const std::uint64_t next = pauses == 0 ? 1 : pauses < bound ? 2 * pauses : bound;
            pauses_.store(next, std::memory_order_relaxed);
            kept_then_.store(kept.load(std::memory_order_relaxed), std::memory_order_relaxed);
            since_.store(now, std::memory_order_relaxed);
            const std::uint64_t until = now + next * std::min(theft + (counts ? data : 0), longest * theft);
            until_.store(until == never ? until + 1 : until, std::memory_order_relaxed);
        }
    }

    static constexpr std::uint64_t worth = 2;  // thefts
    static constexpr std::uint64_t most = 16;
    static constexpr std::uint64_t most_with_data = 64;
    static constexpr std::uint64_t often = 8;
    static constexpr std::uint64_t longest = 8;  // thefts in a pause
    static constexpr std::uint32_t small_ns =
        700;  // a task with dependences that its owner alone does in less is not worth moving

private:
    static constexpr std::uint64_t never = 0;
    static constexpr std::uint32_t enough_to_tell = 8;  // tasks
    static constexpr std::uint64_t trust = 1024;        // loots, about, until an owner's time a task is no longer believed

    // What such a loot has lasted longer than it must, of late.
    std::int64_t usual_gain(std::uint64_t lasted, std::uint64_t price, std::uint64_t theft) {
        constexpr std::int64_t weight = 8, rich = 128;  // a loot counts as so many thefts at most
        const std::int64_t bound = rich * static_cast<std::int64_t>(theft);
        const std::int64_t gain = std::clamp(static_cast<std::int64_t>(lasted - price), -bound, bound);
        const std::int64_t before = usual_.load(std::memory_order_relaxed);
        const std::int64_t usual = before - before / weight + gain / weight;
        usual_.store(usual, std::memory_order_relaxed);
        return usual;
    }

    std::atomic<std::int64_t> usual_{0};
    std::atomic<std::uint64_t> until_{never};
    std::atomic<std::uint64_t> pauses_{0};  // of the last time, see `judge`; 0: its last loot was worth it
    std::atomic<std::uint64_t> since_{0};   // when the last pause began, and what `kept` was
    std::atomic<std::uint32_t> kept_then_{0};
    std::atomic<std::uint64_t> task_{0};  // how long the owner took for one when it was alone
};

}  // namespace gossamer::omp
