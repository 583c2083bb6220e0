// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/team/team_stock.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <new>
#include <utility>

#include "omp/task/depend.hpp"
#include "omp/task/wake.hpp"
#include "omp/team/member.hpp"
#include "omp/team/owner_gate.hpp"

namespace gossamer::omp {

namespace {

using OwnerGate = BasicOwnerGate<TaskFences>;

struct Class {
    SpinLock lock;
    std::atomic<Team*> first{nullptr};  // relaxed: changed under the lock; without it, only whether there is one is asked
    std::atomic<uint32_t> made{0};      // teams ever made. relaxed: a mere number
    uint32_t gathered = 0;              // how often gather_teams was needed; under `visiting`

    void put(Team& team) {
        SpinGuard guard(lock, arch::pause);
        team.next_free = first.load(std::memory_order_relaxed);
        first.store(&team, std::memory_order_relaxed);
    }

    Team* take() {
        SpinGuard guard(lock, arch::pause);
        Team* const team = first.load(std::memory_order_relaxed);
        if (team != nullptr) first.store(team->next_free, std::memory_order_relaxed);
        return team;
    }

    bool seems_empty() const { return first.load(std::memory_order_relaxed) == nullptr; }
};

constexpr std::size_t class_count = 32;
constinit Class classes[class_count];   // class c holds teams of capacity 2^c
constexpr std::size_t least_class = 3;  // of teams of more than one thread: regions of 2 to 8 threads share what there is

// The memory of a team of this class.
constexpr std::size_t team_bytes(std::size_t index) { return sizeof(Team) + (sizeof(Thread) << index); }

// How many teams of each class may lie with one carrier. More go to the stock, because others can take them from there without
// a fence.
constexpr auto most_near = [] {
    constexpr std::size_t memory = 256 * 1024, few = 8;
    std::array<uint8_t, class_count> most{};
    for (std::size_t index = 0; index < class_count; ++index)
        most[index] = static_cast<uint8_t>(std::clamp<std::size_t>(memory / team_bytes(index), 1, few));
    return most;
}();

// The teams that lie with one carrier, newest first: by class, as above. The gate's owner is the thread that runs on that
// carrier.
struct alignas(no_share) Near {
    OwnerGate gate;
    bool visited = false;  // under `visiting`
    Team* first[class_count] = {};
    std::atomic<uint32_t> count[class_count] = {};  // relaxed: for others a hint

    uint32_t counted(std::size_t index) const { return count[index].load(std::memory_order_relaxed); }

    void put(std::size_t index, Team& team) {
        team.next_free = first[index];
        first[index] = &team;
        count[index].store(counted(index) + 1, std::memory_order_relaxed);
    }

    Team* take(std::size_t index) {
        Team* const team = first[index];
        if (GOSSAMER_UNLIKELY(team == nullptr)) return nullptr;
        first[index] = team->next_free;
        count[index].store(counted(index) - 1, std::memory_order_relaxed);
        return team;
    }
};
constinit std::atomic<Near*> nears[fiber::max_carriers];  // made when first needed
constinit std::atomic<uint32_t> nears_end{0};  // above the last one's number. relaxed: who reads too little passes one over
constinit SpinLock visiting;

std::size_t class_for(uint32_t size) {
    const auto bits = static_cast<std::size_t>(std::bit_width(size - 1));
    return size == 1 ? 0 : std::max(bits, least_class);
}

// Of a carrier; null: it has none yet, or there is no carrier.
Near* near_of(uint32_t number) {
    return GOSSAMER_LIKELY(number != fiber::no_carrier) ? nears[number].load(std::memory_order_acquire) : nullptr;
}

// Makes the caller's carrier's. Null: there is no memory, or the caller runs on no carrier.
GOSSAMER_COLD Near* make_near(uint32_t number) {
    void* const memory = number != fiber::no_carrier ? std::aligned_alloc(alignof(Near), sizeof(Near)) : nullptr;
    if (memory == nullptr) return nullptr;
    TaskFences::choose();
    Near* const made = ::new (memory) Near;
    nears[number].store(made, std::memory_order_release);  // pairs with near_of and gather_teams
    uint32_t end = nears_end.load(std::memory_order_relaxed);
    while (end <= number && !nears_end.compare_exchange_weak(end, number + 1, std::memory_order_relaxed)) {}
    return made;
}

// Whether a team of this class lies with any carrier. A hint.
bool lies_near_any(std::size_t index) {
    const uint32_t end = nears_end.load(std::memory_order_relaxed);
    return std::any_of(nears, nears + end, [index](const std::atomic<Near*>& each) {
        const Near* const near = each.load(std::memory_order_acquire);  // pairs with make_near
        return near != nullptr && near->counted(index) != 0;
    });
}

Team* make_team(std::size_t index);

// Puts what lies with other carriers of this class into the stock; every fourth time a new team, until there is one for each
// that the carriers can keep to themselves besides those in use. A carrier that is at its list for long, because its native
// thread does not run, is passed over.
GOSSAMER_COLD void gather_teams(std::size_t index) {
    SpinGuard guard(visiting, os::yield_native);
    Class& mine = classes[index];
    if (!mine.seems_empty() || !lies_near_any(index)) return;
    constexpr uint32_t often = 4;
    if (++mine.gathered % often == 0 && mine.gathered <= often * most_near[index] * fiber::carrier_count()) {
        if (Team* const team = make_team(index)) {
            mine.made.fetch_add(1, std::memory_order_relaxed);
            return mine.put(*team);
        }
    }
    const uint32_t end = nears_end.load(std::memory_order_relaxed);
    for (uint32_t number = 0; number < end; ++number) {
        Near* const near = nears[number].load(std::memory_order_acquire);  // pairs with make_near
        if (near == nullptr || near->counted(index) == 0) continue;
        near->visited = true;
        near->gate.close();
    }
    TaskFences::heavy();
    for (uint32_t number = 0; number < end; ++number) {
        Near* const near = nears[number].load(std::memory_order_relaxed);  // as above
        if (near == nullptr || !near->visited) continue;
        for (int i = 0; i < 1000 && !near->gate.is_clear(); ++i) arch::pause();
        if (near->gate.is_clear()) {
            while (Team* const team = near->take(index)) classes[index].put(*team);
        }
        near->gate.open();
        near->visited = false;
    }
}

// A team that is there already, of this class or, before one is made, of one a little larger. Null: there is none.
Team* idle_team(std::size_t index) {
    constexpr std::size_t larger = 4;
    if (classes[index].seems_empty()) gather_teams(index);
    if (Team* const team = classes[index].take()) return team;
    Near* const near = near_of(fiber::carrier_number());
    const bool entered = near != nullptr && near->gate.enter();
    Team* team = nullptr;
    for (std::size_t each = index + 1; team == nullptr && each < class_count && each <= index + larger; ++each) {
        if (entered) team = near->take(each);
        if (team == nullptr) team = classes[each].take();
    }
    if (entered) near->gate.leave();
    return team;
}

// Sets all but the range's numbers. It never changes again, because the thread that has just finished a range may still look at
// it when it is offered again.
void prepare(TeamRange& range, Team& team, fiber::Range::Call call, fiber::Range::Part part) {
    range.team = &team;
    range.call = call;
    range.unfinished = &team.unfinished;
    range.last = last_member_done;
    range.part = part;
    range.record = &team.relief;
}

fiber::Range& only_part(fiber::Range& range, uint32_t) { return range; }

// Null: out of memory.
Team* make_team(std::size_t index) {
    const size_t capacity = size_t{1} << index;
    static_assert(sizeof(Team) % alignof(Thread) == 0);
    void* const memory = std::aligned_alloc(alignof(Team), team_bytes(index));
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

// Makes a team, and as many for the stock as there are of this class, within `spare_memory`. More regions run at one time than
// ever before; where their number depends on chance, that happens again and again, ever more rarely. So it costs memory a few
// times, not each time.
GOSSAMER_COLD Team* make_teams(std::size_t index) {
    constexpr size_t spare_memory = 256 * 1024;
    Team* const team = make_team(index);
    if (team == nullptr) return nullptr;
    const size_t room = spare_memory / team_bytes(index);
    const auto spare = static_cast<uint32_t>(std::min<size_t>(classes[index].made.load(std::memory_order_relaxed), room));
    uint32_t made = 1;
    while (made <= spare) {
        Team* const other = make_team(index);
        if (other == nullptr) break;
        classes[index].put(*other);
        ++made;
    }
    classes[index].made.fetch_add(made, std::memory_order_relaxed);
    return team;
}

// Frees the team, those that its threads keep, and what its threads have kept: blocks of tasks, deques.
void free_team(Team& team) {
    for (uint32_t num = 0; num < team.capacity; ++num) {
        if (Team* const child = team.threads[num].child) free_team(*child);
        if (DependTable* const table = team.threads[num].implicit.depends) DependTable::give(*table);
    }
    std::destroy_n(team.threads, team.capacity);
    team.~Team();
    std::free(&team);
}

}  // namespace

Team* take_team(uint32_t size) {
    const std::size_t index = class_for(size);
    if (index >= std::size(classes)) return nullptr;
    Team* team = idle_team(index);
    if (team != nullptr) {
        team->relief.forget();  // it was learned from another parent's regions
    } else {
        team = make_teams(index);
    }
    if (team != nullptr) team->taken_on = fiber::carrier_number();
    return team;
}

Team* take_near(uint32_t size) {
    const uint32_t number = fiber::carrier_number();
    Near* const near = near_of(number);
    const std::size_t index = class_for(size);
    if (GOSSAMER_UNLIKELY(near == nullptr || index >= class_count || !near->gate.enter())) return nullptr;
    Team* const team = near->take(index);
    near->gate.leave();
    if (GOSSAMER_LIKELY(team != nullptr)) set_if_new(team->taken_on, number);
    return team;
}

void give_near(Team& team) {
    const uint32_t number = fiber::carrier_number();
    Near* near = near_of(number);
    if (GOSSAMER_UNLIKELY(near == nullptr)) near = make_near(number);
    const std::size_t index = class_for(team.capacity);
    if (GOSSAMER_UNLIKELY(team.taken_on != number || near == nullptr || near->counted(index) >= most_near[index] ||
                          !near->gate.enter())) {
        classes[index].put(team);
        return;
    }
    near->put(index, team);
    near->gate.leave();
}

void free_teams() {
    SpinGuard guard(visiting, os::yield_native);  // a thread that is no carrier may look for a team just now (gather_teams)
    for (std::atomic<Near*>& each : nears) {
        Near* const near = each.load(std::memory_order_relaxed);  // relaxed, all: no carrier is left
        if (near == nullptr) continue;
        each.store(nullptr, std::memory_order_relaxed);
        for (Team* team : near->first) {
            while (team != nullptr) free_team(*std::exchange(team, team->next_free));
        }
        near->~Near();
        std::free(near);
    }
    for (Class& each : classes) {
        while (Team* const team = each.take()) free_team(*team);
    }
}

void forget_teams() {
    gossamer::renew(visiting);
    for (std::atomic<Near*>& each : nears) {  // relaxed, all: the child has one thread
        if (each.load(std::memory_order_relaxed) != nullptr) each.store(nullptr, std::memory_order_relaxed);
    }
    for (Class& each : classes) gossamer::renew(each);
}

void give_team(Team& team) {
    for (uint32_t num = 0; num < team.capacity; ++num) {
        if (Team* const child = team.threads[num].child) {
            team.threads[num].child = nullptr;
            give_team(*child);
        }
    }
    classes[class_for(team.capacity)].put(team);
}

}  // namespace gossamer::omp
