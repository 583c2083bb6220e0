// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poor victims are spared. A theft takes lines from the owner that it writes at each push and pop, so does each look whether there
// is something to steal, and where tasks are small a thief comes back at once. One whose loot was over sooner than two thefts take
// has its victim left alone for about as long as one takes, by all thieves and their looks; for twice as long if the next loot is
// as poor, and so on up to sixteen times. A loot that was worth it ends that. What it takes to tell the successors of stolen tasks
// that they are complete belongs to the theft: it disturbs the thread that generates them likewise.
//
// A task's lines move to the thief and come back when its block serves again, so where one thread generates small tasks for all,
// each that is stolen costs both more than its execution. Loots of several tasks are therefore judged by more, unless they have
// mostly been worth that: in a tree most are over at once, and a few are half of it.
//
// It is the victim that is spared, not the thief: what another thread has to give is taken at once, and a victim's riches lie
// untaken for a few microseconds at most. Nobody goes to sleep for the sake of a victim that is spared (work_until).
//
// All of it is hints, which several thieves write; each is a plain number, and an old one delays a theft by one pause.
#pragma once

#include <atomic>
#include <cstdint>

namespace gossamer::omp {

class Spared {
public:
    // Whether the victim is left alone at `now`, in cycles.
    bool at(std::uint64_t now) const { return static_cast<std::int64_t>(until_.load(std::memory_order_relaxed) - now) > 0; }

    // At `now` a thief has finished what it stole, and all that came of it, in `lasted` cycles. `theft`: what a theft takes;
    // `moves`: what besides it takes to move all tasks but the first.
    void judge(std::uint64_t lasted, std::uint64_t now, std::uint64_t theft, std::uint64_t moves) {
        const std::uint64_t pauses = pauses_.load(std::memory_order_relaxed);
        const bool several = moves != 0 && usual_of_several(lasted, theft) < worth * theft + moves;
        if (lasted >= worth * theft + (several ? moves : 0)) {
            if (pauses == 0) return;
            pauses_.store(0, std::memory_order_relaxed);
            until_.store(now, std::memory_order_relaxed);
        } else if (!at(now)) {  // else another thief has found the same
            const std::uint64_t next = pauses == 0 ? 1 : pauses < most ? 2 * pauses : most;
            pauses_.store(next, std::memory_order_relaxed);
            until_.store(now + next * theft, std::memory_order_relaxed);
        }
    }

    static constexpr std::uint64_t worth = 2;  // thefts
    static constexpr std::uint64_t most = 16;

private:
    // How long such a loot lasts, of late.
    std::uint64_t usual_of_several(std::uint64_t lasted, std::uint64_t theft) {
        constexpr std::uint64_t weight = 8, rich = 128;  // a loot counts as so many thefts at most
        const std::uint64_t before = usual_.load(std::memory_order_relaxed);
        const std::uint64_t usual = before - before / weight + (lasted < rich * theft ? lasted : rich * theft) / weight;
        usual_.store(usual, std::memory_order_relaxed);
        return usual;
    }

    std::atomic<std::uint64_t> usual_{0};
    std::atomic<std::uint64_t> until_{0};
    std::atomic<std::uint64_t> pauses_{0};  // of the last time, in thefts; 0: its last loot was worth it
};

}  // namespace gossamer::omp
