// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/idle.hpp"

#include <cstdlib>
#include <new>

#include "omp/task/lock_pause.hpp"
#include "omp/task/search.hpp"
#include "omp/task/second_look.hpp"
#include "omp/task/tasking.hpp"
#include "omp/team/member.hpp"
#include "omp/thread/root.hpp"

namespace gossamer::omp {

namespace {

// --- Waking.

// Resumes whoever is in the slot, as a searcher if it may execute anything. False: nobody was.
bool wake_slot_of(Team& team, std::uint32_t num, bool as_searcher) {
    ThreadTasks& tasks = team.threads[num].tasks;
    fiber::Fiber* const fiber = team.tasks.word.take_sleeper(tasks.slot, as_searcher);
    if (fiber == nullptr) return false;
    tasks.counted = as_searcher;
    fiber::resume(fiber);
    return true;
}

// A thread that sleeps in its slot and may execute a child of `parent`; null: only those that may execute anything.
bool wake_sleeper(Team& team, const Task* parent) {
    for (std::uint32_t num = 0; num < team.size; ++num) {
        ThreadTasks& tasks = team.threads[num].tasks;
        if (tasks.slot.load(std::memory_order_seq_cst) == nullptr) continue;
        const auto fits = [&] {
            const Task* const in = tasks.waits_in.load(std::memory_order_relaxed);
            return in == nullptr || (parent != nullptr && descends(parent, in));
        };
        const bool free = tasks.waits_in.load(std::memory_order_relaxed) == nullptr;
        // It may have been woken and gone to sleep again in between.
        if (fits() && wake_slot_of(team, num, free) && fits()) return true;
    }
    return false;
}

// The waiter in a slot that is not ours, as a searcher.
bool wake_plain(Team& team, std::uint32_t num, fiber::WaitSlot& slot, fiber::WaitSlot::Sleepers& count) {
    fiber::Fiber* const fiber = slot.take(count);
    if (fiber == nullptr) return false;
    team.threads[num].tasks.counted = true;
    team.tasks.word.begin_search();
    fiber::resume(fiber);
    return true;
}

// What a member that was called back runs.
void help_again(Thread& thread) {
    fiber::Fiber& fiber = *fiber::self();
    thread.fiber = &fiber;
    fiber.local = &thread;
    const bool bound = thread.team->dealing.bind != Bind::no;
    if (GOSSAMER_UNLIKELY(bound)) enter_seat(thread);
    retire(thread);
    if (GOSSAMER_UNLIKELY(bound)) fiber::leave_zone();
    fiber.local = nullptr;
}

void start_helper(void* argument) {
    Thread& thread = *static_cast<Thread*>(argument);
    Team& team = *thread.team;
    help_again(thread);
    thread.tasks.called_back.store(false, std::memory_order_relaxed);
    fiber::report_served();  // first, as Join wants it
    finish_members(team, 1);
}

// A member that has left the region comes back to help. The caller is one of the team's threads, or holds the lock of the shared
// queue with a task in it, so the region lasts.
bool call_back(Team& team) {
    const bool bound = team.dealing.bind != Bind::no;
    for (std::uint32_t num = 1; num < team.size; ++num) {
        Thread& thread = team.threads[num];
        std::uint32_t mark = team.epoch;
        if (thread.retired.load(std::memory_order_relaxed) != mark) continue;
        // acquire pairs with retire
        if (!thread.retired.compare_exchange_strong(mark, 0, std::memory_order_acquire, std::memory_order_relaxed)) continue;
        team.unfinished.fetch_add(1, std::memory_order_relaxed);
        team.tasks.word.begin_search();
        thread.tasks.counted = true;
        if (team.by_crew) thread.tasks.called_back.store(true, std::memory_order_relaxed);  // a hint
        const fiber::Start start{start_helper, &thread, &team.relief, false};
        if (team.by_crew && GOSSAMER_UNLIKELY(bound)) {
            start_bound_again(team, num, start);
        } else if (team.by_crew) {
            fiber::start_now(team.root->crew[num], start, num % fiber::carrier_count());
        } else {
            TeamRange& range = thread.helper;
            range.span.arm(num, num + 1);
            if (GOSSAMER_UNLIKELY(bound)) {
                offer_bound_again(team, num, range);
            } else if (GOSSAMER_LIKELY(fiber::is_carried())) {
                fiber::offer(range);
            } else if (!fiber::offer_outside(range)) {
                thread.tasks.counted = false;
                team.tasks.word.cancel_search();
                thread.retired.store(mark, std::memory_order_release);  // pairs with the next call
                finish_members(team, 1);
                note_second_look(team);  // one may have seen it counted
                return false;
            }
        }
        return true;
    }
    return false;
}

// Those that do not look for tasks: at the barrier, at the join, or away. True: one of them comes.
bool wake_others(Team& team) {
    if (team.barrier.anyone_sleeps()) {
        for (std::uint32_t num = 0; num < team.size; ++num) {
            if (wake_plain(team, num, team.threads[num].slot, team.barrier.sleepers)) return true;
        }
    }
    if (wake_plain(team, 0, team.joiner, team.join_sleepers)) return true;
    return call_back(team);
}

TaskCounts activate(Team& team) {
    const TaskCounts counts = team.tasks.word.activate();
    note_second_look(team);  // one that leaves just now looks without a fence
    return counts;
}

// --- Sleeping.

// A searcher has found a task.
void end_search(Thread& thread) {
    Team& team = *thread.team;
    if (!team.tasks.word.end_search()) return;
    // Those who sleep may all wait in tasks, and what lies there be for one of them.
    if (!work_visible(thread, nullptr) || !wake_for_task(team, nullptr)) note_second_look(team);
}

// What lies in the own deque and must not be executed by its owner while that waits is given to all.
void give_away(Thread& thread, Task* constraint) {
    TaskDeque* const deque = thread.tasks.deque.load(std::memory_order_relaxed);
    if (deque == nullptr || constraint == nullptr || deque->size_hint() == 0) return;
    for (;;) {
        if (Task* const oldest = deque->take_oldest()) {
            share_task(*thread.team, *oldest);
        } else if (deque->size_hint() == 0) {
            return;
        } else {
            os::yield_native();  // another thief is at it
        }
    }
}

// What lies in the deque above a task's floor descends from it. So what a task that need not descend from the current one leaves
// behind is given to all.
void execute_in_wait(Thread& thread, Task& task, Task* constraint) {
    if (GOSSAMER_LIKELY(!waits_freely(thread, constraint)) || descends(&task, thread.task, few_generations)) {
        return execute_deferred(thread, task);
    }
    const std::int64_t bottom = own_bottom(thread);
    execute_deferred(thread, task);
    TaskDeque* const deque = thread.tasks.deque.load(std::memory_order_relaxed);
    if (deque == nullptr) return;
    // Some compilers' untied tasks come back at once, before their block.
    for (std::uint32_t most = 2; Task* const left = deque->pop(bottom, os::yield_native);) {
        if (most != 0 && fits(thread, left, constraint)) {
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

    mutable std::uint32_t looks = 0;  // while it spins

    bool over() const { return done(argument); }
    bool over_or_work(Thief manner) const {
        if (TaskDeque* const own = thread.tasks.deque.load(std::memory_order_relaxed)) own->answer_thief();
        return over() || work_visible(thread, constraint, manner);
    }
    // While it spins: each look at a deque takes its line from the owner.
    static bool spins_no_more(const void* at) {
        constexpr std::uint32_t looks_a_deque = 8;
        const Wait& wait = *static_cast<const Wait*>(at);
        return wait.looks++ % looks_a_deque == 0 ? wait.over_or_work(Thief::sparing) : wait.over();
    }
};

// `gives_way`: the last look is not at others' deques; what this carrier has to do comes first.
// `searches`: the thread counts as a searcher. True: it still does. It does not once it has slept. But who turns back has seen
// work, others may sleep for whose sake nobody was woken while it searched, and it wakes one as it ends the search.
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
        note_second_look(team);  // the carrier itself looks, if it comes to nothing else
    } else {
        TaskFences::fence(std::memory_order_seq_cst);  // pairs with that of share_task; another searches
    }
    const bool turns =
        stay || (gives_way ? wait.over() || work_shared(thread, wait.constraint) : wait.over_or_work(Thief::eager));
    const bool back = turns && team.tasks.word.turn_back(mine.slot, searches);
    if (!back) {
        // What lies under something else is not to be seen; as long as anything lies there the monitor comes.
        if (wait.constraint != nullptr && work_visible(thread, nullptr)) note_second_look(team);
        fiber::suspend();  // whoever has taken it out of the slot resumes it
    }
    if (tally != nullptr) tally->elsewhere.fetch_sub(taken, std::memory_order_acquire);
    return back && searches;
}

}  // namespace

void call_helper(fiber::Range& range, std::uint32_t number, fiber::Fiber&) {
    help_again(static_cast<TeamRange&>(range).team->threads[number]);
}

SharedQueue& shared_queue(Team& team) {
    SharedQueue* queue = team.tasks.queue.load(std::memory_order_acquire);
    if (GOSSAMER_LIKELY(queue != nullptr)) return *queue;
    void* const memory = std::malloc(sizeof(SharedQueue));
    if (memory == nullptr) fatal("out of memory for a team's tasks");
    SharedQueue* const made = ::new (memory) SharedQueue;
    // release: whoever finds it sees it empty
    if (team.tasks.queue.compare_exchange_strong(queue, made, std::memory_order_acq_rel, std::memory_order_acquire)) {
        return *made;
    }
    std::free(made);
    return *queue;
}

void share_task(Team& team, Task& task) {
    task.last_thread = nullptr;  // as in steal_from
    SharedQueue& queue = shared_queue(team);
    SpinGuard guard(queue.lock, LockPause());
    queue.push(task);
    // Under the lock the task is there, and so are its ancestors and the region.
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with those of retire and sleep
    TaskCounts counts = team.tasks.word.counts(std::memory_order_seq_cst);
    if (!counts.active()) counts = activate(team);
    if (counts.sleepers() != 0 && wake_sleeper(team, task.parent.load(std::memory_order_relaxed))) return;
    if (counts.searching() == 0) wake_others(team);
}

bool wake_for_task(Team& team, Task* parent) {
    TaskCounts counts = team.tasks.word.after_push();
    if (!counts.active()) counts = activate(team);
    if (counts.searching() != 0) return true;
    if (counts.sleepers() != 0 && wake_sleeper(team, parent)) return true;
    if (!counts.maybe()) return false;
    if (wake_others(team)) return true;
    // Who sets it again from now on, behind its own mark, is there for the next task; who has set it before is seen now.
    team.tasks.word.nobody_may();
    if (!wake_others(team)) return false;
    team.tasks.word.somebody_may(std::memory_order_relaxed);
    return true;
}

bool anyone_waits_in_a_task(const Team& team) {
    for (std::uint32_t num = 0; num < team.capacity; ++num) {
        const ThreadTasks& tasks = team.threads[num].tasks;
        // relaxed, both: who comes there later leaves the team to the monitor once more
        if (tasks.slot.load(std::memory_order_relaxed) == nullptr) continue;
        if (tasks.waits_in.load(std::memory_order_relaxed) != nullptr) return true;
    }
    return false;
}

void wake_for_shared(Team& team) {
    const SharedQueue* const queue = team.tasks.queue.load(std::memory_order_acquire);  // pairs with shared_queue
    if (queue == nullptr || queue->count() == 0) return;
    for (std::uint32_t num = 0; num < team.capacity; ++num) {
        const ThreadTasks& tasks = team.threads[num].tasks;
        // relaxed: one that has just looked, or is somebody else by now, looks once more
        if (tasks.waits_in.load(std::memory_order_relaxed) == nullptr) continue;
        if (tasks.shared_seen.load(std::memory_order_relaxed) != queue->pushes()) wake_slot_of(team, num, false);
    }
}

void wake_task_sleeper(Team& team, std::uint32_t num) { wake_slot_of(team, num, false); }

void wake_all_task_sleepers(Team& team) {
    for (std::uint32_t num = 0; num < team.size && team.tasks.word.counts(std::memory_order_seq_cst).sleepers() != 0; ++num) {
        wake_slot_of(team, num, false);
    }
}

void stop_search(Thread& thread) {
    thread.tasks.counted = false;
    end_search(thread);
}

void work_until(Thread& thread, Task* constraint, Tally* tally, bool (*done)(const void*), const void* argument) {
    const Wait wait{thread, constraint, done, argument};
    bool searches = false;
    bool yielded = false;
    Thief manner = Thief::sparing;
    for (;;) {
        if (GOSSAMER_UNLIKELY(thread.tasks.counted)) {
            thread.tasks.counted = false;
            if (searches || constraint != nullptr) {
                end_search(thread);
            } else {
                searches = true;
            }
        }
        if (wait.over()) break;
        // What is ready on this carrier, siblings with tasks of their own maybe, comes before others' deques. One that was woken
        // as a searcher lets it go first, and sleeps if there is still more.
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
        give_away(thread, constraint);
        wait.looks = 0;
        if (fiber::spin_until(Wait::spins_no_more, &wait)) continue;
        // Nobody sleeps because it spares somebody.
        manner = manner == Thief::sparing && work_visible(thread, constraint) ? Thief::eager : Thief::sparing;
        if (manner == Thief::eager) continue;
        searches = sleep(wait, tally, searches, false);
    }
    if (searches) end_search(thread);
}

namespace {

// Executes tasks, and looks for more while some thread of the team may still generate them. False: it has stopped before.
GOSSAMER_COLD bool linger(Thread& thread) {
    Team& team = *thread.team;
    TeamTasks& all = team.tasks;
    all.word.begin_lingering(thread.tasks.counted);
    thread.tasks.counted = false;
    // relaxed, both: what is missed by it is found by whoever pushed it
    const auto all_linger = [&] { return members_at_work(team) <= all.word.counts(std::memory_order_relaxed).lingering(); };
    const Wait wait{thread, nullptr, [](const void* at) { return (*static_cast<const decltype(all_linger)*>(at))(); },
                    &all_linger};
    Thief manner = Thief::sparing;
    do {
        while (Task* const task = find_task(thread, nullptr, manner)) {
            manner = Thief::sparing;
            all.word.stop_lingering();
            end_search(thread);
            execute_deferred(thread, *task);
            all.word.begin_lingering(false);
        }
        if (wait.over()) break;
        manner = fiber::spin_until(Wait::spins_no_more, &wait) ? Thief::sparing : Thief::eager;
    } while (work_visible(thread, nullptr));
    const bool over = wait.over();
    all.word.end_lingering();
    return over;
}

}  // namespace

bool leave_tasks(Thread& thread) {
    Team& team = *thread.team;
    // seq_cst, both: who takes it away looks at the slots behind that
    if (!team.tasks.word.counts(std::memory_order_seq_cst).maybe()) team.tasks.word.somebody_may(std::memory_order_seq_cst);
    note_second_look(team);
    return !work_shared(thread, nullptr);  // behind a fence, which pairs with that of share_task
}

void retire(Thread& thread) {
    Team& team = *thread.team;
    const std::uint32_t epoch = thread.epoch;
    for (;;) {
        bool over = false;
        // What is ready on this carrier comes first, as in work_until.
        const bool gives_way = !thread.tasks.counted && fiber::must_give_way();
        // relaxed: a hint, there is another look below
        if (!gives_way && GOSSAMER_LIKELY(team.tasks.word.counts(std::memory_order_relaxed).active())) over = linger(thread);
        thread.retired.store(epoch, std::memory_order_release);  // pairs with call_back
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (GOSSAMER_LIKELY(!team.tasks.word.counts(std::memory_order_relaxed).active())) return;
        // seq_cst pairs with share_task's fence: it sees the mark, or we see its task
        team.tasks.word.somebody_may(std::memory_order_seq_cst);
        if (gives_way ? !work_shared(thread, nullptr) : !work_visible(thread, nullptr)) {
            if (!over) note_second_look(team);
            return;
        }
        std::uint32_t mark = epoch;
        if (!thread.retired.compare_exchange_strong(mark, 0, std::memory_order_acquire, std::memory_order_relaxed)) return;
    }
}

void TeamTasks::forget() {
    word.forget();
    forget_reductions(*this);
}

TeamTasks::~TeamTasks() {
    forget_reductions(*this);
    static_assert(std::is_trivially_destructible_v<SharedQueue>);
    std::free(queue.load(std::memory_order_relaxed));
}

}  // namespace gossamer::omp
