// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A carrier that uses CPU time while work is queued behind its thread spins for that work, or computes. The signs that
// habit.cpp goes by do not tell which where threads fetch their chunks from one counter: the relieved thread finds little to
// do, and all are through at the same time. And what runs apart beside its siblings without need takes the processors and
// caches from them. So now and then the monitor leaves the carriers as they are, and sees whether they go on:
//
//     what happens                                      what follows
//     -----------------------------------------------   ----------------------------------------------------------------
//     a habit is about to form (learn_by_signs), or     the proof begins: carriers that use CPU time are left
//     carriers were relieved often (look_at_proof)
//     a carrier that was left moves (note_for_proof)    the proof fails: it has not waited for what lay behind it. The habit
//                                                       is forgotten, the next needed reliefs teach it nothing, and for a
//                                                       while such carriers are relieved late
//     it has used proof_ns without                      the proof holds: the habit forms, and needs no other proof until it
//     (leaves_without_relief)                           is forgotten. All is relieved as before
//     neither for longest_ns (look_at_proof)            nothing
//
// All carriers that use CPU time are left, since a thread on one may spin for what is queued on another. So it may be some
// other work's progress that decides: then the habit forms later, or forms and is tried without now and then; and work that
// needs relief has it late for a while.
#include "fiber/proof.hpp"

#include <algorithm>

#include "fiber/habit.hpp"

namespace gossamer::fiber {

namespace {

constexpr std::uint64_t proof_ns = 32'000'000;  // CPU time of a carrier
constexpr std::uint64_t longest_ns = 100'000'000;
constexpr std::uint16_t taught_nothing = 256;  // needed reliefs, by the signs, after a proof has failed

constexpr std::uint32_t fewest = 8, most = 1024;  // reliefs that ask for a proof: twice as many each time that one holds
constexpr std::uint64_t calm_ns = 1'000'000'000;  // how long relief comes late, twice as long each time that a proof fails,
constexpr std::uint32_t most_doublings = 3;       // at most so often
constexpr std::uint64_t late_ns = 8'000'000;      // CPU time of a carrier, after which it is relieved then

// The habit that it is about, or that has asked for one meanwhile; null: none.
Habit* end_proof(Proof& proof) {
    if (++proof.number == 0) proof.number = 1;
    proof.since_ns = 0;
    proof.reliefs = 0;
    return proof.habit.exchange(nullptr, std::memory_order_acquire);  // pairs with learn_by_signs
}

void fail(Proof& proof) {
    proof.calm_until_ns = os::now_ns() + (calm_ns << std::min(proof.failures, most_doublings));
    ++proof.failures;
    proof.after = fewest;
    Habit* const habit = end_proof(proof);
    if (habit == nullptr) return;
    habit->reliefs.store(0, std::memory_order_relaxed);
    habit->unheard.store(taught_nothing, std::memory_order_relaxed);
}

void hold(Proof& proof) {
    proof.failures = 0;
    proof.calm_until_ns = 0;
    proof.after = std::min(2 * std::max(proof.after, fewest), most);
    Habit* const habit = end_proof(proof);
    if (habit == nullptr) return;
    habit->proved.store(true, std::memory_order_relaxed);
    learn_relief(habit);
}

}  // namespace

void learn_by_signs(Habit* habit) {
    if (habit == nullptr) return;
    if (const std::uint16_t left = habit->unheard.load(std::memory_order_relaxed); left != 0) {
        habit->unheard.store(left - 1, std::memory_order_relaxed);  // another thread's store in between costs one more
        return;
    }
    if (!is_about_to_form(*habit) || g.config.chaos != 0) return learn_relief(habit);
    Habit* none = nullptr;
    // release pairs with end_proof, which looks into the habit
    g.monitor.proof.habit.compare_exchange_strong(none, habit, std::memory_order_release, std::memory_order_relaxed);
}

void look_at_proof() {
    Proof& proof = g.monitor.proof;
    const std::uint64_t now_ns = proof.since_ns != 0 || proof.calm_until_ns != 0 ? os::now_ns() : 0;
    if (proof.calm_until_ns != 0 && now_ns >= proof.calm_until_ns) {
        proof.calm_until_ns = 0;
        proof.reliefs = 0;
    }
    if (proof.since_ns != 0) {
        if (now_ns - proof.since_ns > longest_ns) end_proof(proof);
    } else if (proof.habit.load(std::memory_order_relaxed) != nullptr ||  // end_proof acquires it
               (proof.calm_until_ns == 0 && proof.reliefs >= std::max(proof.after, fewest))) {
        proof.since_ns = os::now_ns();
    }
}

void note_for_proof(Carrier& carrier, bool moved, bool holds_work) {
    Proof& proof = g.monitor.proof;
    if (GOSSAMER_LIKELY(carrier.seen.left != proof.number)) return;
    if (!moved && holds_work) return;
    carrier.seen.left = 0;
    if (moved) fail(proof);  // otherwise another carrier has taken the work: that tells nothing
}

bool leaves_without_relief(Carrier& stuck) {
    Proof& proof = g.monitor.proof;
    Seen& seen = stuck.seen;
    if (g.config.chaos != 0 || seen.cpu_ns == 0) return false;  // 0: the system does not tell the CPU time
    if (proof.since_ns != 0) {
        seen.left = proof.number;
        if (seen.cpu_ns - seen.begin_ns < proof_ns) return true;
        hold(proof);
    }
    if (proof.calm_until_ns != 0 && seen.cpu_ns - seen.since_ns < late_ns) return true;
    ++proof.reliefs;
    return false;
}

}  // namespace gossamer::fiber
