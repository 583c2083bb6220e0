// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fork and join. A level-1 team runs on its root's crew, one fiber for each thread; a nested team is a range of numbers in the
// deque of the carrier where it begins. A repeated region allocates nothing and takes no lock.
#include "omp/team/team.hpp"

#include "omp/affinity/affinity.hpp"
#include "omp/task/idle.hpp"
#include "omp/team/bound.hpp"
#include "omp/team/member.hpp"
#include "omp/team/team_stock.hpp"
#include "omp/thread/root.hpp"
#include "omp/tool/stats.hpp"

namespace gossamer::omp {

namespace {

constinit std::atomic<bool> said_no_team{false};

// Replaces the team of `thread`, which is too small. Null: there is no memory, and the old team stays.
GOSSAMER_NOINLINE Team* larger_team(Thread& thread, uint32_t size) {
    Team* const larger = take_team(size);
    if (larger == nullptr) return nullptr;
    if (thread.child != nullptr) give_team(*thread.child);
    thread.child = larger;
    return larger;
}

// What `child_team` does where nothing is at hand.
GOSSAMER_NOINLINE Team& other_team(Thread& thread, uint32_t& size) {
    Team* team = larger_team(thread, size);
    if (team != nullptr) return *team;
    say_once(said_no_team, "out of memory: a team of %u threads runs with one", size);
    size = 1;
    team = thread.child != nullptr ? thread.child : larger_team(thread, size);
    if (team == nullptr) fatal("out of memory for a team of one thread");
    return *team;
}

// The team of `thread` for a region of `size`, which becomes 1 if there is no memory for more.
GOSSAMER_INLINE Team& child_team(Thread& thread, uint32_t& size) {
    Team* team = thread.child;
    if (team == nullptr) thread.child = team = take_near(size);
    return GOSSAMER_LIKELY(team != nullptr && team->capacity >= size) ? *team : other_team(thread, size);
}

// How many threads the contention group's limit (thread-limit-var) leaves to a team that wants `size`.
uint32_t within_limit(std::atomic<uint32_t>& count, uint32_t limit, uint32_t size) {
    uint32_t busy = count.load(std::memory_order_relaxed);
    for (;;) {
        const uint32_t left = limit > busy ? limit - busy : 0;
        const uint32_t granted = size - 1 <= left ? size : left + 1;
        if (count.compare_exchange_weak(busy, busy + granted - 1, std::memory_order_relaxed)) return granted;
    }
}

// Gathers what a region of `size` threads needs; `size` becomes less where the system does not grant that. `level_1`: the
// region runs on the root's crew.
GOSSAMER_INLINE Team& gather(Thread& thread, fiber::Fiber& fiber, uint32_t& size, bool& level_1) {
    // Only an initial thread can be no carrier yet.
    if (size > 1 && !fiber::enter()) size = 1;
    level_1 = size > 1 && !thread.team->inside && fiber.kind == fiber::Kind::native;
    if (level_1) {
        size = muster(*thread.team->root, size);
        level_1 = size > 1;
    }
    if (level_1) fiber::take_part();
    return child_team(thread, size);
}

// How many of `size` threads the limit and the system allow. Exactly these are
// counted as busy, and gather will find them ready.
GOSSAMER_NOINLINE uint32_t gather_within_limit(Thread& thread, fiber::Fiber& fiber, uint32_t limit, uint32_t size) {
    std::atomic<uint32_t>& busy = *thread.team->busy;
    const uint32_t granted = within_limit(busy, limit, size);
    uint32_t there = granted;
    bool level_1;
    gather(thread, fiber, there, level_1);
    if (there != granted) busy.fetch_sub(granted - there, std::memory_order_relaxed);
    return there;
}

bool is_limited(const Icvs& icvs) { return icvs.thread_limit < no_limit; }

// Has every thread of `team` call renew_member when it begins, because what the threads begin with has changed.
void begins_anew(Team& team) {
    uint32_t next = (team.begins_as & ~Team::seated) + 4;
    if (GOSSAMER_UNLIKELY(next == 0)) {
        next = 4;
        // A thread that has not run since the first values must not take one of them for this round's.
        for (uint32_t num = 0; num < team.capacity; ++num) team.threads[num].note_change();
    }
    team.begins_as = next | (team.dealing.bind != Bind::no ? Team::seated : 0);
}

// After 2^32 regions: what has been left by a region of the last round must not be taken for this round's. relaxed, all: as in
// parallel_begin.
GOSSAMER_COLD void number_regions_anew(Team& team) {
    team.epoch = 1;
    team.barrier.singles.store(0, std::memory_order_relaxed);
    team.barrier.singles_apart.store(0, std::memory_order_relaxed);
    team.barrier.broadcasts.store(0, std::memory_order_relaxed);
    for (uint32_t num = 0; num < team.capacity; ++num) team.threads[num].retired.store(0, std::memory_order_relaxed);
}

// Of a region that was cancelled: what some of its threads did not come to. relaxed, all: as in parallel_begin.
GOSSAMER_COLD void forget_cancelled(Team& team) {
    team.work.touched.store(2, std::memory_order_relaxed);
    for (uint32_t num = 0; num < team.capacity; ++num) team.threads[num].arrived.store(0, std::memory_order_relaxed);
}

void start_crew(Team& team, Root& root) {
    const uint32_t carriers = fiber::carrier_count();
    const uint32_t homes = root.owns_homes ? carriers : 1;
    set_if_new(team.homes, homes < team.size ? homes : team.size);
    const bool apart = starts_apart(team);
    // If the team is dealt each home starts its own share, so that this thread writes no line of the shares. Not if a carrier
    // sleeps: its home would start its share late, and other carriers can run those threads meanwhile.
    set_if_new(team.dealt, team.homes == carriers && !apart && !fiber::anybody_sleeps());
    const uint32_t unfinished = team.dealt ? (team.size - 1) / team.homes : team.size - team.homes;
    if (unfinished != 0) team.unfinished.store(unfinished, std::memory_order_relaxed);
    const uint32_t end = team.dealt ? team.homes : team.size;
    const Assignment all = assignment_of(team);
    const bool busy = end > team.homes && fiber::others_are_busy();
    bool queued = false;
    uint32_t num = 1;
    set_if_new(team.by_tree, !apart && may_start_each_other(team.homes, [](uint32_t at) { return at; }));
    if (team.by_tree) {
        start_homes(team, 0, all);
        num = team.homes;
        if (team.dealt && team.size > team.homes) {
            // The fence in there waits for the homes' lines, and the share should not lie open to thieves meanwhile.
            fiber::wake_started(team.homes, team.homes, false);
            fiber::note_decision();
        }
    }
    fiber::Start what = start_of(team, 0, apart, all);
    uint32_t near = num - 1;
    for (; num < end; ++num) {
        if (++near == carriers) near = 0;
        what.argument = &team.threads[num];
        queued |= fiber::start(root.crew[num], what, GOSSAMER_UNLIKELY(busy) ? fiber::near_caller : near);
    }
    if (team.dealt) queued = start_share(team, 0, all);
    set_if_new(team.slept, fiber::wake_started(team.homes, team.size, queued, team.relief, kind_of(team.region)));
}

GOSSAMER_COLD void decide_display(Team& team, const Region& region) {
    team.displays_affinity = !region.internal && affinity_is_new(team);
    if (team.displays_affinity) begins_anew(team);
}

// Deals the team to places if bind-var or the proc_bind clause says so. Called where bind-var is not false.
void bind_or_not(Team& team, bool level_1) {
    const Bind clause = team.region.bind;
    const Bind bind = team.size > 1 ? binding_for(*team.parent, clause) : Bind::no;
    // Where bind-var has no further element for this level, deeper levels inherit the clause, as in libgomp.
    if (clause != Bind::unset && team.parent->task->icvs.bind_next == 0) team.icvs.bind = clause;
    if (bind_team(team, *team.root, bind, level_1)) begins_anew(team);
}

// Puts `region` where all threads find it, and the words that it points to if there is room for them.
GOSSAMER_INLINE void keep_region(Team& team, const Region& region) {
    void* data = region.data;
    if (region.count != 0 && region.count <= Team::most_words) {
        for (uint32_t i = 0; i < region.count; ++i) set_if_new(team.words[i], static_cast<void**>(region.data)[i]);
        data = team.words;
    }
    set_if_new(team.region.body, region.body);
    set_if_new(team.region.data, data);
    set_if_new(team.region.bind, region.bind);
    set_if_new(team.region.count, region.count);
    set_if_new(team.region.function, region.function);
}

// Whether all threads have finished: asks the homes one after another, in order, for a home may have been started by one before
// it (fork_tree.hpp); then reads `unfinished`. A home that has reported may have been called back since. That is not missed:
// call_back counts it in `unfinished` before the calling thread itself reports, and the helper is taken off only after its home
// has reported again.
class Join {
public:
    explicit Join(Team& team)
        : team_(team), at_home_(GOSSAMER_LIKELY(team.dealing.bind == Bind::no) ? team.root->crew : team.root->bound.at_home) {}

    bool over() {
        for (; home_ < team_.homes; ++home_) {
            if (!fiber::has_served(*at_home_[home_])) return false;
        }
        return team_.unfinished.load(std::memory_order_seq_cst) == 0;
    }

private:
    Team& team_;
    fiber::Fiber* const* const at_home_;
    uint32_t home_ = 1;
};

// Runs the threads in the primary thread's share that are still queued on its carrier. Meanwhile the primary thread lies in its
// slot, where a thread that has pushed a task can wake it.
void run_share(Team& team) {
    team.joiner.fill(fiber::self());
    // Pairs with BasicTaskWord::activate: the pusher sees the slot, or this thread sees that tasks are active.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!tasks_are_active(team)) fiber::run_queued(team.unfinished);
    if (!team.joiner.take_back(team.join_sleepers)) fiber::suspend();
}

// After a region of `parent` inside another one.
void put_back(Team& team, Thread& parent) {
    if (GOSSAMER_UNLIKELY(fiber::mode_is_on(mode_no_hot_teams))) {
        give_team(team);
    } else if (GOSSAMER_UNLIKELY(team.dealing.bind != Bind::no || known_globals().display_affinity)) {
        return;  // its threads' places, and what they have displayed, are this parent's
    } else {
        give_near(team);
    }
    parent.child = nullptr;
}

// Starts threads 1 … size-1, once everything is in place that they read.
GOSSAMER_INLINE void start_threads(Team& team, bool level_1) {
    if (GOSSAMER_UNLIKELY(team.dealing.bind != Bind::no))
        return level_1 ? start_bound_crew(team, *team.root) : offer_bound(team);
    if (level_1) return start_crew(team, *team.root);
    set_if_new(team.homes, 1u);
    team.unfinished.store(team.size - 1, std::memory_order_relaxed);
    TeamRange& range = team.threads[1].range;
    range.span.arm(1, team.size);
    starts_apart(team) ? fiber::offer_apart(range) : fiber::offer(range);
}

// `team_size`, inline for the start of a region.
GOSSAMER_INLINE uint32_t size_for(Thread& thread, uint32_t requested, bool if_clause) {
    const Icvs& icvs = thread.icvs();
    if (!if_clause || thread.team->active_level >= icvs.max_active_levels) return 1;
    // The threads of a nested team take stacks only when they wait, and then it is too late to have fewer threads.
    if (GOSSAMER_UNLIKELY(fiber::stacks_ran_out.load(std::memory_order_relaxed)) && thread.team->active_level != 0) return 1;
    uint32_t size = requested != 0 ? requested : icvs.nthreads;
    if (GOSSAMER_UNLIKELY(icvs.dynamic)) {
        // dyn-var allows fewer threads: at the outermost level as many as can run, below it
        // one for each idle carrier and the caller.
        const uint32_t most = thread.team->active_level == 0 ? globals().carriers : fiber::idle_carriers() + 1;
        if (size > most) size = most;
    }
    return size;
}

}  // namespace

uint32_t team_size(Thread& thread, uint32_t requested, bool if_clause) { return size_for(thread, requested, if_clause); }

Thread& parallel_begin(Thread& thread, uint32_t requested, bool if_clause, const Region& region) {
    fiber::scheduling_point();
    uint32_t size = size_for(thread, requested, if_clause);
    Team& outer = *thread.team;
    Root& root = *outer.root;
    const Icvs& icvs = thread.icvs();
    fiber::Fiber& fiber = *fiber::self();
    if (GOSSAMER_UNLIKELY(is_limited(icvs)) && size > 1) size = gather_within_limit(thread, fiber, icvs.thread_limit, size);
    bool level_1;
    Team& team = gather(thread, fiber, size, level_1);
    if (GOSSAMER_UNLIKELY(++team.epoch == 0)) number_regions_anew(team);
    // relaxed, all: starting the threads publishes them.
    if (GOSSAMER_UNLIKELY(team.size != size || team.cancelled.load(std::memory_order_relaxed) != 0)) {
        team.size = size;
        if (team.cancelled.load(std::memory_order_relaxed) != 0) forget_cancelled(team);
        team.cancelled.store(0, std::memory_order_relaxed);
        team.barrier.reset();
    }
    team.work.reset(team);
    set_if_new(team.level, outer.level + 1);
    set_if_new(team.active_level, outer.active_level + (size > 1 ? 1 : 0));
    set_if_new(team.inside, outer.inside || size > 1);
    set_if_new(team.parent, &thread);
    if (GOSSAMER_UNLIKELY(team.root != &root)) {
        team.root = &root;
        team.relief.set_root(&root);
    }
    set_if_new(team.busy, outer.busy);
    keep_region(team, region);
    set_if_new(team.by_crew, level_1);
    if (GOSSAMER_UNLIKELY(!is_inherited(team.icvs, icvs))) {
        team.icvs = inherited(icvs);
        begins_anew(team);
    }
    team.tasks.reset();
    if (GOSSAMER_UNLIKELY(icvs.bind != Bind::no)) bind_or_not(team, level_1);  // if one thread's is `no`, all are
    if (GOSSAMER_UNLIKELY(known_globals().display_affinity)) decide_display(team, region);
    Thread& primary = team.threads[0];
    count_region(size);
    if (size > 1) start_threads(team, level_1);
    begin_member(team, primary, fiber, team.epoch);
    return primary;
}

void parallel_end(Thread& primary) {
    finish_tasks(primary);
    Team& team = *primary.team;
    if (team.size > 1) {
        team.left.store(team.epoch, std::memory_order_relaxed);  // a hint for members_at_work
        const bool slept = team.by_crew && team.slept;
        if (GOSSAMER_UNLIKELY(slept)) fiber::end_own_part();
        if (team.by_crew && team.dealt && team.unfinished.load(std::memory_order_relaxed) != 0) run_share(team);
        Join join(team);
        if (!join.over()) {
            fiber::wait_slot(team.joiner, team.join_sleepers, [&] { return join.over() || tasks_are_active(team); });
            if (GOSSAMER_UNLIKELY(!join.over())) work_until(primary, nullptr, nullptr, [&] { return join.over(); });
        }
        // Woken for a task, here or in run_share, while the region came to its end.
        if (GOSSAMER_UNLIKELY(primary.counted)) stop_search(primary);
        if (GOSSAMER_UNLIKELY(slept)) fiber::end_late_orders();
        if (GOSSAMER_UNLIKELY(is_limited(team.icvs))) team.busy->fetch_sub(team.size - 1, std::memory_order_relaxed);
        if (GOSSAMER_UNLIKELY(team.dealing.bind != Bind::no)) leave_seat(team);
        if (!team.parent->team->inside) fiber::pass_on();
    }
    Thread* const parent = team.parent;
    primary.fiber->local = parent;
    if (parent->team->inside || fiber::mode_is_on(mode_no_hot_teams)) put_back(team, *parent);
}

void parallel(Thread& thread, uint32_t requested, bool if_clause, const Region& region) {
    Thread& primary = parallel_begin(thread, requested, if_clause, region);
    region.block().run(primary);
    parallel_end(primary);
}

}  // namespace gossamer::omp
