// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/second_look.hpp"

#include "omp/task/idle.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {

namespace {

constinit std::atomic<Team*> first{nullptr};

// Moves the oldest task of some thread to the shared queue: a thief's step, which may be taken whatever becomes of the region
// meanwhile, since teams and deques are theirs for ever.
void look_again(Team& team) {
    for (std::uint32_t num = 0; num < team.capacity; ++num) {
        TaskDeque* const deque = team.threads[num].tasks.deque.load(std::memory_order_acquire);  // pairs with make_deque
        Task* task[1];
        if (deque == nullptr || deque->steal(task, 1, [](const Task*) { return true; }, nullptr) == 0) continue;
        share_task(team, *task[0]);
        return;
    }
}

}  // namespace

void note_second_look(Team& team) {
    TeamTasks& tasks = team.tasks;
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with take_second_looks
    // Noted already: the look comes behind what this thread has done, for the monitor takes the mark away before it looks.
    // acquire pairs with the monitor's release: it has read the link that is written here.
    if (tasks.noted.load(std::memory_order_relaxed) || tasks.noted.exchange(true, std::memory_order_acquire)) return;
    Team* next = first.load(std::memory_order_relaxed);
    do {
        tasks.next_noted = next;
        // release pairs with take_second_looks
    } while (!first.compare_exchange_weak(next, &team, std::memory_order_release, std::memory_order_relaxed));
    fiber::look_soon();
}

void take_second_looks() {
    if (first.load(std::memory_order_relaxed) == nullptr) return;
    Team* const teams = first.exchange(nullptr, std::memory_order_acquire);  // pairs with note_second_look
    // As soon as the mark is gone the team can be noted again, and its link be written.
    for (Team* each = teams; each != nullptr; each = each->tasks.next_looked_at) {
        each->tasks.next_looked_at = each->tasks.next_noted;
        each->tasks.noted.store(false, std::memory_order_release);
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with note_second_look
    bool fenced = false;
    for (Team* each = teams; each != nullptr; each = each->tasks.next_looked_at) {
        const TaskCounts counts = each->tasks.word.counts(std::memory_order_relaxed);  // behind the fence above
        // Who searches notes the team again when it stops.
        if (!counts.active() || counts.searching() != 0) continue;
        if (!fenced) TaskFences::heavy();  // pairs with the light fence behind a push
        fenced = true;
        look_again(*each);
    }
}

void forget_second_looks() { first.store(nullptr, std::memory_order_relaxed); }

}  // namespace gossamer::omp
