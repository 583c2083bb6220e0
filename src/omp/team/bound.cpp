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

// The workers' homes by zones: homes[first[zone] … first[zone + 1] - 1].
struct ZoneHomes {
    uint32_t* first = nullptr;
    uint32_t* homes = nullptr;
};
constinit ZoneHomes zone_homes;

void sort_homes(uint32_t zones, uint32_t carriers) {
    std::free(zone_homes.first);
    zone_homes.first = static_cast<uint32_t*>(std::calloc(zones + 2 + carriers, sizeof(uint32_t)));
    if (zone_homes.first == nullptr) return;
    zone_homes.homes = zone_homes.first + zones + 2;
    // Counted one further on, so that filling them in makes each the next one's beginning.
    for (uint32_t home = 1; home < carriers; ++home) ++zone_homes.first[zone_of_carrier(home) + 1];
    for (uint32_t zone = 1; zone <= zones + 1; ++zone) zone_homes.first[zone] += zone_homes.first[zone - 1];
    for (uint32_t home = 1; home < carriers; ++home) zone_homes.homes[zone_homes.first[zone_of_carrier(home)]++] = home;
    for (uint32_t zone = zones + 1; zone > 0; --zone) zone_homes.first[zone] = zone_homes.first[zone - 1];
    zone_homes.first[0] = 0;
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

void free_posts(const BoundCrew& bound) {
    std::free(bound.posts);
    std::free(bound.homes);
    std::free(bound.at_home);
}

// Makes room for the posts of so many threads.
bool make_posts(BoundCrew& bound, uint32_t threads) {
    if (bound.capacity >= threads) return true;
    auto* const posts = static_cast<BoundCrew::Post*>(std::malloc(threads * sizeof(BoundCrew::Post)));
    auto* const homes = static_cast<uint32_t*>(std::malloc(threads * sizeof(uint32_t)));
    auto* const at_home = static_cast<fiber::Fiber**>(std::malloc(threads * sizeof(fiber::Fiber*)));
    if (posts == nullptr || homes == nullptr || at_home == nullptr) {
        std::free(posts);
        std::free(homes);
        std::free(at_home);
        return false;
    }
    free_posts(bound);
    bound.posts = posts;
    bound.homes = homes;
    bound.at_home = at_home;
    bound.capacity = threads;
    return true;
}

// Numbers with one place, which follow each other.
struct Block {
    uint32_t begin, end, zone;
};

// Calls see(block) for each, in order.
template <class See>
void for_each_block(const Dealing& dealing, const See& see) {
    Block block{0, 1, seat_of(dealing, 0).place + 1u};
    for (; block.end < dealing.threads; ++block.end) {
        const uint32_t zone = seat_of(dealing, block.end).place + 1u;
        if (zone == block.zone) continue;
        see(block);
        block = {block.end, block.end, zone};
    }
    see(block);
}

void post_at(BoundCrew& bound, uint32_t num, uint32_t home, bool* taken) {
    taken[home] = true;
    bound.posts[num].fiber = fiber::worker_home(home);
    bound.posts[num].at_home = true;
    bound.homes[bound.home_count] = num;
    bound.at_home[bound.home_count++] = bound.posts[num].fiber;
}

// Posts numbers at those of the homes 1 … homes-1 that are in their place, then, where a place has none, at those that are left.
void post_at_homes(BoundCrew& bound, const Dealing& dealing, uint32_t homes, bool* taken) {
    for_each_block(dealing, [&](const Block& block) {
        uint32_t num = block.begin != 0 ? block.begin : 1;
        for (uint32_t at = zone_homes.first[block.zone]; at < zone_homes.first[block.zone + 1] && num < block.end; ++at) {
            if (zone_homes.homes[at] < homes) post_at(bound, num++, zone_homes.homes[at], taken);
        }
    });
    uint32_t home = 1;
    for_each_block(dealing, [&](const Block& block) {
        if (block.begin == 0 || bound.posts[block.begin].at_home) return;
        for (uint32_t num = block.begin; num < block.end; ++num) {
            while (home < homes && taken[home]) ++home;
            if (home < homes) post_at(bound, num, home, taken);
        }
    });
}

// Deals what is at no home to those of its block that are, in turn, and to number 0 if that is there; it also starts what no
// other one in the place does.
void deal_shares(BoundCrew& bound, const Dealing& dealing) {
    BoundCrew::Post* const posts = bound.posts;
    for_each_block(dealing, [&](const Block& block) {
        uint32_t starters = block.begin;  // they come first
        while (starters < block.end && (starters == 0 || posts[starters].at_home)) ++starters;
        for (uint32_t num = block.end; num-- > starters;) {
            const uint32_t count = starters - block.begin;
            const uint32_t starter = count != 0 ? block.begin + num % count : 0;
            posts[num].starter = starter;
            posts[num].next = posts[starter].first;
            posts[starter].first = num;
            ++posts[starter].share;
        }
    });
}

// Finds who runs each number: a worker's home in its place, else one whose place has no worker of its own, else a fiber of
// the root's crew. False: there are not enough fibers, or there is no memory.
bool choose_crew(Root& root, const Dealing& dealing) {
    BoundCrew& bound = root.bound;
    bound.dealing = {};
    bound.home_count = 1;
    if (!make_posts(bound, dealing.threads) || zone_homes.first == nullptr || muster(root, 2) < 2) return false;
    const uint32_t homes = root.owns_homes ? fiber::carrier_count() : 1;
    auto* const taken = static_cast<bool*>(std::calloc(homes, sizeof(bool)));
    if (taken == nullptr) return false;
    for (uint32_t num = 0; num < dealing.threads; ++num) bound.posts[num] = {};
    post_at_homes(bound, dealing, homes, taken);
    std::free(taken);
    const uint32_t others = dealing.threads - bound.home_count;
    if (others != 0 && muster(root, homes + others) < homes + others) return false;
    uint32_t next = homes;
    for (uint32_t num = 1; num < dealing.threads; ++num) {
        if (!bound.posts[num].at_home) bound.posts[num].fiber = root.crew[next++];
    }
    deal_shares(bound, dealing);
    bound.dealing = dealing;
    return true;
}

// Which zone each thread has, and how far those reach that are offered together: number 0 is not.
void write_zones(Team& team) {
    for_each_block(team.dealing, [&team](const Block& block) {
        for (uint32_t num = block.begin; num < block.end; ++num) {
            team.threads[num].zone = block.zone;
            team.threads[num].zone_end = block.end;
        }
    });
}

// Where the threads of `team` go.
Dealing dealing_of(Team& team, Root& root, Bind bind, bool level_1) {
    const PlacePartition partition = place_partition(team.parent->task->icvs);
    team.zone_before = fiber::zone();
    if (team.zone_before == 0 && level_1 && team.parent == &root.initial) {
        place_root(root);
        team.zone_before = fiber::zone();
    }
    // A thread that is not bound is taken to be where the native thread under it is.
    uint32_t own = team.zone_before != 0 ? team.zone_before : fiber::bound_zone();
    if (own <= partition.first || own > partition.first + partition.count) own = partition.first + 1;
    return {bind, team.size, static_cast<uint16_t>(own - 1), static_cast<uint16_t>(partition.first),
            static_cast<uint16_t>(partition.count)};
}

// Starts one thread of a level-1 team.
void start_bound(Team& team, const BoundCrew::Post& post, uint32_t num, bool apart, uint32_t epoch) {
    fiber::start_in(post.fiber, start_of(team, num, apart, epoch), team.threads[num].zone);
}

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
    if (!binds(icvs.bind[0])) return sort_homes(config.zones, config.carriers);
    os::CpuMask all;
    for (uint32_t place = 0; place < list.size(); ++place) {
        for (const uint16_t cpu : list.cpus(place)) all.add(cpu);
    }
    if (config.carriers > all.count()) config.carriers = all.count();
    sort_homes(config.zones, config.carriers);
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
    Dealing dealing;
    if (bind != Bind::no) dealing = dealing_of(team, root, bind, level_1);
    if (level_1) fiber::serve(bind != Bind::no ? dealing.parent + 1u : fiber::zone());
    if (level_1 && bind != Bind::no && root.bound.dealing != dealing && !choose_crew(root, dealing)) dealing = {};
    if (GOSSAMER_LIKELY(team.dealing == dealing)) return false;
    team.dealing = dealing;
    if (dealing.bind != Bind::no) write_zones(team);
    return true;
}

void start_bound_crew(Team& team, Root& root) {
    const BoundCrew& bound = root.bound;
    const bool apart = fiber::starts_apart(team.relief);
    renew(team.dealt, !apart && !fiber::anybody_sleeps());  // as in start_crew
    renew(team.homes, bound.home_count);
    const uint32_t unfinished = team.dealt ? bound.posts[0].share : team.size - bound.home_count;
    team.unfinished.store(unfinished, std::memory_order_relaxed);  // starting them publishes it
    for (uint32_t at = 1; at < bound.home_count; ++at) {
        start_bound(team, bound.posts[bound.homes[at]], bound.homes[at], apart, team.epoch);
    }
    if (team.dealt) {
        start_bound_share(team, 0, team.epoch);
    } else {
        for (uint32_t num = 1; num < team.size; ++num) {
            if (!bound.posts[num].at_home) start_bound(team, bound.posts[num], num, apart, team.epoch);
        }
    }
    fiber::wake_homes(bound.at_home + 1, bound.home_count - 1);
}

void start_bound_share(Team& team, uint32_t num, uint32_t epoch) {
    const BoundCrew::Post* const posts = team.root->bound.posts;
    for (uint32_t each = posts[num].first; each != 0; each = posts[each].next)
        start_bound(team, posts[each], each, false, epoch);
}

void offer_bound(Team& team) {
    renew(team.homes, 1u);
    team.unfinished.store(team.size - 1, std::memory_order_relaxed);  // offering them publishes it
    const bool apart = fiber::starts_apart(team.relief);
    for (uint32_t first = 1; first < team.size;) {
        Thread& thread = team.threads[first];
        const uint32_t end = thread.zone_end;
        thread.range.span.arm(first, end);
        fiber::offer_in(thread.range, thread.zone, apart);
        first = end;
    }
}

void start_bound_again(Team& team, uint32_t num, const fiber::Start& start) {
    fiber::Fiber* const fiber = team.root->bound.posts[num].fiber;
    fiber::start_in(fiber, start, team.threads[num].zone);
    fiber::wake_homes(&fiber, 1);
}

void offer_bound_again(Team& team, uint32_t num, TeamRange& range) { fiber::offer_in(range, team.threads[num].zone, false); }

void enter_seat(const Thread& thread) { fiber::enter_zone(thread.zone); }

void take_partition(Thread& thread) {
    const Seat seat = seat_of(thread.team->dealing, thread.num);
    thread.implicit.icvs.place_first = seat.partition_first;
    thread.implicit.icvs.place_count = seat.partition_count;
}

void leave_seat(Team& team) {
    const bool outermost = team.parent == &team.root->initial;
    // pass_on, which comes next, frees the native thread of a root that is in no zone.
    fiber::enter_zone(outermost && globals().reset_affinity ? 0 : team.zone_before);
}

void dismiss_bound(Root& root) {
    free_posts(root.bound);
    root.bound = {};
}

}  // namespace gossamer::omp
