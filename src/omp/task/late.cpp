// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why no wake is lost: whatever a waiter looks for changes under ThreadTasks::lock, and `changes` advances
// after that. A waiter reads `changes`, looks, and waits for another value than it read.
#include "omp/task/late.hpp"

#include <cstdlib>
#include <new>

#include "omp/task/cancel.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {

namespace {

class Guard {
public:
    explicit Guard(ThreadTasks& tasks) : guard_(tasks.lock, [] { os::yield_native(); }) {}

private:
    SpinGuard<SpinLock> guard_;
};

void push_ready(ThreadTasks& tasks, Task& task) {
    task.next_ready = nullptr;
    (tasks.first_ready == nullptr ? tasks.first_ready : tasks.last_ready->next_ready) = &task;
    tasks.last_ready = &task;
}

// The oldest ready task that eligible(task) accepts, taken off the list; null: none.
template <class Eligible>
Task* take_ready(ThreadTasks& tasks, const Eligible& eligible) {
    Guard guard(tasks);
    Task* previous = nullptr;
    for (Task* at = tasks.first_ready; at != nullptr; previous = at, at = at->next_ready) {
        if (!eligible(*at))
            continue;
        (previous == nullptr ? tasks.first_ready : previous->next_ready) = at->next_ready;
        if (tasks.last_ready == at)
            tasks.last_ready = previous;
        return at;
    }
    return nullptr;
}

// Under the lock: nobody waits for `task` any more, and its successors become ready.
void settle(ThreadTasks& tasks, Task& task) {
    for (Successor* edge = task.successors; edge != nullptr;) {
        Successor* const next = edge->next;
        if (--edge->task->predecessors == 0 && !edge->task->block_done)
            push_ready(tasks, *edge->task);
        std::free(edge);
        edge = next;
    }
    task.successors = nullptr;
    if (Task* const parent = task.parent) {
        if (parent->depends != nullptr)
            parent->depends->remove(task);
        Task* const next = task.sibling.next;
        Task* const previous = task.sibling.previous;
        (previous == nullptr ? parent->children : previous->sibling.next) = next;
        if (next != nullptr)
            next->sibling.previous = previous;
        // release, and below: pairs with the acquire of those who look without the lock. The parent may end
        // now.
        parent->late_children.fetch_sub(1, std::memory_order_release);
    }
    if (task.generated_in != nullptr)
        task.generated_in->late.fetch_sub(1, std::memory_order_release);
    tasks.late.fetch_sub(1, std::memory_order_release);
    tasks.changes.fetch_add(1, std::memory_order_seq_cst); // pairs with wait_late's load
}

void free_task(Task& task) {
    std::free(task.entries);
    task.kind->dispose(task);
}

// Under the lock.
void make_late(Task& task, Dependences dependences, DependEntry* entries) {
    ThreadTasks& tasks = *task.home;
    Task& parent = *task.parent;
    task.late = true;
    task.sibling = {parent.children, nullptr};
    if (parent.children != nullptr)
        parent.children->sibling.previous = &task;
    parent.children = &task;
    // relaxed: only the thread itself counts up, and the looks that matter come later in its own order
    parent.late_children.fetch_add(1, std::memory_order_relaxed);
    if (task.generated_in != nullptr)
        task.generated_in->late.fetch_add(1, std::memory_order_relaxed);
    tasks.late.fetch_add(1, std::memory_order_relaxed);
    if (entries == nullptr)
        return;
    if (parent.depends == nullptr) {
        void* const memory = std::malloc(sizeof(DependTable));
        if (memory == nullptr)
            fatal("out of memory for tasks' dependences");
        parent.depends = ::new (memory) DependTable;
    }
    parent.depends->add(task, dependences, entries);
}

DependEntry* allocate_entries(Dependences dependences) {
    if (dependences.empty())
        return nullptr;
    void* const memory = std::malloc(dependences.size() * sizeof(DependEntry));
    if (memory == nullptr)
        fatal("out of memory for a task's dependences");
    return ::new (memory) DependEntry[dependences.size()];
}

// The end of a task for its children, which go on without it.
void leave_children(Task& task, ThreadTasks& tasks) {
    // acquire pairs with settle: nobody touches the task any more when it reads zero
    if (GOSSAMER_UNLIKELY(task.late_children.load(std::memory_order_acquire) != 0)) {
        Guard guard(tasks);
        for (Task* child = task.children; child != nullptr; child = child->sibling.next)
            child->parent = nullptr;
    }
    if (GOSSAMER_UNLIKELY(task.depends != nullptr))
        std::free(task.depends);
}

// True: the block is over and so is the task. False: it waits for its event.
bool block_ends(Task& task, Dependences dependences) {
    if (GOSSAMER_LIKELY(!task.detachable))
        return true;
    DependEntry* const entries = task.late ? nullptr : allocate_entries(dependences);
    {
        Guard guard(*task.home);
        if (!task.fulfilled) {
            task.block_done = true;
            if (!task.late)
                make_late(task, dependences, entries);
            return false;
        }
    }
    std::free(entries);
    return true;
}

void execute(Thread& thread, Task& task) {
    Task* const outer = thread.task;
    thread.task = &task;
    task.kind->run(task);
    leave_children(task, thread.tasks);
    thread.task = outer;
}

void discard(Task& task) {
    if (task.kind->discard != nullptr)
        task.kind->discard(task);
}

void execute_late(Thread& thread, Task& task) {
    const bool cancelled = tasks_cancelled(thread, task.generated_in);
    if (cancelled) {
        discard(task);
    } else {
        execute(thread, task);
        if (!block_ends(task, {}))
            return;
    }
    bool awaited;
    {
        Guard guard(thread.tasks);
        awaited = cancelled && task.detachable && !task.fulfilled;
        settle(thread.tasks, task);
    }
    // Nobody waits for a discarded task's event, but somebody may still fulfil it: its memory is left to
    // that.
    if (!awaited)
        free_task(task);
}

template <class Done, class Eligible>
void wait_late(Thread& thread, const Done& done, const Eligible& eligible) {
    ThreadTasks& tasks = thread.tasks;
    for (;;) {
        const std::uint32_t seen = tasks.changes.load(std::memory_order_seq_cst); // pairs with settle
        if (done())
            return;
        if (Task* const task = take_ready(tasks, eligible)) {
            execute_late(thread, *task);
        } else {
            fiber::wait_while(tasks.changes, seen);
        }
    }
}

// An implicit task may have anything executed while it waits: all that its thread has generated descends from
// it. In an explicit task only its children, so that the constraint on tied tasks holds (§12.9).
auto descendants(const Thread& thread) {
    return [current = thread.task, any = !thread.task->is_explicit](const Task& task) {
        return any || task.parent == current;
    };
}

} // namespace

void task_init(Thread& thread, Task& task, const TaskKind& kind, bool final) {
    Task& parent = *thread.task;
    task.icvs = parent.icvs;
    task.icvs.final |= final;
    task.parent = &parent;
    task.taskgroup = parent.taskgroup;
    task.generated_in = parent.taskgroup;
    task.is_explicit = true;
    task.kind = &kind;
    task.home = &thread.tasks;
}

void task_submit(Thread& thread, Task& task, Dependences dependences, bool undeferred) {
    fiber::scheduling_point();
    if (GOSSAMER_UNLIKELY(tasks_cancelled(thread, task.generated_in))) {
        discard(task);
        task.kind->dispose(task);
        return;
    }
    if (GOSSAMER_UNLIKELY(task_would_wait(thread, dependences))) {
        if (!undeferred && !task.parent->icvs.final) {
            DependEntry* const entries = allocate_entries(dependences);
            Guard guard(thread.tasks);
            make_late(task, dependences, entries);
            // The last predecessor may have completed since.
            if (task.predecessors == 0)
                push_ready(thread.tasks, task);
            return;
        }
        taskwait(thread, dependences);
    }
    execute(thread, task);
    if (block_ends(task, dependences))
        free_task(task);
}

void task_call(Thread& thread, Task& task) {
    execute(thread, task);
}

void task_begin(Thread& thread, Task& task) {
    fiber::scheduling_point();
    thread.task = &task;
}

void task_end(Thread& thread, Task& task) {
    leave_children(task, thread.tasks);
    thread.task = task.parent;
    if (block_ends(task, {}))
        free_task(task);
}

bool task_would_wait(Thread& thread, Dependences dependences) {
    const Task& parent = *thread.task;
    if (GOSSAMER_LIKELY(parent.depends == nullptr) || dependences.empty())
        return false;
    Guard guard(thread.tasks);
    return parent.depends->in_the_way(dependences);
}

void task_fulfil(Task& task) {
    ThreadTasks& tasks = *task.home;
    {
        Guard guard(tasks);
        task.fulfilled = true;
        if (!task.block_done)
            return;
        settle(tasks, task);
    }
    fiber::notify_all(tasks.changes);
    free_task(task);
}

void taskwait(Thread& thread) {
    fiber::scheduling_point();
    Task& task = *thread.task;
    // acquire pairs with settle, here and in the two below
    const auto done = [&] { return task.late_children.load(std::memory_order_acquire) == 0; };
    if (GOSSAMER_LIKELY(done()))
        return;
    wait_late(thread, done, descendants(thread));
}

void taskwait(Thread& thread, Dependences dependences) {
    fiber::scheduling_point();
    const auto done = [&] { return !task_would_wait(thread, dependences); };
    if (GOSSAMER_LIKELY(done()))
        return;
    wait_late(thread, done, descendants(thread));
}

void taskwait_nowait(Thread& thread, Dependences dependences) {
    if (!task_would_wait(thread, dependences))
        return;
    static constexpr TaskKind empty{[](Task&) {}, nullptr, [](Task& task) { std::free(&task); }};
    void* const memory = std::malloc(sizeof(Task));
    if (memory == nullptr)
        fatal("out of memory for a task");
    Task* const task = ::new (memory) Task;
    task_init(thread, *task, empty, false);
    task_submit(thread, *task, dependences, false);
}

void wait_for_group(Thread& thread, Taskgroup& group) {
    const auto done = [&] { return group.late.load(std::memory_order_acquire) == 0; };
    if (GOSSAMER_LIKELY(done()))
        return;
    const auto mine = descendants(thread);
    wait_late(thread, done, [&](const Task& task) { return mine(task) || task.generated_in == &group; });
}

void complete_late_tasks(Thread& thread) {
    const auto done = [&] { return thread.tasks.late.load(std::memory_order_acquire) == 0; };
    wait_late(thread, done, [](const Task&) { return true; });
}

void taskyield(Thread& thread) {
    fiber::scheduling_point();
    // relaxed: a hint
    if (GOSSAMER_UNLIKELY(thread.tasks.late.load(std::memory_order_relaxed) != 0)) {
        if (Task* const task = take_ready(thread.tasks, descendants(thread))) {
            execute_late(thread, *task);
            return;
        }
    }
    fiber::yield();
}

} // namespace gossamer::omp
