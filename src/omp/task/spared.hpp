// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poor victims are spared. A theft takes from the owner cache lines that it writes at each push and pop; so does each look
// whether there is something to steal; and where tasks are small a thief comes back at once. If a loot is over sooner than two
// thefts take, all thieves leave the victim alone for about as long as one theft takes, looks included; for twice as long if
// the next loot is as poor, and so on up to sixteen times. A loot that was worth its theft ends that. The time that a thief
// spends on releasing the successors of stolen tasks counts as part of the theft: it disturbs the generating thread likewise.
// A loot is over when the thief finds nothing of its own left to execute; what runs on its carrier before it steals again
// counts for nothing.
//
// A task's lines move to the thief and come back when its block is used again. So where one thread generates small tasks for
// all, a stolen task costs thief and owner more than its execution, and one with dependences several times as much. Loots of
// several tasks, or of tasks with dependences, therefore have to be worth more, unless they mostly have been: in a tree most
// loots are over at once, and a few are half of the tree. Where dependences make the price, the pause is as long as that price,
// and grows four times as far: the owner takes another way to offer tasks then, which costs both sides.
//
// The victim is spared, not the thief: a thief takes at once what another thread has to give, and a victim's large tasks lie
// untaken for some ten microseconds at most; small tasks with dependences for four hundred. No thread goes to sleep because it
// spares a victim (work_until).
//
// A victim that has been spared ever longer may keep its tasks. To enter a task's dependences and to find its predecessors
// takes many times as long as a small task, and each task that waits makes others wait behind it. So while it is left alone the
// owner executes tasks with dependences at once (keep_tasks_if_spared). This tells how long one takes it; if that is long
// enough the price of moving tasks is not counted, for as many loots as it takes to forget the time.
//
// The victim executes its other tasks at once when a few lie in its deque, instead of many (few_tasks), but at least one for
// each other thread: deferring a task costs half as much again as the task, and thieves do not want it.
//
// All these numbers are hints, which several thieves write. Each is a plain number, and an old one delays a theft by one pause.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace gossamer::omp {

class Spared {
public:
    // Thief. Whether the victim is left alone at `now`, in cycles. `kept`: how many tasks the victim has kept so far. The first
    // call behind the end of a pause ends it for the owner too, and learns how long the owner's tasks took meanwhile.
    bool is_spared(std::uint64_t now, const std::atomic<std::uint32_t>& kept) {
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

    // Owner. Whether it is left alone, and has been again and again.
    bool is_left_alone() const { return until_.load(std::memory_order_relaxed) != never && is_poor(); }

    // Whether the victim has been found poor again and again.
    bool is_poor() const { return pauses_.load(std::memory_order_relaxed) >= often; }

    // Whether the owner takes less than `cycles` for a task when it is alone, as far as is known.
    bool has_small_tasks(std::uint64_t cycles) const { return task_.load(std::memory_order_relaxed) < cycles; }

    // Thief. At `now` it has finished what it stole, and all that came of it, in `lasted` cycles. In cycles too: `theft`, what
    // a theft takes; `moves`, what moving the tasks but the first takes besides; `data`, what moving the data of tasks with
    // dependences takes.
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
        } else if (!is_spared(now, kept)) {  // otherwise another thief has found the same
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
    // A task with dependences is not worth moving if its owner alone takes less than this for it.
    static constexpr std::uint32_t small_ns = 700;

private:
    static constexpr std::uint64_t never = 0;
    static constexpr std::uint32_t enough_to_tell = 8;  // tasks
    static constexpr std::uint64_t trust = 1024;        // loots, about, until the owner's time for a task is forgotten

    // How much longer than its price a loot has lasted on the average of late; the new one included.
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
    std::atomic<std::uint64_t> pauses_{0};     // length of the last pause, in thefts; 0: the last loot was worth its theft
    std::atomic<std::uint64_t> since_{0};      // when that pause began
    std::atomic<std::uint32_t> kept_then_{0};  // `kept` at that time
    std::atomic<std::uint64_t> task_{0};       // cycles: what a task took the owner when it was alone; 0: not known
};

}  // namespace gossamer::omp
