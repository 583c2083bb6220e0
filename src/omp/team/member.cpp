// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/team/member.hpp"

#include "omp/task/idle.hpp"
#include "omp/thread/root.hpp"

namespace gossamer::omp {

namespace {

void run_member(Thread& thread, uint32_t epoch) {
    fiber::Fiber& fiber = *fiber::self();
    begin_member(thread, fiber, epoch);
    const Region& region = thread.team->region;
    region.body(thread, region.data);
    finish_tasks(thread);
    const bool bound = thread.team->dealing.bind != Bind::no;
    retire(thread);
    if (GOSSAMER_UNLIKELY(bound)) fiber::leave_zone();
    fiber.local = nullptr;
}

void wake_primary(Team& team) {
    if (team.join_sleepers.load(std::memory_order_seq_cst) != 0) fiber::wake_slot(team.joiner, team.join_sleepers);
    if (GOSSAMER_UNLIKELY(tasks_are_active(team))) wake_task_sleeper(team, 0);
}

}  // namespace

void call_member(fiber::Range& range, uint32_t number) {
    Team& team = *static_cast<TeamRange&>(range).team;
    run_member(team.threads[number], team.epoch);
}

void members_done(fiber::Range& range, uint32_t count) { finish_members(*static_cast<TeamRange&>(range).team, count); }

fiber::Range& part_of_team(fiber::Range& range, uint32_t lo) {
    return static_cast<TeamRange&>(range).team->threads[lo].range;
}

void start_member(void* argument) {
    Thread& thread = *static_cast<Thread*>(argument);
    Team& team = *thread.team;
    const bool at_home = thread.num < team.homes;  // read before: afterwards the team may be at its next region
    run_member(thread, fiber::started_tag());
    if (!at_home) return finish_members(team, 1);
    // Nobody knows whether it is the last one, so each wakes a primary thread that sleeps.
    fiber::report_served();
    wake_primary(team);
}

void finish_members(Team& team, uint32_t count) {
    // acq_rel: what each thread did happens before the primary thread goes on. seq_cst pairs with wait_slot's increment.
    if (team.unfinished.fetch_sub(count, std::memory_order_seq_cst) == count) wake_primary(team);
}

uint32_t members_at_work(const Team& team) {
    // relaxed, all: a hint
    uint32_t count = team.unfinished.load(std::memory_order_relaxed);
    if (team.threads[0].retired.load(std::memory_order_relaxed) != team.epoch) ++count;
    for (uint32_t num = 1; num < team.homes; ++num) count += fiber::has_served(*team.root->crew[num]) ? 0 : 1;
    return count;
}

}  // namespace gossamer::omp
