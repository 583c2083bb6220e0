// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/search.hpp"

#include "omp/task/lock_pause.hpp"
#include "omp/task/plain.hpp"
#include "omp/task/wake.hpp"

namespace gossamer::omp {

[[gnu::no_sanitize("thread")]] bool descends(const Task* task, const Task* ancestor, std::uint32_t most) {
    // relaxed, all: the caller finds out whether the task is still there
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

namespace {

constexpr std::uint32_t most_stolen = 32;

}  // namespace

[[gnu::no_sanitize("thread")]] bool fits(const Thread& thread, const Task* task, const Task* constraint, std::uint32_t most) {
    if (constraint == nullptr) return true;
    if (!descends(task, constraint, most)) return false;
    return constraint == thread.task || !(task->started && task->has_kin) || descends(task, thread.task, most);
}

namespace {

TaskDeque* deque_of(const Team& team, std::uint32_t num) {
    return team.threads[num].tasks.deque.load(std::memory_order_acquire);  // pairs with make_deque
}

// Whether nothing has been pushed since the shared queue held nothing for `thread`, which waits in its task.
bool nothing_shared(const Thread& thread, const Task* constraint, std::uint32_t pushes) {
    const ThreadTasks& mine = thread.tasks;
    return constraint != nullptr && mine.shared_seen_in == thread.task &&
           mine.shared_seen.load(std::memory_order_relaxed) == pushes;
}

Task* take_shared(Thread& thread, SharedQueue& queue, Task* constraint) {
    if (!queue.any()) return nullptr;
    ThreadTasks& mine = thread.tasks;
    const std::uint32_t pushes = queue.pushes();
    if (nothing_shared(thread, constraint, pushes)) return nullptr;
    Task* found;
    {
        SpinGuard guard(queue.lock, LockPause());
        found = queue.take([&](const Task& task) { return fits(thread, &task, constraint); });
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

// What lies in the own deque under all that descends from the task in which `thread` waits.
Task* take_own_oldest(Thread& thread, Task* constraint) {
    TaskDeque* const deque = thread.tasks.deque.load(std::memory_order_relaxed);
    if (deque == nullptr || deque->size_hint() == 0) return nullptr;
    Task* const task = deque->take_oldest();
    if (task == nullptr) return nullptr;
    if (fits(thread, task, constraint)) {
        task->last_thread = nullptr;  // what lies above it now need not descend from it: its floor means nothing
        return task;
    }
    share_task(*thread.team, *task);
    return nullptr;
}

Task* steal_from(Thread& thread, TaskDeque& victim, Task* constraint) {
    Task* got[most_stolen];
    const auto accept = [&thread, constraint](const Task* task) { return fits(thread, task, constraint, few_generations); };
    TaskDeque* const own = thread.tasks.deque.load(std::memory_order_relaxed);
    // Several only where the rest can lie in the own deque without getting in the way of a constraint.
    const std::uint32_t most = constraint == nullptr && own != nullptr ? most_stolen : 1;
    const std::uint32_t count = victim.steal(got, most, accept, own);
    if (count == 0) return nullptr;
    thread.tasks.loot_at = arch::cycles();
    thread.tasks.loot_tasks = count;
    thread.tasks.loot_depends = 0;
    thread.tasks.loot_cost = 0;
    for (std::uint32_t i = count; i-- > 1;) {
        got[i]->last_thread = nullptr;  // what lay around it stays behind: its floor means nothing when it comes back
        if (!own->push(got[i])) share_task(*thread.team, *got[i]);
    }
    if (count > 1) tell_of_push(*thread.team, nullptr);  // on their way here nobody could see them
    return got[0];
}

// Whether the oldest task lies there for a while: a thief's fence disturbs everybody and costs more than a small task, so
// what its owner is about to execute is left to it.
bool lasts(const TaskDeque& deque) {
    constexpr std::uint32_t pauses = 4;
    const std::int64_t taken = deque.taken_hint();
    for (std::uint32_t i = 0; i < pauses; ++i) arch::pause();
    return deque.size_hint() != 0 && deque.taken_hint() == taken;
}

bool is_spared(const Team& team, std::uint32_t num, std::uint64_t now) {
    ThreadTasks& tasks = team.threads[num].tasks;
    return tasks.spared.at(now, tasks.kept);
}

// The thread has come to the end of what it stole last.
void judge_loot(Thread& thread, std::uint64_t now) {
    constexpr std::uint32_t theft_ns = 800;    // one that is answered, with what both do to get their lines back
    constexpr std::uint32_t move_ns = 300;     // a stolen task that does nothing takes its thief 400,
    constexpr std::uint32_t depend_ns = 2400;  // and one with three dependences 500 to 2000, and whoever generates it as much
    ThreadTasks& mine = thread.tasks;
    if (mine.loot_at == 0) return;
    const std::uint64_t worth = now - mine.loot_at - mine.loot_cost;
    const std::uint64_t theft = fiber::cycles_in(theft_ns);
    // Who never generates a task has no deque, and so nowhere to put several. Whom each keeps busy for long gets one.
    constexpr std::uint32_t enough = 8;
    mine.long_loots = worth > theft ? mine.long_loots + 1 : 0;
    if (mine.long_loots >= enough && mine.deque.load(std::memory_order_relaxed) == nullptr) make_deque(thread);
    if (mine.last_victim < thread.team->size) {
        ThreadTasks& victim = thread.team->threads[mine.last_victim].tasks;
        const bool small = victim.spared.has_small_tasks(fiber::cycles_in(Spared::small_ns));
        victim.spared.judge(worth, now, theft + mine.loot_cost, (mine.loot_tasks - 1) * fiber::cycles_in(move_ns),
                            small ? mine.loot_depends * fiber::cycles_in(depend_ns) : 0, victim.kept);
        // Where several threads share a carrier they steal in turn, and find what is left.
        const bool few = victim.spared.is_poor() && thread.team->size <= fiber::carrier_count();
        if (TaskDeque* const deque = victim.deque.load(std::memory_order_acquire)) {  // pairs with make_deque
            deque->limit_quick(few ? few_tasks : enough_tasks);
        }
    }
    mine.loot_at = 0;
}

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
        if (deque == nullptr || deque->size_hint() == 0 || !lasts(*deque)) return nullptr;
        Task* const task = steal_from(thread, *deque, constraint);
        if (task != nullptr) mine.last_victim = victim;
        return task;
    };
    // Where there was something there may be more.
    if (mine.last_victim < size) {
        if (Task* const task = ask(mine.last_victim)) return task;
    }
    if (team.dealing.bind != Bind::no) {
        // Bound threads are dealt out in the order of the machine's places: the nearest have the nearest numbers.
        for (std::uint32_t step = 1; 2 * step <= size; ++step) {
            if (Task* const task = ask((thread.num + step) % size)) return task;
            if (Task* const task = ask((thread.num + size - step) % size)) return task;
        }
        return nullptr;
    }
    std::uint32_t victim = mine.random.below(size);
    for (std::uint32_t step = 0; step < size; ++step) {
        if (Task* const task = ask(victim)) return task;
        if (++victim == size) victim = 0;
    }
    return nullptr;
}

}  // namespace

bool work_shared(const Thread& thread, Task* constraint) {
    const SharedQueue* const queue = thread.team->tasks.known_queue();
    return queue != nullptr && queue->count() != 0 && !nothing_shared(thread, constraint, queue->pushes());
}

bool work_visible(const Thread& thread, Task* constraint, Thief manner) {
    const Team& team = *thread.team;
    const bool spares = manner == Thief::sparing;
    const std::uint64_t now = spares ? arch::cycles() : 0;
    if (work_shared(thread, constraint)) return true;
    for (std::uint32_t num = 0; num < team.size; ++num) {
        if (spares && num != thread.num && is_spared(team, num, now)) continue;
        const TaskDeque* const deque = deque_of(team, num);
        if (deque == nullptr || deque->size_hint() == 0) continue;
        if (constraint == nullptr) return true;
        if (num == thread.num && deque->bottom() > thread.task->floor) return true;
        if (num == thread.num && constraint == thread.task) continue;
        const Task* const task = deque->peek();
        if (task != nullptr && fits(thread, task, constraint, few_generations)) return true;
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
    if (!steals) return nullptr;
    if (Task* const task = steal_task(thread, constraint, manner)) return task;
    return waits_freely(thread, constraint) ? take_own_oldest(thread, constraint) : nullptr;
}

}  // namespace gossamer::omp
