// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/habit.hpp"

#include "fiber/apart.hpp"
#include "fiber/one_to_one.hpp"
#include "fiber/proof.hpp"
#include "fiber/relief.hpp"

namespace gossamer::fiber {

constinit std::atomic<bool> relief_was_needed{false};

namespace {

constexpr std::uint16_t often = 8;           // reliefs that make a habit
constexpr std::uint16_t most_counted = 128;  // more reliefs are as good as so many
constexpr std::uint32_t some = 2;            // reliefs after which one look takes all
constexpr std::uint32_t try_without = 64;    // starts apart, after which one is tried without;
constexpr std::uint32_t most_confirmed = 4;  // twice as many each time that fails, at most so often
constexpr std::uint32_t forget_after = 16;   // starts, after which one relief is forgotten

// A relief turned out not to be needed.
void unlearn_relief(Habit& habit) {
    std::uint16_t reliefs = habit.reliefs.load(std::memory_order_relaxed);
    if (reliefs == 0 || reliefs >= often) return;
    habit.reliefs.compare_exchange_strong(reliefs, reliefs - 1, std::memory_order_relaxed);
}

bool is_formed(const Habit& habit) { return habit.reliefs.load(std::memory_order_relaxed) >= often; }

}  // namespace

void learn_relief(Habit* habit) {
    if (habit == nullptr) return;
    if (habit->reliefs.load(std::memory_order_relaxed) < most_counted) habit->reliefs.fetch_add(1, std::memory_order_relaxed);
    relief_was_needed.store(true, std::memory_order_relaxed);
}

bool is_about_to_form(const Habit& habit) {
    return habit.reliefs.load(std::memory_order_relaxed) + 1 == often && !habit.proved.load(std::memory_order_relaxed);
}

bool is_suspected(const Habit* habit) { return habit != nullptr && habit->reliefs.load(std::memory_order_relaxed) >= some; }

bool has_habit(ReliefRecord* record) { return record != nullptr && is_formed(record->now()); }

void interrupt_habit(Habit& habit) { habit.reliefs.store(often - 1, std::memory_order_relaxed); }

void suspect(Carrier& carrier, std::uint64_t cpu_ns) {
    const Behind& behind = carrier.duty.behind;
    if (!is_stuck(behind)) {
        // The stuck carrier has gone on meanwhile, at an unknown time. It had spun at least that long.
        if (cpu_ns < spun_ns / 2) learn_by_signs(carrier.duty.habit);
        return;
    }
    Suspicion& suspicion = carrier.duty.suspicion;
    if (suspicion.habit.load(std::memory_order_acquire) != nullptr) return;  // pairs with weigh
    suspicion.behind = behind;
    suspicion.cpu_ns = cpu_ns;
    suspicion.used_ns = 0;
    suspicion.habit.store(carrier.duty.habit, std::memory_order_release);  // pairs with weigh
    // The monitor may sleep, since nothing has been queued for long. seq_cst pairs with fall_asleep: its last look sees the
    // suspicion, or we see that it sleeps.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    note_work();
}

namespace {

// The monitor, before it looks at that carrier again. A stuck carrier that waited for the relieved work has used much more
// CPU time than that, and goes on soon after that has come to its end. One that computes does not. True: it cannot be told
// yet, and the stuck carrier runs, or waits for a processor, so that it will be told.
bool weigh(Suspicion& suspicion) {
    Habit* const habit = suspicion.habit.load(std::memory_order_acquire);  // pairs with suspect
    if (habit == nullptr) return false;
    const Carrier& stuck = *suspicion.behind.stuck;
    if (!is_stuck(suspicion.behind)) {
        // At the last look it was stuck.
        const std::uint64_t used_ns = stuck.seen.cpu_ns - suspicion.behind.since_ns;
        if (suspicion.used_ns != 0 || suspicion.cpu_ns < used_ns / 2) learn_by_signs(habit);
    } else {
        const std::int32_t native = stuck.native_thread.load(std::memory_order_relaxed);
        const std::uint64_t now_ns = os::cpu_time_ns(native);
        const std::uint64_t used_ns = now_ns - suspicion.behind.since_ns;
        const bool first = suspicion.used_ns == 0;
        if (first) suspicion.used_ns = used_ns;
        const bool rested = !first && now_ns == suspicion.seen_ns;
        suspicion.seen_ns = now_ns;
        const bool little = suspicion.cpu_ns < suspicion.used_ns / 2;
        if (little && now_ns != 0 && used_ns < suspicion.used_ns + suspicion.used_ns / 4) {
            if (!rested || os::sleep_of(native) != os::Sleep::waits) return true;
            // It has slept since the last look, so it waits for something that is no work of ours, for any time.
        } else if (little && now_ns != 0 && stuck.nothing_for_thieves()) {
            unlearn_relief(*habit);  // otherwise it may wait for work that still lies behind it
        }
    }
    suspicion.habit.store(nullptr, std::memory_order_release);  // pairs with suspect
    return false;
}

}  // namespace

bool weigh_suspicions() {
    bool undecided = false;
    for (Carrier& carrier : all_carriers()) undecided |= weigh(carrier.duty.suspicion);
    return undecided;
}

bool must_start_apart(ReliefRecord& record, const void* kind) {
    Habit& habit = record.choose(kind);
    if (one_to_one()) return true;
    ++habit.starts;
    if (is_formed(habit)) {
        if (habit.starts < try_without << habit.confirmed) return true;
        habit.starts = 0;
        if (habit.confirmed < most_confirmed) ++habit.confirmed;
        interrupt_habit(habit);
        return false;
    }
    if (has_habit(self()->record)) {
        habit.reliefs.store(often, std::memory_order_relaxed);  // its fibers have it as well
        habit.proved.store(true, std::memory_order_relaxed);
        return true;
    }
    const std::uint16_t reliefs = habit.reliefs.load(std::memory_order_relaxed);
    if (reliefs != 0 && habit.starts < forget_after) return false;
    habit.starts = 0;
    habit.confirmed = 0;
    if (reliefs != 0) habit.reliefs.store(reliefs - 1, std::memory_order_relaxed);
    if (reliefs == 1) habit.proved.store(false, std::memory_order_relaxed);
    return false;
}

}  // namespace gossamer::fiber
