// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/idle.hpp"

#include <algorithm>

#include "omp/task/search.hpp"
#include "omp/task/second_look.hpp"
#include "omp/task/tasking.hpp"
#include "omp/task/wake.hpp"
#include "omp/team/member.hpp"

namespace gossamer::omp {

namespace {

// `thread` has stopped searching, as the last one, while there may be a thread to be woken for the tasks that are left.
void pass_search_on(Thread& thread) {
    Team& team = *thread.team;
    if (work_visible(thread, nullptr) && wake_for_task(team, nullptr)) return;
    // The sleepers may all wait in tasks, and what is left may be for one of them only.
    const bool some = team.tasks.word.counts(std::memory_order_relaxed).sleepers() != 0;
    request_second_look(team, some ? SecondLook::soon : SecondLook::later);
}

// `thread` stops searching, because it has found a task or because its wait is over.
void end_search(Thread& thread) {
    if (thread.team->tasks.word.end_search()) pass_search_on(thread);
}

// Moves to the shared queue what lies in the thread's own deque and the thread must not execute while it waits.
void share_own_tasks(Thread& thread, Task* constraint) {
    TaskDeque* const deque = thread.tasks.deque.load(std::memory_order_relaxed);
    if (deque == nullptr || constraint == nullptr || deque->size_hint() == 0) return;
    for (;;) {
        if (Task* const oldest = deque->take_oldest()) {
            share_task(*thread.team, *oldest);
        } else if (deque->size_hint() == 0) {
            return;
        } else {
            os::yield_native();  // a thief holds the lock
        }
    }
}

// Whatever lies in the deque above a task's floor must descend from that task. So what `task` leaves behind there is executed
// or shared at once, if `task` itself need not descend from the current one.
void execute_in_wait(Thread& thread, Task& task, Task* constraint) {
    if (GOSSAMER_LIKELY(!waits_freely(thread, constraint)) || descends_from(&task, thread.task, few_generations)) {
        return execute_deferred(thread, task);
    }
    const std::int64_t bottom = own_bottom(thread);
    execute_deferred(thread, task);
    TaskDeque* const deque = thread.tasks.deque.load(std::memory_order_relaxed);
    if (deque == nullptr) return;
    // Some compilers let an untied task return once before it has executed its block.
    for (std::uint32_t most = 2; Task* const left = deque->pop(bottom, os::yield_native);) {
        if (most != 0 && may_begin(thread, left, constraint)) {
            --most;
            execute_deferred(thread, *left);
        } else {
            share_task(*thread.team, *left);
        }
    }
}

struct Wait {
    Thread& thread;
    Task* constraint;
    bool (*done)(const void*);
    const void* argument;

    mutable std::uint32_t looks = 0;  // since the spin began

    bool over() const { return done(argument); }
    bool over_or_work(Thief manner) const {
        if (TaskDeque* const own = thread.tasks.deque.load(std::memory_order_relaxed)) own->answer_thief();
        return over() || work_visible(thread, constraint, manner);
    }
    // Looks at deques only now and then: each look takes a line from the deque's owner.
    static bool stops_spinning(const void* at) {
        const Wait& wait = *static_cast<const Wait*>(at);
        const std::uint32_t looks_a_round = looks_a_victim * std::min(few_victims, wait.thread.team->size);
        return wait.looks++ % looks_a_round == 0 ? wait.over_or_work(Thief::sparing) : wait.over();
    }
};

// Sleeps once, unless a last look finds that the wait is over or that there is work. `searches`: the thread counts as a
// searcher; returned: whether it still does, which it does only if it has not slept. Then it has seen work, and pushers may
// have woken nobody because it searched; so it has to wake another thread as it ends its search. `gives_way`: other work on the
// carrier comes first, and the last look is at the shared queue only.
bool sleep(const Wait& wait, Tally* tally, bool searches, bool gives_way) {
    Thread& thread = wait.thread;
    Team& team = *thread.team;
    ThreadTasks& mine = thread.tasks;
    mine.waits_in.store(wait.constraint, std::memory_order_relaxed);  // the slot publishes it
    const bool alone = team.tasks.word.fall_asleep(mine.slot, fiber::self(), searches);
    std::int64_t taken = 0;
    bool stay = false;
    if (tally != nullptr) {
        taken = (thread.num + 1) * Tally::waiter_unit - 2 * tally->here;
        // acq_rel pairs with count_off
        stay = tally->elsewhere.fetch_add(taken, std::memory_order_acq_rel) == 2 * tally->here;
    }
    if (alone || gives_way) {
        request_second_look(team, SecondLook::later);  // this carrier looks itself, if it finds nothing else to run
    } else {
        TaskFences::fence(std::memory_order_seq_cst);  // pairs with share_task; the thread that searches looks for pushes
    }
    const bool turns =
        stay || (gives_way ? wait.over() || work_shared(thread, wait.constraint) : wait.over_or_work(Thief::eager));
    const bool back = turns && team.tasks.word.turn_back(mine.slot, searches);
    if (!back) {
        // A task that lies under another one in a deque cannot be seen; the monitor digs
        // for it as long as any task lies anywhere.
        if (wait.constraint != nullptr && work_visible(thread, nullptr)) request_second_look(team, SecondLook::soon);
        fiber::suspend();  // the thread that took this one out of the slot resumes it
    }
    if (tally != nullptr) tally->elsewhere.fetch_sub(taken, std::memory_order_acquire);
    return back && searches;
}

}  // namespace

void stop_search(Thread& thread) {
    thread.counted = false;
    end_search(thread);
}

void work_until(Thread& thread, Task* constraint, Tally* tally, bool (*done)(const void*), const void* argument) {
    const Wait wait{thread, constraint, done, argument};
    bool searches = false;
    bool yielded = false;
    Thief manner = Thief::sparing;
    for (;;) {
        if (GOSSAMER_UNLIKELY(thread.counted)) {
            thread.counted = false;
            if (searches || constraint != nullptr) {
                end_search(thread);
            } else {
                searches = true;
            }
        }
        if (wait.over()) break;
        // What is ready on this carrier, maybe siblings with tasks of their own, comes before other threads' deques. A thread
        // that was woken as a searcher yields once, and sleeps if there is still more.
        const bool gives_way = constraint == nullptr && fiber::must_give_way();
        if (Task* const task = find_task(thread, constraint, gives_way ? Thief::none : manner)) {
            manner = Thief::sparing;
            yielded = false;
            if (searches) {
                searches = false;
                end_search(thread);
            }
            execute_in_wait(thread, *task, constraint);
            continue;
        }
        if (gives_way) {
            yielded = searches && !yielded && fiber::yield();
            if (!yielded) searches = sleep(wait, tally, searches, true);
            continue;
        }
        if (!searches && constraint == nullptr) {
            searches = true;
            thread.team->tasks.word.begin_search();
        }
        share_own_tasks(thread, constraint);
        wait.looks = 0;
        if (fiber::spin_until(Wait::stops_spinning, &wait)) continue;
        // No thread sleeps because it spares a victim.
        manner = manner == Thief::sparing && work_visible(thread, constraint) ? Thief::eager : Thief::sparing;
        if (manner == Thief::eager) continue;
        searches = sleep(wait, tally, searches, false);
    }
    if (searches) end_search(thread);
}

bool leave_tasks(Thread& thread) {
    Team& team = *thread.team;
    // seq_cst, both: wake_for_task takes the bit away and then looks at the slots
    if (!team.tasks.word.counts(std::memory_order_seq_cst).maybe()) team.tasks.word.somebody_may(std::memory_order_seq_cst);
    request_second_look(team, SecondLook::later);
    return !work_shared(thread, nullptr);  // behind request_second_look's fence, which pairs with share_task's
}

namespace {

// Whether every member that has not finished lingers. relaxed, all: a thread that pushes a task later finds those that linger,
// or calls a member back.
struct AllLinger {
    const Team& team;
    mutable uint32_t looks = 0;

    uint32_t lingering() const { return team.tasks.word.counts(std::memory_order_relaxed).lingering(); }
    bool now() const { return members_at_work(team) <= lingering(); }

    // The same for a thread that spins. To count the members at work takes a look at the line of each home, which is looked at
    // no more often in a large team than in one of two; and mostly the count is not needed. The primary thread does not linger.
    bool spinning() const {
        if (team.left.load(std::memory_order_relaxed) != team.epoch) return false;
        return lingering() >= team.size - 1 || (++looks % team.homes == 0 && now());
    }
};

// Executes tasks while some thread of the team may still generate more. True: every unfinished member lingers; false: this one
// stopped before that.
GOSSAMER_COLD bool linger(Thread& thread) {
    Team& team = *thread.team;
    TeamTasks& all = team.tasks;
    all.word.begin_lingering(thread.counted);
    thread.counted = false;
    const AllLinger all_linger{team};
    const Wait wait{thread, nullptr, [](const void* at) { return static_cast<const AllLinger*>(at)->spinning(); }, &all_linger};
    bool lingers = true;  // all pushers read the word, so it changes once for what the thread has stolen, not for each task
    Thief manner = Thief::sparing;
    do {
        while (Task* const task = find_task(thread, nullptr, manner)) {
            manner = Thief::sparing;
            if (lingers && all.word.stop_lingering()) pass_search_on(thread);
            lingers = false;
            execute_deferred(thread, *task);
        }
        if (!lingers) all.word.begin_lingering(false);
        lingers = true;
        if (all_linger.now()) break;
        wait.looks = 0;
        manner = fiber::spin_until(Wait::stops_spinning, &wait) ? Thief::sparing : Thief::eager;
    } while (work_visible(thread, nullptr));
    const bool over = all_linger.now();
    all.word.end_lingering();
    return over;
}

}  // namespace

void retire(Thread& thread) {
    Team& team = *thread.team;
    const std::uint32_t epoch = thread.epoch;
    for (;;) {
        bool over = false;
        // What is ready on this carrier comes first, as in work_until.
        const bool gives_way = !thread.counted && fiber::must_give_way();
        // relaxed: a hint, the look below decides
        if (!gives_way && GOSSAMER_LIKELY(team.tasks.word.counts(std::memory_order_relaxed).active())) over = linger(thread);
        thread.retired.store(epoch, std::memory_order_release);  // pairs with call_back
        std::atomic_signal_fence(std::memory_order_seq_cst);     // pairs with the heavy fence of a second look
        if (GOSSAMER_LIKELY(!team.tasks.word.counts(std::memory_order_relaxed).active())) return;
        // seq_cst pairs with share_task's fence: share_task sees the mark, or this thread sees the task
        team.tasks.word.somebody_may(std::memory_order_seq_cst);
        if (gives_way ? !work_shared(thread, nullptr) : !work_visible(thread, nullptr)) {
            if (!over) request_second_look(team, SecondLook::later);
            return;
        }
        std::uint32_t mark = epoch;
        // acquire pairs with call_back; on failure the member that call_back started sees to the rest
        if (!thread.retired.compare_exchange_strong(mark, 0, std::memory_order_acquire, std::memory_order_relaxed)) return;
    }
}

}  // namespace gossamer::omp
