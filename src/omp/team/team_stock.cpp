// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/team/team_stock.hpp"

#include <bit>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <new>

#include "omp/task/wake.hpp"
#include "omp/team/member.hpp"

namespace gossamer::omp {

namespace {

struct Class {
    SpinLock lock;
    Team* first = nullptr;
};

constinit Class classes[32];  // class c holds teams of capacity 2^c

// Sets all but the range's numbers. It never changes again, because the thread that has just finished a range may still look at
// it when it is offered again.
void prepare(TeamRange& range, Team& team, fiber::Range::Call call, fiber::Range::Part part) {
    range.team = &team;
    range.call = call;
    range.done = members_done;
    range.part = part;
    range.record = &team.relief;
}

fiber::Range& only_part(fiber::Range& range, uint32_t) { return range; }

}  // namespace

Team* take_team(uint32_t size) {
    const uint32_t index = static_cast<uint32_t>(std::bit_width(size - 1));
    if (index >= std::size(classes)) return nullptr;
    Class& mine = classes[index];
    {
        SpinGuard guard(mine.lock, arch::pause);
        if (Team* const team = mine.first) {
            mine.first = team->next_free;
            team->relief.forget();  // it was learned from another parent's regions
            return team;
        }
    }
    const size_t capacity = size_t{1} << index;
    static_assert(sizeof(Team) % alignof(Thread) == 0);
    void* const memory = std::aligned_alloc(alignof(Team), sizeof(Team) + capacity * sizeof(Thread));
    if (memory == nullptr) return nullptr;
    Team* const team = ::new (memory) Team;
    team->capacity = static_cast<uint32_t>(capacity);
    team->threads = reinterpret_cast<Thread*>(team + 1);
    for (uint32_t num = 0; num < team->capacity; ++num) {
        Thread* const thread = ::new (team->threads + num) Thread;
        thread->team = team;
        thread->num = num;
        thread->implicit.team = team;
        thread->implicit.executor.store(thread, std::memory_order_relaxed);  // for ever; the team publishes it like the rest
        prepare(thread->range, *team, call_member, part_of_team);
        prepare(thread->helper, *team, call_helper, only_part);
    }
    return team;
}

void free_teams() {
    for (Class& each : classes) {
        SpinGuard guard(each.lock, arch::pause);
        while (Team* const team = each.first) {
            each.first = team->next_free;
            std::destroy_n(team->threads, team->capacity);  // frees what threads have kept: blocks of tasks, deques
            team->~Team();
            std::free(team);
        }
    }
}

void forget_teams() {
    for (Class& each : classes) {
        each.~Class();
        ::new (&each) Class;
    }
}

void give_team(Team& team) {
    for (uint32_t num = 0; num < team.capacity; ++num) {
        if (Team* const child = team.threads[num].child) {
            team.threads[num].child = nullptr;
            give_team(*child);
        }
    }
    Class& mine = classes[std::bit_width(team.capacity - 1)];
    SpinGuard guard(mine.lock, arch::pause);
    team.next_free = mine.first;
    mine.first = &team;
}

}  // namespace gossamer::omp
