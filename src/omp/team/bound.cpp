// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/team/bound.hpp"

#include <cstdlib>

#include "omp/affinity/places.hpp"
#include "omp/affinity/zones.hpp"
#include "omp/team/member.hpp"
#include "omp/thread/root.hpp"

namespace gossamer::omp {

namespace {

constinit std::atomic<uint32_t> roots_placed{0};

// Binds a root's native thread at its first bound region: the first root's to the first place, the next root's to the next. It
// stays bound for good, or, if the user wants it free behind each region (KMP_AFFINITY=reset), until that ends.
void place_root(Root& root) {
    if (root.bound.zone == 0) {
        const uint32_t ordinal = roots_placed.fetch_add(1, std::memory_order_relaxed);
        root.bound.zone = ordinal % places().size() + 1;
    }
    fiber::enter_zone(root.bound.zone);
}

void free_posts(const BoundCrew& bound) {
    std::free(bound.posts);
    std::free(bound.numbers);
    std::free(bound.fibers);
    std::free(bound.at_home);
}

// Makes room for `threads` threads; what was there before is lost. False: there is no memory.
bool make_posts(BoundCrew& bound, uint32_t threads) {
    if (bound.capacity >= threads) return true;
    BoundCrew grown;
    grown.posts = static_cast<Post*>(std::malloc(threads * sizeof(Post)));
    grown.numbers = static_cast<uint32_t*>(std::malloc(threads * sizeof(uint32_t)));
    grown.fibers = static_cast<fiber::Fiber**>(std::malloc(threads * sizeof(fiber::Fiber*)));
    grown.at_home = static_cast<fiber::Fiber**>(std::malloc(threads * sizeof(fiber::Fiber*)));
    if (grown.posts == nullptr || grown.numbers == nullptr || grown.fibers == nullptr || grown.at_home == nullptr) {
        free_posts(grown);
        return false;
    }
    free_posts(bound);
    grown.zone = bound.zone;
    grown.capacity = threads;
    bound = grown;
    return true;
}

// Chooses what each number runs on: a worker's home, or a fiber of the root's crew. False: there are not enough fibers, or
// there is no memory.
bool choose_crew(Root& root, const Dealing& dealing) {
    BoundCrew& bound = root.bound;
    bound.dealing = {};
    if (!make_posts(bound, dealing.threads) || zone_homes().first == nullptr || muster(root, 2) < 2) return false;
    const uint32_t homes = root.owns_homes ? fiber::carrier_count() : 1;
    auto* const taken = static_cast<bool*>(std::calloc(homes, sizeof(bool)));
    if (taken == nullptr) return false;
    bound.homes = post_team(dealing, zone_homes(), homes, bound.posts, bound.numbers, taken);
    std::free(taken);
    const uint32_t others = dealing.threads - bound.homes;
    if (others != 0 && muster(root, homes + others) < homes + others) return false;
    for (uint32_t at = 1; at < bound.homes; ++at) {
        bound.at_home[at] = fiber::worker_home(bound.posts[bound.numbers[at]].home);
        bound.fibers[bound.numbers[at]] = bound.at_home[at];
    }
    uint32_t next = homes;
    for (uint32_t num = 1; num < dealing.threads; ++num) {
        if (bound.posts[num].home == 0) bound.fibers[num] = root.crew[next++];
    }
    bound.dealing = dealing;
    return true;
}

// Tells each thread its zone and where the block of consecutive numbers ends that share it.
void write_zones(Team& team) {
    for_each_block(team.dealing, [&team](const Block& block) {
        for (uint32_t num = block.begin; num < block.end; ++num) {
            team.threads[num].zone = block.zone;
            team.threads[num].zone_end = block.end;
        }
    });
}

// How `team` is dealt to places. Binds the root's native thread first, if this is its first bound region.
Dealing dealing_of(Team& team, Root& root, Bind bind, bool level_1) {
    const PlacePartition partition = place_partition(team.parent->task->icvs);
    team.zone_before = fiber::zone();
    if (team.zone_before == 0 && level_1 && team.parent == &root.initial) {
        place_root(root);
        team.zone_before = fiber::zone();
    }
    // A parent thread that is not bound counts as being where the native thread under it is.
    uint32_t own = team.zone_before != 0 ? team.zone_before : fiber::bound_zone();
    if (own <= partition.first || own > partition.first + partition.count) own = partition.first + 1;
    return {bind, team.size, static_cast<uint16_t>(own - 1), static_cast<uint16_t>(partition.first),
            static_cast<uint16_t>(partition.count)};
}

// Starts number `num` of a level-1 team.
void start_bound(Team& team, uint32_t num, bool apart, const Assignment& all) {
    fiber::start_in(team.root->bound.fibers[num], start_of(team, num, apart, all), team.threads[num].zone);
}

}  // namespace

int32_t place_num(const Thread& thread) {
    Root& root = *thread.team->root;
    if (GOSSAMER_UNLIKELY(fiber::zone() == 0) && thread.icvs().bind != Bind::no && &thread == &root.initial &&
        !globals().reset_affinity && fiber::enter() && binding_for(thread, Bind::unset) != Bind::no) {
        place_root(root);
    }
    return static_cast<int32_t>(fiber::zone()) - 1;
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
    const bool apart = starts_apart(team);
    set_if_new(team.dealt, !apart && !fiber::anybody_sleeps());  // as in start_crew
    set_if_new(team.homes, bound.homes);
    set_if_new(team.slept, false);
    const uint32_t unfinished = team.dealt ? bound.posts[0].share : team.size - bound.homes;
    team.unfinished.store(unfinished, std::memory_order_relaxed);  // starting the threads publishes it
    set_if_new(team.by_tree, !apart && may_start_each_other(
                                           bound.homes, [&bound](uint32_t at) { return bound.posts[bound.numbers[at]].home; }));
    const Assignment all = assignment_of(team);
    if (team.by_tree) {
        start_homes(team, 0, all);
    } else {
        for (uint32_t at = 1; at < bound.homes; ++at) start_bound(team, bound.numbers[at], apart, all);
    }
    if (team.dealt) {
        start_bound_share(team, 0, all);
    } else {
        for (uint32_t num = 1; num < team.size; ++num) {
            if (bound.posts[num].home == 0) start_bound(team, num, apart, all);
        }
    }
    wake_bound_homes(team);
}

void start_bound_home(Team& team, uint32_t at, const Assignment& all) {
    start_bound(team, team.root->bound.numbers[at], false, all);
}

void wake_bound_homes(const Team& team) {
    const BoundCrew& bound = team.root->bound;
    fiber::wake_homes(bound.at_home + 1, bound.homes - 1);
}

void start_bound_share(Team& team, uint32_t num, const Assignment& all) {
    const Post* const posts = team.root->bound.posts;
    for (uint32_t each = posts[num].first; each != 0; each = posts[each].next) start_bound(team, each, false, all);
}

void offer_bound(Team& team) {
    set_if_new(team.homes, 1u);
    team.unfinished.store(team.size - 1, std::memory_order_relaxed);  // offering the ranges publishes it
    const bool apart = starts_apart(team);
    for (uint32_t first = 1; first < team.size;) {
        Thread& thread = team.threads[first];
        const uint32_t end = thread.zone_end;
        thread.range.span.arm(first, end);
        fiber::offer_in(thread.range, thread.zone, apart);
        first = end;
    }
}

void start_bound_again(Team& team, uint32_t num, const fiber::Start& start) {
    fiber::Fiber* const fiber = team.root->bound.fibers[num];
    fiber::start_in(fiber, start, team.threads[num].zone);
    fiber::wake_homes(&fiber, 1);
}

void offer_bound_again(Team& team, uint32_t num, TeamRange& range) {
    fiber::offer_in(range, team.threads[num].zone, fiber::is_one_to_one());
}

void enter_seat(const Thread& thread) { fiber::enter_zone(thread.zone); }

void take_partition(Thread& thread) {
    const Seat seat = seat_of(thread.team->dealing, thread.num);
    thread.implicit.icvs.place_first = seat.partition_first;
    thread.implicit.icvs.place_count = seat.partition_count;
}

void leave_seat(Team& team) {
    const bool outermost = team.parent == &team.root->initial;
    // The caller calls fiber::pass_on next, which frees a root's native thread that is in no zone.
    fiber::enter_zone(outermost && globals().reset_affinity ? 0 : team.zone_before);
}

void free_bound(Root& root) { free_posts(root.bound); }

}  // namespace gossamer::omp
