// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/team/team_stock.hpp"

#include <bit>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <new>
#include <utility>

#include "omp/task/wake.hpp"
#include "omp/team/member.hpp"

namespace gossamer::omp {

namespace {

struct Class {
    SpinLock lock;
    Team* first = nullptr;
};

constexpr std::size_t class_count = 32;
constinit Class classes[class_count];  // class c holds teams of capacity 2^c

// The teams that lie with one carrier, newest first: by class, as above. Touched only by the thread that runs on that carrier.
struct alignas(no_share) Near {
    // More go to the stock, half of them at once: regions that begin on one carrier and end on another must not pile up here.
    static constexpr uint32_t most = 32;

    Team* first[class_count] = {};
    uint32_t count[class_count] = {};
};
constinit std::atomic<Near*> nears[fiber::max_carriers];  // made when first needed

std::size_t class_for(uint32_t size) { return static_cast<std::size_t>(std::bit_width(size - 1)); }

// The caller's carrier's; null: it runs on none.
Near* near_here() {
    const uint32_t number = fiber::carrier_number();
    return GOSSAMER_LIKELY(number != fiber::no_carrier) ? nears[number].load(std::memory_order_acquire) : nullptr;
}

// Makes it. Null: there is no memory, or the caller runs on no carrier.
GOSSAMER_COLD Near* make_near_here() {
    const uint32_t number = fiber::carrier_number();
    if (number == fiber::no_carrier) return nullptr;
    void* const memory = std::aligned_alloc(alignof(Near), sizeof(Near));
    Near* const made = memory != nullptr ? ::new (memory) Near : nullptr;
    nears[number].store(made, std::memory_order_release);  // pairs with near_here, should another thread be that carrier later
    return made;
}

// Puts the newer half of the teams of one class into the stock.
GOSSAMER_COLD void give_half(Near& near, std::size_t index) {
    Team* const newest = near.first[index];
    Team* last = newest;
    for (uint32_t i = 1; i < Near::most / 2; ++i) last = last->next_free;
    near.first[index] = last->next_free;
    near.count[index] -= Near::most / 2;
    SpinGuard guard(classes[index].lock, arch::pause);
    last->next_free = classes[index].first;
    classes[index].first = newest;
}

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
    const std::size_t index = class_for(size);
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

Team* take_near(uint32_t size) {
    Near* const near = near_here();
    if (GOSSAMER_UNLIKELY(near == nullptr)) return nullptr;
    const std::size_t index = class_for(size);
    if (GOSSAMER_UNLIKELY(index >= class_count)) return nullptr;
    Team* const team = near->first[index];
    if (GOSSAMER_UNLIKELY(team == nullptr)) return nullptr;
    near->first[index] = team->next_free;
    --near->count[index];
    return team;
}

bool give_near(Team& team) {
    Near* near = near_here();
    if (GOSSAMER_UNLIKELY(near == nullptr)) near = make_near_here();
    if (GOSSAMER_UNLIKELY(near == nullptr)) return false;
    const std::size_t index = class_for(team.capacity);
    if (GOSSAMER_UNLIKELY(near->count[index] == Near::most)) give_half(*near, index);
    team.next_free = near->first[index];
    near->first[index] = &team;
    ++near->count[index];
    return true;
}

void free_teams() {
    for (std::atomic<Near*>& each : nears) {
        Near* const near = each.load(std::memory_order_relaxed);
        if (near == nullptr) continue;
        each.store(nullptr, std::memory_order_relaxed);
        for (Team* team : near->first) {
            while (team != nullptr) give_team(*std::exchange(team, team->next_free));
        }
        near->~Near();
        std::free(near);
    }
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
    for (std::atomic<Near*>& each : nears) {
        if (each.load(std::memory_order_relaxed) != nullptr) each.store(nullptr, std::memory_order_relaxed);
    }
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
    Class& mine = classes[class_for(team.capacity)];
    SpinGuard guard(mine.lock, arch::pause);
    team.next_free = mine.first;
    mine.first = &team;
}

}  // namespace gossamer::omp
