// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How one thread of a team is started, runs its part of the region, and reports its end.
#pragma once

#include <cstdint>

#include "omp/team/bound.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {

// The functions of a team's range (fiber::Range): runs number `number` as a plain call; wakes the primary thread once
// Team::unfinished is zero; the range that belongs to number `lo`.
void call_member(fiber::Range& range, uint32_t number, fiber::Fiber& me);
void last_member_done(fiber::Range& range);
fiber::Range& part_of_team(fiber::Range& range, uint32_t lo);

// Runs the Thread `argument` on a fiber of a root's crew.
void start_member(void* argument);

// What a thread learns about its region from the thread that starts it: Team::epoch, and what it is to run. A home gets both in
// the line of its order, and its share reads them there: their lines in the team are the primary thread's, and would each take
// a way from core to core more (docs/decisions/0041-what-differs-comes-with-the-order.md).
struct Assignment {
    uint32_t epoch;
    StructuredBlock block;
};

inline Assignment assignment_of(const Team& team) { return {team.epoch, team.region.block()}; }

// What starts number `num` on its fiber of the crew.
inline fiber::Start start_of(Team& team, uint32_t num, bool apart, const Assignment& all) {
    const StructuredBlock& block = all.block;
    return {start_member, &team.threads[num], &team.relief,
            apart,        all.epoch,          {reinterpret_cast<void*>(block.body), block.function, block.data}};
}

// What the thread that runs on `home`, or was started there, is to run.
inline StructuredBlock block_of(const fiber::Fiber& home) {
    void* const* const words = fiber::words_of(home);
    return {reinterpret_cast<Body>(words[0]), words[1], words[2]};
}

// Starts the share of number `num`, the primary thread or one that runs on a home, of a team that is dealt: the numbers n with
// n % homes == num, or, if the team is bound, those that posts.hpp says. They start on the caller's carrier, and a home reports
// only when its whole share has finished. So a region of any width moves one line to each carrier and back. True: some are
// queued, and the caller has yet to wake carriers for them.
bool start_share(Team& team, uint32_t num, const Assignment& all);

// Whether the homes of a team start each other (fork_tree.hpp). With few homes the primary thread is as quick; and where one of
// them is likely to begin late, those that it starts should not.
template <class CarrierOf>
bool may_start_each_other(uint32_t homes, const CarrierOf& carrier_of) {
    constexpr uint32_t fewest = 12;
    if (GOSSAMER_UNLIKELY(fiber::mode_is_on(fiber::mode_chaos))) return true;
    return GOSSAMER_UNLIKELY(homes >= fewest) && fiber::are_at_hand(homes, carrier_of);
}

// Starts the homes that number `num`, the primary thread or one that runs on a home, is to start in a team whose homes start
// each other. `Team::homes` is set. True: there are any, and the caller has yet to wake those that sleep.
bool start_homes(Team& team, uint32_t num, const Assignment& all);

// Gives a thread's implicit task what it begins with. A thread that has run a region of this team before, and has left
// everything as it was, does not need it: Thread::begun_as tells.
GOSSAMER_NOINLINE void renew_member(Thread& thread);

// Makes the caller's fiber run as `thread`, at the start of its implicit task. `team`: the thread's; `epoch`: Team::epoch.
inline void begin_member(const Team& team, Thread& thread, fiber::Fiber& fiber, uint32_t epoch) {
    thread.fiber = &fiber;
    thread.epoch = epoch;
    fiber.local = &thread;
    if (GOSSAMER_UNLIKELY(thread.begun_as != team.begins_as)) renew_member(thread);
}

// Reports `count` threads of the team as finished, none of which runs on a home or in a home's share. Afterwards the team is
// touched only if they were the last, and only to wake the primary thread. Never suspends.
void finish_members(Team& team, uint32_t count);

// How many threads have not come to the end of the region, or were called back. A hint; where homes start each other, one that
// nobody has started yet is not counted.
uint32_t members_at_work(const Team& team);

}  // namespace gossamer::omp
