// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/second_look.hpp"

#include "omp/task/wake.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {

namespace {

constinit std::atomic<Team*> first{nullptr};
constinit SpinLock looking;  // one looks at a time, and the others need not

// Moves the oldest tasks, at most `most`, to the shared queue; returns how many. A thief's step, which may be taken whatever becomes
// of the region meanwhile, since teams and their deques stay as long as any carrier runs.
template <std::uint32_t most>
std::uint32_t share_oldest(Team& team, TaskDeque& deque) {
    Task* tasks[most];
    const std::uint32_t count = deque.steal(tasks, most, [](const Task*) { return true; }, nullptr);
    for (std::uint32_t i = 0; i < count; ++i) share_task(team, *tasks[i]);
    return count;
}

template <class Each>
bool any_deque(Team& team, const Each& each) {
    for (std::uint32_t num = 0; num < team.capacity; ++num) {
        ThreadTasks& tasks = team.threads[num].tasks;
        TaskDeque* const deque = tasks.deque.load(std::memory_order_acquire);  // pairs with make_deque
        if (deque != nullptr && each(tasks, *deque)) return true;
    }
    return false;
}

bool holds_tasks(const ThreadTasks&, const TaskDeque& deque) { return deque.size_hint() != 0; }

// For those who wait in tasks. Something may still lie in a deque then.
void dig(Team& team) {
    constexpr std::uint32_t at_once = 32;
    any_deque(team, [&team](ThreadTasks& tasks, TaskDeque& deque) {
        const std::int64_t taken = deque.taken_hint();
        const std::size_t size = deque.size_hint();
        if (size == 0) return false;
        if (tasks.taken_then != taken || tasks.size_then != size) {
            share_oldest<1>(team, deque);
        } else {
            for (std::size_t moved = 0; moved < size;) {
                const std::uint32_t count = share_oldest<at_once>(team, deque);
                if (count == 0) break;
                moved += count;
            }
        }
        tasks.taken_then = deque.taken_hint();
        tasks.size_then = deque.size_hint();
        return false;
    });
    wake_for_shared(team);
    if (any_deque(team, holds_tasks)) note_second_look(team);  // for the next look
}

// False: it is left to who looks next.
bool look_again(Team& team, fiber::Looker who) {
    const bool monitor = who == fiber::Looker::monitor;
    if (anyone_waits_in_a_task(team)) {
        if (monitor) dig(team);
        return monitor;
    }
    const bool found =
        any_deque(team, [&team](const ThreadTasks&, TaskDeque& deque) { return share_oldest<1>(team, deque) != 0; });
    // What another thief was just about to take may be one of several.
    return found || (who != fiber::Looker::idle_carrier && !any_deque(team, holds_tasks));
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

void take_second_looks(fiber::Looker who) {
    if (first.load(std::memory_order_relaxed) == nullptr) return;
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with the one behind unlock
    if (!looking.try_lock()) return;
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
        if (!fenced && who != fiber::Looker::idle_carrier) TaskFences::heavy();  // pairs with the light fence behind a push
        fenced = true;
        if (!look_again(*each, who)) note_second_look(*each);
    }
    looking.unlock();
    // Who found this locked has left again, the monitor maybe for good.
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with the one before try_lock
    if (first.load(std::memory_order_relaxed) != nullptr) fiber::look_soon();
}

void forget_second_looks() {
    first.store(nullptr, std::memory_order_relaxed);
    looking.unlock();  // a child's parent may have looked
}

}  // namespace gossamer::omp
