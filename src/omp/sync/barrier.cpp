// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/sync/barrier.hpp"

#include "omp/task/idle.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {

namespace {

void wake_sleepers(Team& team) {
    // seq_cst pairs with wait_slot's increment: it sees the new generation, or we see it here.
    for (uint32_t num = 0; num < team.size && team.barrier.sleepers.load(std::memory_order_seq_cst) != 0; ++num) {
        fiber::wake_slot(team.threads[num].slot, team.barrier.sleepers);
    }
}

bool parallel_cancelled(const Team& team) {
    return (team.cancelled.load(std::memory_order_seq_cst) & cancel_parallel) != 0;
}

// A loop or sections construct that can be cancelled ends in a barrier, and the next one has not been.
void forget_cancelled_loop(Team& team) {
    constexpr uint32_t kinds = cancel_loop | cancel_sections;
    // relaxed, both: every thread that set or read these bits has arrived
    if (GOSSAMER_UNLIKELY((team.cancelled.load(std::memory_order_relaxed) & kinds) != 0)) {
        team.cancelled.fetch_and(~kinds, std::memory_order_relaxed);
        team.work.touched.store(2, std::memory_order_relaxed);  // read when the next region starts
    }
}

// Everybody has arrived, and nobody goes on before the release.
bool end_generation(Team& team) {
    forget_cancelled_loop(team);
    const bool tasks = tasks_are_active(team);
    // All tasks are complete, and nobody defers one before the generation advances.
    if (GOSSAMER_UNLIKELY(tasks)) team.tasks.word.fetch_and(~(tasks_active | tasks_maybe), std::memory_order_relaxed);
    return tasks;
}

void wake_all(Team& team, bool tasks) {
    wake_sleepers(team);
    if (GOSSAMER_UNLIKELY(tasks)) wake_all_task_sleepers(team);
}

template <class Released>
void await_release(Thread& thread, bool cancellable, const Released& released) {
    Team& team = *thread.team;
    const auto over = [&] { return released() || (cancellable && parallel_cancelled(team)); };
    fiber::wait_slot(thread.slot, team.barrier.sleepers, [&] { return over() || tasks_are_active(team); });
    if (GOSSAMER_UNLIKELY(thread.tasks.counted || !over())) work_until(thread, nullptr, nullptr, over);
}

// Two threads: whoever finds the word as the last barrier left it is the first, and turns it odd. What that was it remembers,
// for a look at the word would fetch the line once without the right to change it.
void barrier_of_two(Thread& thread, bool cancellable) {
    Team& team = *thread.team;
    std::atomic<uint32_t>& word = team.barrier.arrived;
    uint32_t seen = thread.met_as;
    for (;;) {
        const uint32_t odd = seen | 1;
        thread.met_as = odd + 1;
        // acq_rel: release by the first, acquire by the second, which passes on what both did.
        if (word.compare_exchange_strong(seen, odd, std::memory_order_acq_rel, std::memory_order_acquire)) {
            await_release(thread, cancellable, [&] { return word.load(std::memory_order_seq_cst) != odd; });
            return;
        }
        if ((seen & 1) != 0) break;  // else the word was reset since
    }
    thread.met_as = seen + 1;
    const bool tasks = end_generation(team);
    word.store(seen + 1, std::memory_order_seq_cst);  // pairs with the look in wait_slot
    wake_all(team, tasks);
}

}  // namespace

bool barrier(Thread& thread, bool cancellable) {
    Team& team = *thread.team;
    fiber::scheduling_point();
    finish_tasks(thread);
    if (cancellable && parallel_cancelled(team)) return true;
    const uint32_t size = team.size;
    if (size == 1) {
        forget_cancelled_loop(team);
        return false;
    }
    if (size == 2) {
        barrier_of_two(thread, cancellable);
        return cancellable && parallel_cancelled(team);
    }
    Barrier& barrier = team.barrier;
    // It cannot advance before this thread arrives, and the last advance happened before this thread left it.
    const uint32_t generation = barrier.generation.load(std::memory_order_relaxed);
    // acq_rel: the last one in has acquired what all others did before, and passes it on by the generation.
    if (barrier.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == size) {
        barrier.arrived.store(0, std::memory_order_relaxed);  // published by the generation
        const bool tasks = end_generation(team);
        barrier.generation.store(generation + 1, std::memory_order_seq_cst);  // pairs with the look in wait_slot
        wake_all(team, tasks);
        return false;
    }
    await_release(thread, cancellable, [&] { return barrier.generation.load(std::memory_order_seq_cst) != generation; });
    return cancellable && parallel_cancelled(team);
}

void wake_cancelled(Team& team) {
    wake_sleepers(team);
    wake_all_task_sleepers(team);
}

}  // namespace gossamer::omp
