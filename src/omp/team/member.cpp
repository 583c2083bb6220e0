// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/team/member.hpp"

#include "omp/affinity/affinity.hpp"
#include "omp/task/idle.hpp"
#include "omp/task/wake.hpp"
#include "omp/team/fork_tree.hpp"
#include "omp/thread/root.hpp"

namespace gossamer::omp {

namespace {

// `retire` (task/idle.hpp), inline for a team without tasks.
GOSSAMER_INLINE void retire_member(Thread& thread, const Team& team) {
    uint32_t mark = thread.epoch;
    thread.retired.store(mark, std::memory_order_release);  // pairs with call_back
    std::atomic_signal_fence(std::memory_order_seq_cst);    // pairs with the heavy fence of a second look
    if (GOSSAMER_LIKELY(!team.tasks.word.counts(std::memory_order_relaxed).active())) return;
    // acquire pairs with call_back; on failure the member that call_back started sees to the rest
    if (thread.retired.compare_exchange_strong(mark, 0, std::memory_order_acquire, std::memory_order_relaxed)) retire(thread);
}

// A home waits for the threads that it has started. They may be in tasks that wait for others, so it executes tasks meanwhile.
// A thread that pushes the first one disturbs it.
GOSSAMER_INLINE void await_share(const Team& team, Thread& thread) {
    const auto over = [&thread] { return thread.share.load(std::memory_order_acquire) == 0; };  // acquire pairs with count_down
    // relaxed: await_zero orders it, which pairs with activate (task/wake.cpp)
    const auto active = [](const void* in) {
        return static_cast<const Team*>(in)->tasks.word.counts(std::memory_order_relaxed).active();
    };
    while (!over()) {
        if (GOSSAMER_UNLIKELY(active(&team))) return work_until(thread, nullptr, nullptr, over);
        fiber::await_zero(thread.share, active, &team);
    }
}

GOSSAMER_INLINE void run_member(const Team& team, Thread& thread, fiber::Fiber& fiber, const Assignment& mine,
                                bool has_share = false) {
    begin_member(team, thread, fiber, mine.epoch);
    mine.block.run(thread);
    finish_tasks(thread);
    // Before retire_member: a member that waits must not be called back.
    if (has_share) await_share(team, thread);
    retire_member(thread, team);
    if (GOSSAMER_UNLIKELY(team.dealing.bind != Bind::no)) fiber::leave_zone();
    fiber.local = nullptr;
}

void wake_primary(Team& team) {
    if (team.join_sleepers.load(std::memory_order_seq_cst) != 0) fiber::wake_slot(team.joiner, team.join_sleepers);
    if (GOSSAMER_UNLIKELY(tasks_are_active(team))) wake_task_sleeper(team, 0);
}

}  // namespace

void renew_member(Thread& thread) {
    const Team& team = *thread.team;
    if ((thread.begun_as & Thread::worked) != 0) thread.work.reset();
    thread.begun_as &= ~Thread::worked;
    const bool bound = team.dealing.bind != Bind::no;
    if (GOSSAMER_UNLIKELY(bound)) enter_seat(thread);
    const uint32_t as = team.begins_as & ~Team::seated;
    if (GOSSAMER_LIKELY(thread.begun_as == as)) return;
    thread.task = &thread.implicit;
    thread.implicit.icvs = team.icvs;
    thread.implicit.taskgroup = nullptr;
    thread.begun_as = as;
    if (bound) take_partition(thread);
    if (team.displays_affinity) display_affinity({}, thread);
}

void call_member(fiber::Range& range, uint32_t number, fiber::Fiber& me) {
    Team& team = *static_cast<TeamRange&>(range).team;
    run_member(team, team.threads[number], me, assignment_of(team));
}

void last_member_done(fiber::Range& range) { wake_primary(*static_cast<TeamRange&>(range).team); }

fiber::Range& part_of_team(fiber::Range& range, uint32_t lo) { return static_cast<TeamRange&>(range).team->threads[lo].range; }

bool start_share(Team& team, uint32_t num, const Assignment& all) {
    if (GOSSAMER_UNLIKELY(team.dealing.bind != Bind::no)) {
        start_bound_share(team, num, all);
        return false;
    }
    bool queued = false;
    fiber::Start what = start_of(team, 0, false, all);
    for (uint32_t each = num + team.homes; each < team.size; each += team.homes) {
        what.argument = &team.threads[each];
        queued |= fiber::start(team.root->crew[each], what, num == 0 ? fiber::near_caller : num);
    }
    return queued;
}

bool start_homes(Team& team, uint32_t num, const Assignment& all) {
    const bool bound = team.dealing.bind != Bind::no;
    fiber::Start what = start_of(team, 0, false, all);
    return for_each_child(GOSSAMER_UNLIKELY(bound) ? team.root->bound.posts[num].at : num, team.homes, [&](uint32_t child) {
        if (GOSSAMER_UNLIKELY(bound)) return start_bound_home(team, child, all);
        what.argument = &team.threads[child];
        fiber::start(team.root->crew[child], what, child);
    });
}

namespace {

// What a thread of a level-1 team does besides its own part, and to whom it reports. It is read before the thread runs its
// part: afterwards the team may be at its next region.
struct Duty {
    bool at_home;
    uint32_t share;            // at home: how many threads it starts
    uint32_t starter;          // elsewhere: the number of the thread that has started this one; 0: the primary thread
    const fiber::Fiber* home;  // the starter's home
};

GOSSAMER_INLINE Duty duty_of(const Team& team, uint32_t num) {
    const Root& root = *team.root;
    if (GOSSAMER_UNLIKELY(team.dealing.bind != Bind::no)) {
        const Post& post = root.bound.posts[num];
        const uint32_t starter = team.dealt ? post.starter : 0;
        return {post.home != 0, team.dealt ? post.share : 0, starter, starter != 0 ? root.bound.fibers[starter] : nullptr};
    }
    if (num < team.homes) return {true, team.dealt ? (team.size - 1 - num) / team.homes : 0, 0, nullptr};
    const uint32_t starter = team.dealt ? num % team.homes : 0;
    return {false, 0, starter, root.crew[starter]};
}

}  // namespace

void start_member(void* argument) {
    Thread& thread = *static_cast<Thread*>(argument);
    Team& team = *thread.team;
    const uint32_t epoch = fiber::started_tag();
    const Duty duty = duty_of(team, thread.num);
    if (!duty.at_home) {
        const Assignment mine{epoch, duty.starter != 0 ? block_of(*duty.home) : team.region.block()};
        run_member(team, thread, *fiber::self(), mine);
        if (duty.starter == 0) return finish_members(team, 1);
        const bool last = fiber::count_down(team.threads[duty.starter].share, *duty.home);
        if (last && GOSSAMER_UNLIKELY(tasks_are_active(team))) wake_task_sleeper(team, duty.starter);
        return;
    }
    const Assignment mine{epoch, block_of(*fiber::self())};
    if (team.by_tree && start_homes(team, thread.num, mine)) {
        // One may have gone to sleep since the region began.
        team.dealing.bind == Bind::no ? fiber::wake_started(team.homes, team.homes, false) : wake_bound_homes(team);
        fiber::note_decision();
    }
    if (duty.share != 0) {
        thread.share.store(duty.share, std::memory_order_relaxed);  // starting the threads publishes it
        if (start_share(team, thread.num, mine)) fiber::wake_started(0, 0, true);
    }
    if (mine.block.data == team.words) fiber::read_early(team.words);  // and so will the next region's, probably
    run_member(team, thread, *fiber::self(), mine, duty.share != 0);
    // A home cannot know whether it is the last, so each home wakes a primary thread that sleeps.
    fiber::report_served();
    wake_primary(team);
}

void finish_members(Team& team, uint32_t count) {
    // Release: what each thread did happens before the primary thread, whose look acquires, goes on (Join::over). seq_cst pairs
    // with wait_slot's increment of join_sleepers.
    if (team.unfinished.fetch_sub(count, std::memory_order_seq_cst) == count) wake_primary(team);
}

uint32_t members_at_work(const Team& team) {
    // relaxed, all: a hint
    uint32_t count = team.unfinished.load(std::memory_order_relaxed);
    if (team.left.load(std::memory_order_relaxed) != team.epoch) ++count;
    const bool bound = team.dealing.bind != Bind::no;
    for (uint32_t at = 1; at < team.homes; ++at) {
        const uint32_t num = bound ? team.root->bound.numbers[at] : at;
        if (fiber::has_served(bound ? *team.root->bound.at_home[at] : *team.root->crew[at])) continue;
        const Thread& home = team.threads[num];
        count += home.share.load(std::memory_order_relaxed);
        if (!home.tasks.called_back.load(std::memory_order_relaxed)) ++count;
    }
    return count;
}

}  // namespace gossamer::omp
