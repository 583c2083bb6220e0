// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/team/member.hpp"

#include "omp/task/idle.hpp"

namespace gossamer::omp {

namespace {

void run_member(Thread& thread) {
    fiber::Fiber& fiber = *fiber::self();
    begin_member(thread, fiber);
    const Region region = thread.team->region;
    region.body(thread, region.data);
    finish_tasks(thread);
    const bool bound = thread.team->dealing.bind != Bind::no;
    retire(thread);
    if (GOSSAMER_UNLIKELY(bound)) fiber::leave_zone();
    fiber.local = nullptr;
}

}  // namespace

void call_member(fiber::Range& range, uint32_t number) {
    run_member(static_cast<TeamRange&>(range).team->threads[number]);
}

void members_done(fiber::Range& range, uint32_t count) { finish_members(*static_cast<TeamRange&>(range).team, count); }

fiber::Range& part_of_team(fiber::Range& range, uint32_t lo) {
    return static_cast<TeamRange&>(range).team->threads[lo].range;
}

void start_member(void* argument) {
    Thread& thread = *static_cast<Thread*>(argument);
    Team& team = *thread.team;
    run_member(thread);
    finish_members(team, 1);
}

bool finish_members(Team& team, uint32_t count) {
    // acq_rel: what each thread did happens before the primary thread goes on. seq_cst pairs with wait_slot's increment.
    if (team.unfinished.fetch_sub(count, std::memory_order_seq_cst) != count) return false;
    if (team.join_sleepers.load(std::memory_order_seq_cst) != 0) fiber::wake_slot(team.joiner, team.join_sleepers);
    if (GOSSAMER_UNLIKELY(tasks_are_active(team))) wake_task_sleeper(team, 0);
    return true;
}

}  // namespace gossamer::omp
