// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting: on a flag by spinning, for a permit by suspending, and what a carrier does that has no work left.
//
// A home passes from running through searching to parked, as docs/protocols/idle.md says. It looks for work without being
// counted while its patience lasts (the flat region that comes next must not pay for counting), then counts itself as
// searching, announces that it will sleep, looks at everything once more, and sleeps.

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

namespace {

constexpr std::uint32_t looks_at_own = 32;  // looks at its own flag and queues for each look at the other carriers'

// The same for a home without work: less than half a microsecond. With half as many the home takes the third thread of an
// empty region of three, which that thread's own carrier is about to run; with twice as many a loop of threads waits that
// much longer.
constexpr std::uint32_t looks_at_home = 16;

// A waiter that has looked so often, some five microseconds, probably waits for a thread that is preempted: it lets that
// thread have this processor. To spin on would also spend the time by which the kernel decides which thread runs next.
constexpr std::uint32_t looks_a_yield = 256;

void look_for_others(Looker who) {
    if (g.config.look != nullptr) g.config.look(who);
}

// Whether work is ready that a carrier must not sleep through, once it has announced that it will sleep.
bool must_stay_awake(const Carrier& carrier) {
    const bool home_is_here = carrier.running == carrier.home || carrier.home_place.is_out();
    if (home_is_here && carrier.home_wants()) return true;
    if (GOSSAMER_UNLIKELY(crowded()) && is_worker(carrier.index)) {
        return carrier.lights.ready != nullptr || !carrier.pinned.empty_hint();
    }
    return !carrier.nothing_queued() || anything_to_steal(carrier);
}

// For a carrier that has parked with its home elsewhere, and goes on to run something else: the monitor, which does not watch
// the homes of parked carriers, has to watch this one.
void tell_of_home() {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with the monitor's, before it looks which carriers are parked
    note_work();
}

// How long the home of `carrier` looks for work before it parks, in arch::cycles.
std::uint64_t patience_of(Carrier& carrier) {
    const std::uint64_t most = g.patience.load(std::memory_order_relaxed);
    return g.adaptive.load(std::memory_order_relaxed) ? carrier.patience.get(most) : most;
}

std::uint64_t fiber_patience() {
    constexpr double most_ns = 2'000;
    const auto most = static_cast<std::uint64_t>(most_ns * g.cycles_a_ns);
    const std::uint64_t patience = g.patience.load(std::memory_order_relaxed);
    return patience < most ? patience : most;
}

// Tells the other carriers that a carrier's home has no work.
class Looking {
public:
    explicit Looking(Carrier& carrier) : carrier_(carrier) { set(true); }
    ~Looking() { set(false); }
    Looking(const Looking&) = delete;
    Looking& operator=(const Looking&) = delete;
    void set(bool looking) const { carrier_.looking.store(looking, std::memory_order_relaxed); }

private:
    Carrier& carrier_;
};

// Whether ready work needs the carrier under `me`.
bool is_wanted(const Fiber& me, const Carrier& carrier) {
    return !carrier.nothing_queued() || (carrier.home != &me && carrier.home_wants());
}

void native_wait(Fiber& me) {
    me.native_word.store(0, std::memory_order_relaxed);  // park publishes it
    if (!me.permit.park()) return;
    while (me.native_word.load(std::memory_order_acquire) == 0) os::futex_wait(me.native_word, 0);  // pairs with make_ready
}

// Whether a home must not go on here: it is on another carrier whose own home is to go on.
bool stands_in_the_way(const Fiber& home) {
    const Carrier& host = *home.carrier;
    return !host.relief && host.home_wants();
}

// A home runs what is queued on its own carrier, as long as it is there.
void run_queued_until_wanted(Fiber& me) {
    while (me.carrier == me.own && !me.wanted() && !makes_way(*me.own)) {
        const Item item = next_local(*me.own);
        if (!item) return;
        hand_over(me, item, After::home);
    }
}

}  // namespace

Item find_work(Carrier& carrier) {
    if (GOSSAMER_UNLIKELY(makes_way(carrier))) {
        // It does run its own home, if that was left (roots.cpp) and is wanted: no other thread may know.
        const bool wanted = carrier.running != carrier.home && carrier.home_wants() && carrier.claim_home();
        return wanted ? Item(carrier.home) : Item();
    }
    const Item item = next_local(carrier);
    return item ? item : steal(carrier);
}

bool anything_to_steal(const Carrier& thief) { return anything_queued_elsewhere(thief) || some_home_is_left(thief); }

bool anything_queued_elsewhere(const Carrier& thief) {
    const std::uint32_t slots = g.slots.load(std::memory_order_acquire);  // pairs with the store after a new carrier
    for (std::uint32_t index = 0; index < slots; ++index) {
        const Carrier* const victim = g.carriers[index].load(std::memory_order_acquire);
        if (victim == nullptr || victim == &thief) continue;
        if (!victim->deque.empty_hint() || !victim->inbox.empty_hint()) return true;
    }
    return false;
}

bool search_and_park(Carrier& carrier, Item& item) {
    const bool at_home = carrier.running == carrier.home;
    look_for_others(Looker::parking_carrier);
    g.idle.begin_search();
    for (;;) {
        const bool wanted = at_home && carrier.home->wanted();
        if (!wanted) item = find_work(carrier);
        if (wanted || item) {
            if (!at_home) tell_of_home();
            if (GOSSAMER_UNLIKELY(crowded())) {
                g.idle.drop_search();  // as in publishing: no carrier is woken, and the monitor knows
                return !wanted;
            }
            const int next = g.idle.end_search(carrier.index);
            if (next != EventCount::nobody) unpark(*g.carriers[next].load(std::memory_order_acquire));
            return !wanted;
        }
        carrier.asleep.store(1, std::memory_order_relaxed);  // announce publishes it
        g.idle.announce(carrier.index);
        if (must_stay_awake(carrier) && g.idle.cancel(carrier.index)) {
            carrier.asleep.store(0, std::memory_order_relaxed);  // only a claimant would have written, and there is none
            continue;
        }
        ++carrier.counters.parks;
        while (carrier.asleep.load(std::memory_order_acquire) != 0) {  // pairs with unpark
            os::futex_wait(carrier.asleep, 1);
        }
        after_wake(carrier);
    }
}

bool take_home(Carrier& own) {
    if (!own.home_place.take()) return false;
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with begin_light: it sees the home away, or we see the fiber
    if (GOSSAMER_LIKELY(!g.light_fibers.load(std::memory_order_relaxed))) return true;
    own.home_place.leave();
    if (own.home_wants()) call_home(own);  // its carrier may have looked for it meanwhile
    note_work();
    return false;
}

void come_home(Fiber& home) { hand_over(home, Item(), After::come_home); }

void be_home(Fiber& home) {
    Carrier& own = *home.own;
    own.home_yielded.store(true, std::memory_order_relaxed);  // published by HomePlace::leave
    while (home.carrier != &own) come_home(home);
    own.home_yielded.store(false, std::memory_order_relaxed);
}

void home_wait(Fiber& home) {
    Carrier& carrier = *home.own;
    std::uint64_t patience = home.spun_out ? 0 : patience_of(carrier);
    home.spun_out = false;
    const Looking looking(carrier);
    for (;;) {
        if (GOSSAMER_UNLIKELY(home.carrier != &carrier)) {
            if (home.wanted() && !stands_in_the_way(home)) return;
            come_home(home);
            continue;
        }
        if (home.wanted()) return;
        Item item;
        const std::uint64_t begin = arch::cycles();
        for (std::uint32_t look = 1; !makes_way(carrier); ++look) {
            if (home.wanted()) {
                carrier.patience.short_gap(g.patience.load(std::memory_order_relaxed));
                return;
            }
            item = next_local(carrier);
            if (item) break;
            if (look % looks_at_home == 0 || patience == 0) {
                item = steal(carrier);
                if (item || arch::cycles() - begin >= patience) break;
                if (look == looks_a_yield) look_for_others(Looker::idle_carrier);
                if (look % looks_a_yield == 0 && !yield_processor(&carrier)) break;
            }
            arch::pause();
        }
        if (GOSSAMER_UNLIKELY(!item && makes_way(carrier)) && leave_home(home)) continue;
        const bool found = item || search_and_park(carrier, item);
        carrier.patience.learn(arch::cycles() - begin, g.patience.load(std::memory_order_relaxed));
        if (!found) return;
        looking.set(false);
        hand_over(home, item, After::home);
        looking.set(true);
        patience = patience_of(carrier);
    }
}

bool spin_until(bool (*done)(const void* argument), const void* argument) {
    if (done(argument)) return true;
    Fiber& me = *self();
    me.spun_out = false;
    Carrier* const carrier = me.carrier;
    if (mode_is_on(mode_chaos | mode_no_spinning)) return false;
    const bool home = me.kind == Kind::native && carrier != nullptr;
    // Before anything that takes time: a pause and a look at the clock cost more than the switch to queued work.
    if (carrier != nullptr && is_wanted(me, *carrier)) return false;
    if (carrier != nullptr && some_home_is_left(*carrier)) return false;
    const std::uint64_t patience = home ? patience_of(*me.own) : fiber_patience();
    const std::uint64_t begin = arch::cycles();
    for (std::uint32_t look = 1;; ++look) {
        arch::pause();
        if (done(argument)) return true;
        if (carrier != nullptr && is_wanted(me, *carrier)) return false;
        if (look % looks_at_own == 0) {
            if (arch::cycles() - begin >= patience) break;
            // Tells the monitor that this fiber waits by our means. Not before: the store takes a tenth of a barrier.
            if (look == looks_at_own && carrier != nullptr) note_progress(*carrier);
            if (carrier != nullptr && makes_way(*carrier)) return false;
            if (carrier != nullptr && anything_to_steal(*carrier)) return false;
            if (look == looks_a_yield && carrier != nullptr) look_for_others(Looker::idle_carrier);
            if (look % looks_a_yield == 0 && !yield_processor(carrier)) break;
        }
    }
    me.spun_out = home;
    return false;
}

std::uint64_t cycles_in(std::uint32_t ns) { return static_cast<std::uint64_t>(g.cycles_a_ns * ns); }

bool spin_briefly(bool (*done)(const void* argument), const void* argument) {
    constexpr std::uint32_t most_ns = 1'000;
    // With one carrier the thread that holds what the caller waits for does not run.
    if (mode_is_on(mode_chaos | mode_no_spinning) || g.workers.load(std::memory_order_relaxed) < 2) return false;
    const std::uint64_t most = cycles_in(most_ns);
    const std::uint64_t begin = arch::cycles();
    do {
        arch::pause();
        if (done(argument)) return true;
    } while (arch::cycles() - begin < most);
    return false;
}

bool must_give_way() {
    const Fiber& me = *self();
    return me.carrier != nullptr && !me.carrier->relief && is_wanted(me, *me.carrier);
}

bool nothing_queued() {
    const Fiber& me = *self();
    const Carrier* const carrier = me.carrier;
    if (carrier == nullptr) return true;
    return carrier->nothing_queued() && !carrier->relief && (carrier->home == &me || !carrier->home_wants());
}

void wait_native(Fiber& me) {
    if (me.carrier != nullptr) {
        home_wait(me);
    } else {
        native_wait(me);
    }
}

void await_zero(const std::atomic<std::uint32_t>& count) {
    Fiber& me = *self();
    me.awaited.store(&count, std::memory_order_relaxed);  // the threads that count down do not look at it
    run_queued_until_wanted(me);
    // acquire pairs with count_down. Only home_wait knows whether a home that is away may go on there.
    for (bool may = me.carrier == me.own; !may || count.load(std::memory_order_acquire) != 0; may = true) home_wait(me);
    me.awaited.store(nullptr, std::memory_order_relaxed);
}

void count_down(std::atomic<std::uint32_t>& count, const Fiber& home) {
    Carrier& own = *home.own;
    // acq_rel: what each thread did happens before the home goes on; pairs with await_zero and Fiber::wanted.
    if (count.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    // On the home's own carrier the end of this call is followed by a decision, which looks at the home first.
    if (self()->carrier != &own) call_home(own);
}

void run_queued(const std::atomic<std::uint32_t>& count) {
    Fiber& me = *self();
    if (GOSSAMER_UNLIKELY(me.carrier != me.own)) return;
    me.awaited.store(&count, std::memory_order_relaxed);
    run_queued_until_wanted(me);
    while (GOSSAMER_UNLIKELY(me.carrier != me.own)) come_home(me);
    me.awaited.store(nullptr, std::memory_order_relaxed);
}

bool yield() {
    Fiber& me = *self();
    Carrier* const carrier = me.carrier;
    if (carrier == nullptr) {
        os::yield_native();
        return false;
    }
    if (GOSSAMER_UNLIKELY(carrier->relief)) return yield_apart(me);
    Item item = next_local(*carrier, true);
    if (!item) item = steal(*carrier);
    if (!item) return false;
    if (me.kind == Kind::native) {
        // Not by its permit, which may be there already for the wait that comes next.
        Carrier& own = *me.own;
        own.home_yielded.store(true, std::memory_order_relaxed);  // published by HomePlace::leave
        hand_over(me, item, carrier == &own ? After::home : After::come_home);
        own.home_yielded.store(false, std::memory_order_relaxed);
    } else {
        hand_over(me, item, After::yield);
    }
    return true;
}

void chaos_step() {
    Fiber& me = *self();
    Carrier* const carrier = me.carrier;
    if (carrier == nullptr || carrier->running != &me || carrier->random.one_in(2)) return;
    if (me.kind == Kind::native || carrier->random.one_in(2)) {
        yield();
        return;
    }
    Item item = next_local(*carrier, true);
    if (!item) item = steal(*carrier);
    hand_over(me, item, After::chaos);
}

}  // namespace gossamer::fiber
