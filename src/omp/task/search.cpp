// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/search.hpp"

#include <algorithm>

#include "omp/task/lock_pause.hpp"
#include "omp/task/plain.hpp"
#include "omp/task/wake.hpp"

namespace gossamer::omp {

[[gnu::no_sanitize("thread")]] bool descends_from(const Task* task, const Task* ancestor, std::uint32_t most) {
    // relaxed, all: the caller makes sure of the task before it relies on the answer
    const std::uint32_t depth = ancestor->depth.load(std::memory_order_relaxed);
    for (; most != 0 && task != nullptr && task->depth.load(std::memory_order_relaxed) > depth; --most) {
        const Task* const scope = task->scope.load(std::memory_order_relaxed);
        const bool leaps = scope != nullptr && scope->depth.load(std::memory_order_relaxed) >= depth;
        task = leaps ? scope : task->parent.load(std::memory_order_relaxed);
    }
    return task == ancestor;
}

Task* constraint_of(const Thread& thread) {
    Task* const task = thread.task;
    Task* const scope = task->scope.load(std::memory_order_relaxed);
    return GOSSAMER_UNLIKELY(scope != nullptr) && fiber::has_ample_stack() ? scope : task;
}

[[gnu::no_sanitize("thread")]] bool may_begin(const Thread& thread, const Task* task, const Task* constraint,
                                              std::uint32_t most) {
    if (constraint == nullptr) return true;
    if (!descends_from(task, constraint, most)) return false;
    return constraint == thread.task || !(task->started && task->may_have_descendants) ||
           descends_from(task, thread.task, most);
}

namespace {

constexpr std::uint32_t most_stolen = 32;

TaskDeque* deque_of(const Team& team, std::uint32_t num) {
    return team.threads[num].tasks.deque.load(std::memory_order_acquire);  // pairs with make_deque
}

// Whether the shared queue, as it is after `pushes` pushes, held nothing that
// `thread` may begin while it waits in its current task.
bool has_seen_shared(const Thread& thread, const Task* constraint, std::uint32_t pushes) {
    const ThreadTasks& mine = thread.tasks;
    return constraint != nullptr && mine.shared_seen_in == thread.task &&
           mine.shared_seen.load(std::memory_order_relaxed) == pushes;
}

Task* take_shared(Thread& thread, SharedQueue& queue, Task* constraint) {
    if (!queue.any()) return nullptr;
    ThreadTasks& mine = thread.tasks;
    const std::uint32_t pushes = queue.pushes();
    if (has_seen_shared(thread, constraint, pushes)) return nullptr;
    Task* found;
    {
        SpinGuard guard(queue.lock, LockPause());
        found = queue.take([&](const Task& task) { return may_begin(thread, &task, constraint); });
    }
    if (found == nullptr) {
        mine.shared_seen.store(pushes, std::memory_order_relaxed);
        mine.shared_seen_in = constraint != nullptr ? thread.task : nullptr;
    }
    return found;
}

Task* pop_own(Thread& thread, Task* constraint) {
    TaskDeque* const deque = thread.tasks.deque.load(std::memory_order_relaxed);
    if (deque == nullptr) return nullptr;
    return deque->pop(constraint != nullptr ? thread.task->floor : INT64_MIN, os::yield_native);
}

// Takes the oldest task in the thread's own deque, which lies beneath all that descends from the task in which the thread
// waits; shares it, and returns null, if the thread may not begin it.
Task* take_own_oldest(Thread& thread, Task* constraint) {
    TaskDeque* const deque = thread.tasks.deque.load(std::memory_order_relaxed);
    if (deque == nullptr || deque->size_hint() == 0) return nullptr;
    Task* const task = deque->take_oldest();
    if (task == nullptr) return nullptr;
    if (may_begin(thread, task, constraint)) {
        task->last_thread = nullptr;  // what lies above it need not descend from it, so its floor means nothing
        return task;
    }
    share_task(*thread.team, *task);
    return nullptr;
}

Task* steal_from(Thread& thread, TaskDeque& victim, Task* constraint) {
    Task* got[most_stolen];
    const auto accept = [&thread, constraint](const Task* task) {
        return may_begin(thread, task, constraint, few_generations);
    };
    TaskDeque* const own = thread.tasks.deque.load(std::memory_order_relaxed);
    // Several only where the rest may lie in the thief's own deque: no constraint holds, or all descend from its current task.
    const std::uint32_t most = own != nullptr && !waits_freely(thread, constraint) ? most_stolen : 1;
    const std::uint32_t count = victim.steal(got, most, accept, own);
    if (count == 0) return nullptr;
    thread.tasks.loot_at = arch::cycles();
    thread.tasks.loot_tasks = count;
    thread.tasks.loot_depends = 0;
    thread.tasks.loot_cost = 0;
    for (std::uint32_t i = count; i-- > 1;) {
        got[i]->last_thread = nullptr;  // the tasks around it stay behind, so its floor means nothing
        if (!own->push(got[i])) share_task(*thread.team, *got[i]);
    }
    if (count > 1) announce_push(*thread.team, constraint);  // in the thief's hands no other thread could see them
    return got[0];
}

// Whether the oldest task lies there for a while. A thief's fence disturbs every thread and costs more than a small task, so a
// task that its owner is about to execute is left to the owner.
bool oldest_stays(const TaskDeque& deque) {
    constexpr std::uint32_t pauses = 4;
    const std::int64_t taken = deque.taken_hint();
    for (std::uint32_t i = 0; i < pauses; ++i) arch::pause();
    return deque.size_hint() != 0 && deque.taken_hint() == taken;
}

bool is_spared(const Team& team, std::uint32_t num, std::uint64_t now) {
    ThreadTasks& tasks = team.threads[num].tasks;
    return tasks.spared.is_spared(now, tasks.kept);
}

// The thread is through with what it stole last: tells the victim's Spared what that was worth.
void judge_loot(Thread& thread, std::uint64_t now) {
    constexpr std::uint32_t theft_ns = 800;    // an answered theft, and what thief and owner do to get their lines back
    constexpr std::uint32_t move_ns = 300;     // a stolen task that does nothing takes its thief 400 ns;
    constexpr std::uint32_t depend_ns = 2400;  // one with three dependences 500 to 2000, and its generator as much
    ThreadTasks& mine = thread.tasks;
    if (mine.loot_at == 0) return;
    const std::uint64_t worth = now - mine.loot_at - mine.loot_cost;
    const std::uint64_t theft = fiber::cycles_in(theft_ns);
    // A thread that never generates a task has no deque, and so nowhere to put several.
    // If each keeps it busy for long it gets one.
    constexpr std::uint32_t enough = 8;
    mine.long_loots = worth > theft ? mine.long_loots + 1 : 0;
    if (mine.long_loots >= enough && mine.deque.load(std::memory_order_relaxed) == nullptr) make_deque(thread);
    if (mine.last_victim < thread.team->size) {
        ThreadTasks& victim = thread.team->threads[mine.last_victim].tasks;
        const bool small = victim.spared.has_small_tasks(fiber::cycles_in(Spared::small_ns));
        victim.spared.judge(worth, now, theft + mine.loot_cost, (mine.loot_tasks - 1) * fiber::cycles_in(move_ns),
                            small ? mine.loot_depends * fiber::cycles_in(depend_ns) : 0, victim.kept);
        // Where several threads share a carrier they steal in turn, and need what the owner defers.
        const bool few = victim.spared.is_poor() && thread.team->size <= fiber::carrier_count();
        if (TaskDeque* const deque = victim.deque.load(std::memory_order_acquire)) {  // pairs with make_deque
            deque->limit_quick(enough_for(*thread.team, few ? few_tasks : enough_tasks));
        }
    }
    mine.loot_at = 0;
}

std::uint32_t victims_of(const Team& team, Thief manner) {
    return manner == Thief::sparing ? std::min(few_victims, team.size) : team.size;
}

std::uint32_t next_of(const Team& team, std::uint32_t num) { return num + 1 == team.size ? 0 : num + 1; }

Task* steal_task(Thread& thread, Task* constraint, Thief manner) {
    Team& team = *thread.team;
    const std::uint32_t size = team.size;
    ThreadTasks& mine = thread.tasks;
    const std::uint64_t now = arch::cycles();
    judge_loot(thread, now);
    const auto ask = [&](std::uint32_t victim) -> Task* {
        if (victim == thread.num) return nullptr;
        if (manner == Thief::sparing && is_spared(team, victim, now)) return nullptr;  // before any look at its deque
        TaskDeque* const deque = deque_of(team, victim);
        if (deque == nullptr || deque->size_hint() == 0 || !oldest_stays(*deque)) return nullptr;
        Task* const task = steal_from(thread, *deque, constraint);
        if (task != nullptr) mine.last_victim = victim;
        return task;
    };
    // A victim that had tasks may have more.
    if (mine.last_victim < size) {
        if (Task* const task = ask(mine.last_victim)) return task;
    }
    if (team.dealing.bind != Bind::no) {
        // Bound threads are dealt out in the order of the machine's places, so the nearest threads have the nearest numbers.
        // All of them, in any manner: a few near ones would be the same each time.
        for (std::uint32_t step = 1; 2 * step <= size; ++step) {
            if (Task* const task = ask((thread.num + step) % size)) return task;
            if (Task* const task = ask((thread.num + size - step) % size)) return task;
        }
        return nullptr;
    }
    std::uint32_t victim = mine.random.below(size);
    for (std::uint32_t left = victims_of(team, manner); left != 0; --left) {
        if (Task* const task = ask(victim)) return task;
        victim = next_of(team, victim);
    }
    return nullptr;
}

}  // namespace

bool work_shared(const Thread& thread, Task* constraint) {
    const SharedQueue* const queue = thread.team->tasks.known_queue();
    return queue != nullptr && queue->count() != 0 && !has_seen_shared(thread, constraint, queue->pushes());
}

bool work_visible(Thread& thread, Task* constraint, Thief manner) {
    const Team& team = *thread.team;
    const bool spares = manner == Thief::sparing;
    const std::uint64_t now = spares ? arch::cycles() : 0;
    if (work_shared(thread, constraint)) return true;
    std::uint32_t left = victims_of(team, manner);
    std::uint32_t num = left == team.size ? 0 : thread.tasks.random.below(team.size);
    for (; left != 0; --left, num = next_of(team, num)) {
        if (spares && num != thread.num && is_spared(team, num, now)) continue;
        const TaskDeque* const deque = deque_of(team, num);
        if (deque == nullptr || deque->size_hint() == 0) continue;
        if (constraint == nullptr) return true;
        if (num == thread.num && deque->bottom() > thread.task->floor) return true;
        if (num == thread.num && constraint == thread.task) continue;
        const Task* const task = deque->peek();
        if (task != nullptr && may_begin(thread, task, constraint, few_generations)) return true;
    }
    return false;
}

Task* find_task(Thread& thread, Task* constraint, Thief manner) {
    const bool steals = manner != Thief::none && thread.team->size != 1;
    SharedQueue* const queue = thread.team->tasks.known_queue();
    if (GOSSAMER_UNLIKELY(queue != nullptr && queue->any_urgent())) {
        if (Task* const task = take_shared(thread, *queue, constraint)) return task;
    }
    if (steals && fiber::mode_is_on(fiber::mode_chaos) && thread.tasks.random.one_in(2)) {
        if (Task* const task = steal_task(thread, constraint, manner)) return task;
    }
    if (Task* const task = pop_own(thread, constraint)) return task;
    if (queue != nullptr) {
        if (Task* const task = take_shared(thread, *queue, constraint)) return task;
    }
    if (!steals) {
        // Before other threads run on this carrier: their time is no part of what the loot was worth.
        if (constraint == nullptr && thread.tasks.loot_at != 0) judge_loot(thread, arch::cycles());
        return nullptr;
    }
    if (Task* const task = steal_task(thread, constraint, manner)) return task;
    return waits_freely(thread, constraint) ? take_own_oldest(thread, constraint) : nullptr;
}

}  // namespace gossamer::omp
