// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/second_look.hpp"

#include "omp/task/wake.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {

namespace {

constinit std::atomic<Team*> first{nullptr};  // of the teams for which a look was requested
constinit SpinLock looking;                   // held by the thread that looks; others need not look then

// Moves the oldest tasks, at most `most`, to the shared queue; returns how many. The region may end meanwhile: teams and their
// deques stay as long as any carrier runs.
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

// For threads that wait in tasks: moves to the shared queue what they cannot see in others' deques.
void share_buried_tasks(Team& team) {
    constexpr std::uint32_t at_once = 32;
    any_deque(team, [&team](ThreadTasks& tasks, TaskDeque& deque) {
        const std::int64_t taken = deque.taken_hint();
        const std::size_t size = deque.size_hint();
        if (size == 0) return false;
        if (tasks.monitor_saw_taken != taken || tasks.monitor_saw_size != size) {
            share_oldest<1>(team, deque);
        } else {
            for (std::size_t moved = 0; moved < size;) {
                const std::uint32_t count = share_oldest<at_once>(team, deque);
                if (count == 0) break;
                moved += count;
            }
        }
        tasks.monitor_saw_taken = deque.taken_hint();
        tasks.monitor_saw_size = deque.size_hint();
        return false;
    });
    wake_for_shared(team);
}

bool anything_shared(const Team& team) {
    const SharedQueue* const queue = team.tasks.known_queue();
    return queue != nullptr && queue->count() != 0;
}

void look_again(Team& team, fiber::Looker who) {
    const bool fenced = who != fiber::Looker::idle_carrier;
    // A bystander that no pusher saw, since neither passed a fence, can be seen from here on. release pairs with nobody_may. A
    // push that crosses this look is seen by the next one, and so is that bystander if this look has passed no fence for all.
    const bool unsettled = !fenced || team.tasks.word.somebody_may(std::memory_order_release);
    bool more = false;
    if (!anyone_waits_in_a_task(team)) {
        const auto share = [&team](const ThreadTasks&, TaskDeque& deque) { return share_oldest<1>(team, deque) != 0; };
        const bool moved = any_deque(team, share);
        more = !moved && any_deque(team, holds_tasks);  // a deque that another thief has locked
    } else if (who == fiber::Looker::monitor) {
        share_buried_tasks(team);
        more = any_deque(team, holds_tasks);
    } else {
        more = any_deque(team, holds_tasks) || anything_shared(team);
    }
    if (more || unsettled) request_second_look(team, more ? SecondLook::soon : SecondLook::later);
}

}  // namespace

void request_second_look(Team& team, SecondLook when) {
    TeamTasks& tasks = team.tasks;
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with take_second_looks
    // If a request stands already, its look comes behind what this thread has done: the looker withdraws the request before it
    // looks. acquire pairs with the looker's release: it has read the link that is written below.
    if (tasks.look_requested.load(std::memory_order_relaxed) ||
        tasks.look_requested.exchange(true, std::memory_order_acquire)) {
        if (when == SecondLook::soon) fiber::look_soon();
        return;
    }
    Team* next = first.load(std::memory_order_relaxed);
    do {
        tasks.next_requested = next;
        // release pairs with take_second_looks
    } while (!first.compare_exchange_weak(next, &team, std::memory_order_release, std::memory_order_relaxed));
    when == SecondLook::soon ? fiber::look_soon() : fiber::look_later();
}

bool take_second_looks(fiber::Looker who) {
    if (first.load(std::memory_order_relaxed) == nullptr) return false;
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with the fence behind unlock
    if (!looking.try_lock()) return true;
    Team* const teams = first.exchange(nullptr, std::memory_order_acquire);  // pairs with request_second_look
    // Once its request is withdrawn a team may be requested again, which writes next_requested.
    for (Team* each = teams; each != nullptr; each = each->tasks.next_looked_at) {
        each->tasks.next_looked_at = each->tasks.next_requested;
        each->tasks.look_requested.store(false, std::memory_order_release);
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with request_second_look
    bool fenced = false;
    for (Team* each = teams; each != nullptr; each = each->tasks.next_looked_at) {
        const TaskCounts counts = each->tasks.word.counts(std::memory_order_relaxed);  // the fence above orders it
        if (!counts.active()) continue;
        if (counts.searching() != 0) {
            // When they stop they request a look only if they know of a thread that may be woken.
            request_second_look(*each, SecondLook::later);
            continue;
        }
        if (!fenced && who != fiber::Looker::idle_carrier) TaskFences::heavy();  // pairs with the light fence behind a push
        fenced = true;
        look_again(*each, who);
    }
    looking.unlock();
    // A looker that found the lock held has gone, the monitor maybe for long.
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with the fence before try_lock
    if (first.load(std::memory_order_relaxed) != nullptr) fiber::look_later();
    return true;
}

void forget_second_looks() {
    // A root's initial team lasts, and may be requested anew. acquire and release pair with request_second_look.
    for (Team* each = first.exchange(nullptr, std::memory_order_acquire); each != nullptr;) {
        Team* const next = each->tasks.next_requested;
        each->tasks.look_requested.store(false, std::memory_order_release);
        each = next;
    }
    looking.unlock();  // in the child of a fork a gone thread may hold it
}

}  // namespace gossamer::omp
