// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/team/bound.hpp"

#include <cstdlib>

#include "omp/affinity/places.hpp"
#include "omp/team/member.hpp"
#include "omp/thread/root.hpp"

namespace gossamer::omp {

namespace {

constinit std::atomic<uint32_t> roots_placed{0};

os::CpuMask cpus_of(uint32_t zone) {
    if (zone == 0) return os::startup_cpus();
    os::CpuMask mask;
    for (const uint16_t cpu : places().cpus(zone - 1)) mask.add(cpu);
    return mask;
}

int bind_to(uint32_t zone) { return os::bind_affinity(cpus_of(zone)); }

int bind_thread_to(pthread_t thread, uint32_t zone) { return os::bind_thread(thread, cpus_of(zone)); }

// Carriers are dealt to places in turn, to each as many as it has processors: the first round covers most of the machine.
uint32_t zone_of_carrier(uint32_t carrier) {
    const PlaceList& list = places();
    for (uint32_t round = 0;; ++round) {
        bool any = false;
        for (uint32_t place = 0; place < list.size(); ++place) {
            if (list.cpus(place).size() <= round) continue;
            any = true;
            if (carrier-- == 0) return place + 1;
        }
        if (!any) return carrier % list.size() + 1;  // more carriers than processors
    }
}

// Of carriers, by the first processor of their places.
struct Location {
    unsigned groups[4];  // core, cache, memory node, socket
};
constinit Location* locations = nullptr;

void locate(uint32_t carriers) {
    locations = static_cast<Location*>(std::malloc(carriers * sizeof(Location)));
    for (uint32_t carrier = 0; locations != nullptr && carrier < carriers; ++carrier) {
        const unsigned cpu = places().cpus(zone_of_carrier(carrier) - 1)[0];
        constexpr os::Domain domains[] = {os::Domain::core, os::Domain::last_cache, os::Domain::numa_node, os::Domain::socket};
        for (uint32_t level = 0; level < 4; ++level) locations[carrier].groups[level] = os::group_of(domains[level], cpu);
    }
}

uint32_t distance(uint32_t carrier, uint32_t other) {
    for (uint32_t level = 0; level < 4; ++level) {
        if (locations[carrier].groups[level] == locations[other].groups[level]) return level;
    }
    return 4;
}

bool binds(Bind bind) { return bind != Bind::no && bind != Bind::unset; }

// A root's first bound region binds its native thread for good, or, if the user wants it free behind each, for as long as the
// region lasts: the first root's to the first place, the next one's to the next.
void place_root(Root& root) {
    if (root.bound.zone == 0) {
        const uint32_t ordinal = roots_placed.fetch_add(1, std::memory_order_relaxed);
        root.bound.zone = ordinal % places().size() + 1;
    }
    fiber::enter_zone(root.bound.zone);
}

// Finds who runs each number: a worker's home in its place, else one whose place has no worker of its own, else a fiber of
// the root's crew. False: there are not enough fibers.
bool choose_crew(Root& root, const Dealing& dealing) {
    BoundCrew& bound = root.bound;
    if (bound.capacity < dealing.threads) {
        void* const grown = std::realloc(bound.fibers, dealing.threads * sizeof(fiber::Fiber*));
        if (grown == nullptr) return false;
        bound.fibers = static_cast<fiber::Fiber**>(grown);
        bound.capacity = dealing.threads;
    }
    bound.dealing = {};
    const uint32_t carriers = fiber::carrier_count();
    if (muster(root, 2) < 2) return false;
    const uint32_t homes = root.owns_homes ? carriers : 1;
    auto* const taken = static_cast<uint16_t*>(std::malloc(2 * homes * sizeof(uint16_t)));
    if (taken == nullptr) return false;
    uint16_t* const zones = taken + homes;
    for (uint32_t home = 1; home < homes; ++home) {
        taken[home] = 0;
        zones[home] = static_cast<uint16_t>(zone_of_carrier(home) - 1);
    }
    const auto take_home = [&](uint32_t num, auto&& fits) {
        for (uint32_t home = 1; home < homes; ++home) {
            if (taken[home] != 0 || !fits(home)) continue;
            taken[home] = 1;
            bound.fibers[num] = fiber::worker_home(home);
            return true;
        }
        return false;
    };
    uint32_t others = 0;
    for (uint32_t num = 1; num < dealing.threads; ++num) {
        const uint16_t place = seat_of(dealing, num).place;
        if (take_home(num, [&](uint32_t home) { return zones[home] == place; })) continue;
        bound.fibers[num] = nullptr;
        ++others;
    }
    for (uint32_t num = 1; num < dealing.threads && others > 0; ++num) {
        if (bound.fibers[num] != nullptr) continue;
        const uint16_t place = seat_of(dealing, num).place;
        bool served = place == dealing.parent;
        for (uint32_t home = 1; home < homes; ++home) served |= zones[home] == place;
        if (!served && take_home(num, [](uint32_t) { return true; })) --others;
    }
    std::free(taken);
    if (others != 0 && muster(root, homes + others) < homes + others) return false;
    uint32_t next = homes;
    for (uint32_t num = 1; num < dealing.threads; ++num) {
        if (bound.fibers[num] == nullptr) bound.fibers[num] = root.crew[next++];
    }
    bound.dealing = dealing;
    return true;
}

uint32_t zone_of_thread(const Team& team, uint32_t num) { return seat_of(team.dealing, num).place + 1u; }

}  // namespace

void configure_zones(fiber::Config& config, const GlobalIcvs& icvs) {
    bool any = false;
    for (uint32_t level = 0; level < icvs.bind_count; ++level) any |= icvs.bind[level] != Bind::no;
    if (!any) return;
    const PlaceList& list = places();
    if (list.size() == 0) return;
    config.zones = list.size();
    config.bind = bind_to;
    config.bind_thread = bind_thread_to;
    config.zone_of = zone_of_carrier;
    if (!binds(icvs.bind[0])) return;
    os::CpuMask all;
    for (uint32_t place = 0; place < list.size(); ++place) {
        for (const uint16_t cpu : list.cpus(place)) all.add(cpu);
    }
    if (config.carriers > all.count()) config.carriers = all.count();
    locate(config.carriers);
    if (locations != nullptr) config.distance = distance;
}

Bind binding_for(const Thread& thread, Bind clause) {
    const Bind var = thread.task->icvs.bind;
    if (var == Bind::no || !fiber::zoned()) return Bind::no;
    if (binds(clause)) return clause == Bind::yes ? Bind::close : clause;
    if (var == Bind::unset || thread.team->level >= globals().bind_count) return Bind::no;
    return var == Bind::yes ? Bind::close : var;
}

bool bind_team(Team& team, Root& root, Bind bind, bool level_1) {
    const PlacePartition partition = place_partition(team.parent->task->icvs);
    team.zone_before = fiber::zone();
    if (team.zone_before == 0 && level_1 && team.parent == &root.initial) {
        place_root(root);
        team.zone_before = fiber::zone();
    }
    // A thread that is not bound is taken to be where the native thread under it is.
    uint32_t own = team.zone_before != 0 ? team.zone_before : fiber::bound_zone();
    if (own <= partition.first || own > partition.first + partition.count) own = partition.first + 1;
    const Dealing dealing{bind, team.size, static_cast<uint16_t>(own - 1), static_cast<uint16_t>(partition.first),
                          static_cast<uint16_t>(partition.count)};
    if (level_1) {
        fiber::serve(own);
        if (root.bound.dealing != dealing && !choose_crew(root, dealing)) return false;
    }
    team.dealing = dealing;
    return true;
}

void start_bound_crew(Team& team, Root& root) {
    fiber::Fiber** const fibers = root.bound.fibers;
    const bool apart = fiber::starts_apart(team.relief);
    for (uint32_t num = 1; num < team.size; ++num) {
        const fiber::Start start{start_member, &team.threads[num], &team.relief, apart, team.epoch};
        fiber::start_in(fibers[num], start, zone_of_thread(team, num));
    }
    fiber::wake_homes(fibers + 1, team.size - 1);
}

void offer_bound(Team& team) {
    const bool apart = fiber::starts_apart(team.relief);
    for (uint32_t first = 1; first < team.size;) {
        const uint32_t zone = zone_of_thread(team, first);
        uint32_t end = first + 1;
        while (end < team.size && zone_of_thread(team, end) == zone) ++end;
        TeamRange& range = team.threads[first].range;
        range.span.arm(first, end);
        fiber::offer_in(range, zone, apart);
        first = end;
    }
}

void start_bound_again(Team& team, uint32_t num, const fiber::Start& start) {
    fiber::Fiber** const fiber = team.root->bound.fibers + num;
    fiber::start_in(*fiber, start, zone_of_thread(team, num));
    fiber::wake_homes(fiber, 1);
}

void offer_bound_again(Team& team, uint32_t num, TeamRange& range) { fiber::offer_in(range, zone_of_thread(team, num), false); }

void enter_seat(const Thread& thread) { fiber::enter_zone(zone_of_thread(*thread.team, thread.num)); }

void take_seat(Thread& thread) {
    const Seat seat = seat_of(thread.team->dealing, thread.num);
    thread.implicit.icvs.place_first = seat.partition_first;
    thread.implicit.icvs.place_count = seat.partition_count;
    fiber::enter_zone(seat.place + 1u);
}

void leave_seat(Team& team) {
    const bool outermost = team.parent == &team.root->initial;
    // pass_on, which comes next, frees the native thread of a root that is in no zone.
    fiber::enter_zone(outermost && globals().reset_affinity ? 0 : team.zone_before);
}

void dismiss_bound(Root& root) {
    std::free(root.bound.fibers);
    root.bound = {};
}

}  // namespace gossamer::omp
