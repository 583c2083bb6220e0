// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A carrier that uses CPU time while work is queued behind its thread spins for that work, or computes. The signs that habit.cpp
// goes by are those of both where threads fetch their chunks from one counter: the relieved thread finds little to do, and all
// are through at the same time. So before a habit forms the monitor leaves the carriers for once as they are:
//
//     of the habit                         by
//     ----------------------------------   ------------------------------------------------------
//     reliefs: often - 1, and one more     learn_by_signs: the proof is asked for, if there is no other
//     proof: asked for                     leaves_for_proof: a carrier that is stuck again is left
//     a carrier that was left moves        note_for_proof: it has not waited for what lay behind it. All reliefs are forgotten,
//                                          and the next ones teach nothing
//     it has used proof_ns meanwhile       leaves_for_proof: proved. The habit forms, and is not proved again until it is
//                                          forgotten
//     neither for longest_ns               look_at_proof: ends undecided. The next relief asks for another one
//
// While it lasts all carriers that use CPU time are left, since a thread on one may spin for what is queued on another. So it
// may be some other work's progress that decides; then the habit forms later, or forms and is tried without now and then.
// Nothing is left for longer than longest_ns.
#include "fiber/proof.hpp"

#include "fiber/habit.hpp"

namespace gossamer::fiber {

namespace {

constexpr std::uint64_t proof_ns = 32'000'000;  // CPU time of a carrier
constexpr std::uint64_t longest_ns = 100'000'000;
constexpr std::uint16_t taught_nothing = 256;  // needed reliefs, by the signs, after a proof has failed

void end_proof() {
    Proof& proof = g.monitor.proof;
    if (++proof.number == 0) proof.number = 1;
    proof.since_ns = 0;
    proof.habit.store(nullptr, std::memory_order_release);  // pairs with learn_by_signs
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
    // release pairs with the monitor's loads; acquire with end_proof
    g.monitor.proof.habit.compare_exchange_strong(none, habit, std::memory_order_acq_rel, std::memory_order_relaxed);
}

void look_at_proof() {
    Proof& proof = g.monitor.proof;
    if (proof.habit.load(std::memory_order_acquire) == nullptr) return;  // pairs with learn_by_signs
    const std::uint64_t now_ns = os::now_ns();
    if (proof.since_ns == 0) proof.since_ns = now_ns;
    if (now_ns - proof.since_ns > longest_ns) end_proof();
}

void note_for_proof(Carrier& carrier, bool moved, bool holds_work) {
    const Proof& proof = g.monitor.proof;
    if (GOSSAMER_LIKELY(carrier.seen.left != proof.number)) return;
    if (!moved && holds_work) return;
    carrier.seen.left = 0;
    if (!moved) return;                                           // another carrier has taken the work: that tells nothing
    Habit& habit = *proof.habit.load(std::memory_order_relaxed);  // look_at_proof has acquired it
    habit.reliefs.store(0, std::memory_order_relaxed);
    habit.unheard.store(taught_nothing, std::memory_order_relaxed);
    end_proof();
}

bool leaves_for_proof(Carrier& stuck) {
    const Proof& proof = g.monitor.proof;
    if (proof.since_ns == 0) return false;  // none is asked for, or was when this look began
    Seen& seen = stuck.seen;
    seen.left = proof.number;
    if (seen.cpu_ns - seen.begin_ns < proof_ns) return true;
    Habit& habit = *proof.habit.load(std::memory_order_relaxed);  // look_at_proof has acquired it
    habit.proved.store(true, std::memory_order_relaxed);
    learn_relief(&habit);
    end_proof();
    return false;
}

}  // namespace gossamer::fiber
