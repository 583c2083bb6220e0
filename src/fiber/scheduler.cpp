// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process's scheduler: which native threads are carriers, and how work is started on fibers that are reserved for it.

#include "fiber/scheduler.hpp"

#include <cstdlib>
#include <new>

namespace gossamer::fiber {

constinit Scheduler g;
constinit std::atomic<std::uint32_t> modes_on{0};
thread_local constinit Fiber* t_self = nullptr;
constinit std::atomic<std::intptr_t> self_at{0};

namespace {

constinit std::atomic<bool> said_shortage{false};
constinit std::atomic<bool> said_many{false};
constinit std::atomic<bool> said_shadow{false};

Carrier* new_carrier(std::uint32_t index, Fiber* home) {
    void* const memory = std::aligned_alloc(alignof(Carrier), sizeof(Carrier));
    if (memory == nullptr) return nullptr;
    Carrier* const carrier = ::new (memory) Carrier;
    carrier->index = index;
    carrier->random = Random(g.config.chaos + index + 1);
    if (g.zones != nullptr && g.config.distance != nullptr && index < g.config.carriers) {
        carrier->nearest = Nearest::make(index, g.config.carriers, g.config.distance);
    }
    carrier->home = home;
    carrier->running = home;
    if (home != nullptr) home->carrier = home->own = carrier;
    return carrier;
}

void publish_carrier(Carrier& carrier) {
    g.carriers[carrier.index].store(&carrier, std::memory_order_release);
    if (g.slots.load(std::memory_order_relaxed) <= carrier.index) {
        g.slots.store(carrier.index + 1, std::memory_order_release);  // pairs with every loop over the slots
    }
}

// A worker's native thread: on its own stack it only serves `start`, and looks for work meanwhile.
void worker_main(void* argument) {
    Fiber& home = *static_cast<Fiber*>(argument);
    t_self = &home;
    home.thread_pointer = arch::thread_pointer();
    sanitizer::native_begins(home.sanitizer);
    home.own->native_thread.store(os::kernel_thread_id(), std::memory_order_relaxed);  // published by native_word
    os::name_thread("gossamer");
    // The kernel tends to begin it beside its creator, and parts two threads that wait for each other on one CPU only late.
    os::move_away_from(g.first_cpu, home.own->index - 1);
    watch_overflow(home);
    home.native_word.store(1, std::memory_order_release);  // pairs with start_workers
    os::futex_wake(home.native_word, 1);
    for (;;) {
        home_wait(home);
        home.taken.store(home.orders.load(std::memory_order_relaxed), std::memory_order_relaxed);
        home.start_call(home.start_argument);
        report_served();
        if (GOSSAMER_UNLIKELY(home.own->ends)) break;
    }
    unwatch_overflow(home);
    t_self = nullptr;
}

Fiber* new_home() {
    void* const memory = std::aligned_alloc(alignof(Fiber), sizeof(Fiber));
    if (memory == nullptr) return nullptr;
    Fiber* const home = ::new (memory) Fiber;
    home->kind = Kind::native;
    home->id = take_id();
    return home;
}

// The rate of arch::cycles, from two looks a little apart: good to a few per cent, which is all that a patience needs.
double cycles_per_ns() {
    constexpr std::uint64_t sample_ns = 20'000;
    const std::uint64_t cycles = arch::cycles(), begin = os::now_ns();
    std::uint64_t elapsed;
    while ((elapsed = os::now_ns() - begin) < sample_ns) arch::pause();
    return static_cast<double>(arch::cycles() - cycles) / static_cast<double>(elapsed);
}

void start_workers(std::uint32_t wanted) {
    std::uint32_t index = 1;
    for (; index < wanted; ++index) {
        Fiber* const home = new_home();
        Carrier* const carrier = home == nullptr ? nullptr : new_carrier(index, home);
        const int code = carrier == nullptr ? ENOMEM : start_with_room([&](std::size_t extra) {
            return os::start_thread(worker_main, home, g.config.stack_size + extra, home->thread);
        });
        if (code != 0) {
            tell_shortage(code, "fewer carriers than processors, and OpenMP threads may have to share thread-local variables");
            std::free(carrier);
            if (home != nullptr) {
                give_id(home->id);
                home->~Fiber();
                std::free(home);
            }
            break;
        }
        if (g.zones != nullptr) serve_zone(*carrier, g.config.zone_of(index), Server::worker);
        publish_carrier(*carrier);
    }
    for (std::uint32_t i = 1; i < index; ++i) {
        Fiber& home = *g.carriers[i].load(std::memory_order_relaxed)->home;
        while (home.native_word.load(std::memory_order_acquire) == 0) os::futex_wait(home.native_word, 0);
    }
    g.workers.store(index, std::memory_order_release);
}

void apply_patience() {
    const double cycles = g.cycles_a_ns * static_cast<double>(g.config.patience_ns);
    g.patience.store(cycles < 9e18 ? static_cast<std::uint64_t>(cycles) : UINT64_MAX, std::memory_order_relaxed);
    g.adaptive.store(g.config.adaptive, std::memory_order_relaxed);
}

// The first root becomes carrier 0 and starts the workers.
bool start_all(Fiber& root) {
    g.by_kernel = g.config.kernel_sets_thread_pointer || !arch::can_set_thread_pointer();
    g.cycles_a_ns = cycles_per_ns();
    apply_patience();
    g.signals = os::signal_mask();
    if (g.config.zones != 0) make_zones();
    Carrier* const carrier = new_carrier(0, &root);
    if (carrier == nullptr) return false;
    carrier->native_thread.store(os::kernel_thread_id(), std::memory_order_relaxed);
    publish_carrier(*carrier);
    g.roots.store(1, std::memory_order_relaxed);
    watch_overflow(root);
    g.first_cpu = os::current_cpu();
    start_workers(g.config.carriers);
    modes_on.store(g.config.modes | (g.config.chaos != 0 ? std::uint32_t{mode_chaos} : 0), std::memory_order_relaxed);
    g.started.store(true, std::memory_order_release);
    return true;
}

// A further root gets the slot that an earlier one has left, or a new one.
bool take_slot(Fiber& root) {
    for (std::uint32_t index = 0; index < max_carriers; ++index) {
        if (index != 0 && index < g.workers.load(std::memory_order_relaxed)) continue;
        Carrier* carrier = g.carriers[index].load(std::memory_order_relaxed);
        if (carrier != nullptr && carrier->home != nullptr) continue;
        if (carrier == nullptr) {
            carrier = new_carrier(index, &root);
            if (carrier == nullptr) return false;
            publish_carrier(*carrier);
        } else {
            carrier->home = &root;
            carrier->running = &root;
            carrier->relief = false;
            carrier->serves.store(Serves::all, std::memory_order_relaxed);
            root.carrier = root.own = carrier;
        }
        carrier->native_thread.store(os::kernel_thread_id(), std::memory_order_relaxed);  // stale or new: a hint
        watch_overflow(root);
        if (g.roots.fetch_add(1, std::memory_order_relaxed) > 0) g.shared.store(true, std::memory_order_relaxed);
        return true;
    }
    return false;
}

}  // namespace

void tell_shortage(int code, const char* consequence) {
    say_once(said_shortage, "the system refuses more %s (error %d): %s", code == ENOMEM ? "memory" : "native threads", code,
             consequence);
}

void set_patience(std::uint64_t patience_ns, bool adaptive) {
    SpinGuard guard(g.lock, os::yield_native);
    g.config.patience_ns = patience_ns;
    g.config.adaptive = adaptive;
    if (g.started.load(std::memory_order_relaxed)) apply_patience();
}

void configure(const Config& config) {
    g.config = config;
    if (g.config.carriers == 0) g.config.carriers = 1;
}

const Config& config() { return g.config; }

Fiber& adopt_native() {
    Fiber* const home = new_home();
    if (home == nullptr) fatal("out of memory for the descriptor of a native thread");
    home->thread_pointer = arch::thread_pointer();
    sanitizer::native_begins(home->sanitizer);
    t_self = home;
    self_at.store(GOSSAMER_STATIC_DISTANCE("gossamer_self"), std::memory_order_relaxed);
    return *home;
}

bool enter() {
    Fiber& me = *self();
    if (GOSSAMER_LIKELY(me.carrier != nullptr)) return true;
    if (arch::shadow_stack_active()) {
        say_once(said_shadow,
                 "shadow stacks are on in this process, and fibers cannot run on them: parallel regions have "
                 "one thread each (GLIBC_TUNABLES=glibc.cpu.x86_shstk=off turns them off)");
        return false;
    }
    bool entered;
    for (bool closing = true; closing;) {
        while (g.closing.load(std::memory_order_relaxed)) os::yield_native();
        SpinGuard guard(g.lock, os::yield_native);
        closing = g.closing.load(std::memory_order_relaxed);
        if (!closing) entered = g.started.load(std::memory_order_relaxed) ? take_slot(me) : start_all(me);
    }
    if (!entered) {
        say_once(said_many, "more than %u native threads in parallel regions at once: the others run theirs with one thread",
                 max_carriers - g.workers.load(std::memory_order_relaxed));
    }
    return entered;
}

std::uint32_t carrier_count() { return g.workers.load(std::memory_order_acquire); }

Fiber* worker_home(std::uint32_t carrier) { return g.carriers[carrier].load(std::memory_order_acquire)->home; }

bool start(Fiber* fiber, const Start& start, std::uint32_t near) {
    fiber->start_call = start.call;
    fiber->start_argument = start.argument;
    fiber->start_tag = start.tag;
    fiber->record = start.record;
    if (fiber->kind == Kind::native) {
        order(*fiber);  // wake_started looks whether it sleeps
        return false;
    }
    const bool rested = fiber->rested;
    if (rested || fiber->permit.notify()) {
        fiber->rested = false;
        if (GOSSAMER_UNLIKELY(start.apart) && run_apart(Item(fiber))) return false;
        const Fiber* const caller = known_self();
        Carrier* const me = caller == nullptr ? nullptr : caller->carrier;
        // A light fiber would be stuck on the carrier of a root that is in no region.
        if (near == near_caller && me != nullptr) {
            fiber->carrier = me;
        } else if (fiber->kind != Kind::light || is_worker(near)) {
            fiber->carrier = g.carriers[near].load(std::memory_order_acquire);
        } else if (me != nullptr) {
            fiber->carrier = me;
        }
        // A rested fiber runs with its permit as it is: no thread has notified it.
        if (me != nullptr && fiber->carrier == me && fiber->kind != Kind::light && me->deque.push(Item(fiber))) return true;
        (fiber->kind == Kind::light ? fiber->carrier->pinned : fiber->carrier->inbox).push(fiber);
    }
    return true;
}

bool others_are_busy() { return crowded(); }

void wake_started(std::uint32_t homes, std::uint32_t count, bool queued) {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with announce
    const std::uint32_t workers = g.workers.load(std::memory_order_relaxed);
    if (GOSSAMER_UNLIKELY(queued)) note_work();
    if (g.idle.counts().sleeping() == 0) return;
    const bool enough = crowded();
    for (std::uint32_t index = 1; index < count && index < workers; ++index) {
        if (!g.idle.still_asleep(index)) continue;
        Carrier& carrier = *g.carriers[index].load(std::memory_order_acquire);
        if (GOSSAMER_UNLIKELY(enough)) {
            if (index < homes && left_to_others(carrier)) {
                note_work();
                continue;
            }
            if (index >= homes && carrier.pinned.empty_hint()) continue;
            const std::uint32_t calls = carrier.home_calls.direct.load(std::memory_order_relaxed);
            if (calls != 0) carrier.home_calls.direct.store(calls - 1, std::memory_order_relaxed);
        }
        if (g.idle.claim(index)) unpark(carrier);
    }
    // The monitor looks after what is left.
    if (!queued || GOSSAMER_UNLIKELY(enough)) return;
    // Any carrier may take what lies in the queue of a busy one; the carrier that wakes here wakes the next.
    const int other = g.idle.publish();
    if (other != EventCount::nobody) unpark(*g.carriers[other].load(std::memory_order_acquire));
}

void start_now(Fiber* fiber, const Start& what, std::uint32_t near) {
    Carrier* const home_of = fiber->kind == Kind::native ? fiber->own : nullptr;
    start(fiber, what, near);
    if (home_of == nullptr) return wake_started(0, 0, true);
    call_home(*home_of);
}

void report_served() {
    Fiber& me = *self();
    const std::uint32_t taken = me.taken.load(std::memory_order_relaxed);
    if (me.reported == taken) return;
    me.reported = taken;
    me.served.store(taken, std::memory_order_seq_cst);  // pairs with has_served: the waiter sees this, or we see that it sleeps
}

Carrier* open_relief_carrier() {
    SpinGuard guard(g.lock, os::yield_native);
    for (std::uint32_t index = g.workers.load(std::memory_order_relaxed); index < max_carriers; ++index) {
        Carrier* carrier = g.carriers[index].load(std::memory_order_relaxed);
        if (carrier != nullptr && carrier->home != nullptr) continue;
        if (carrier == nullptr && (carrier = new_carrier(index, nullptr)) == nullptr) return nullptr;
        if (carrier->duty.lender == nullptr && (carrier->duty.lender = new_home()) == nullptr) return nullptr;
        carrier->duty.lender->kind = Kind::lender;
        carrier->duty.lender->carrier = carrier;
        carrier->home = carrier->running = carrier->duty.lender;
        carrier->relief = true;
        g.apart.store(g.apart.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        carrier->bound = 0;
        carrier->serves.store(Serves::one, std::memory_order_relaxed);
        if (g.carriers[index].load(std::memory_order_relaxed) == nullptr) publish_carrier(*carrier);
        return carrier;
    }
    return nullptr;
}

void close_relief_carrier(Carrier& carrier) {
    give_spares(carrier);
    carrier.serves.store(Serves::nobody, std::memory_order_relaxed);  // a hint: what comes late is found by thieves
    if (!carrier.nothing_queued()) published_here(carrier);
    SpinGuard guard(g.lock, os::yield_native);
    carrier.home = carrier.running = nullptr;
    g.apart.store(g.apart.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
}

void pass_on() {
    Fiber& me = *self();
    if (GOSSAMER_UNLIKELY(me.kind == Kind::native && me.carrier != me.own)) {
        // An initial thread is back on its own native thread when its region ends.
        be_home(me);
    }
    Carrier& carrier = *me.carrier;
    if (GOSSAMER_UNLIKELY(carrier.lights.in_call != 0)) {
        carrier.home_leaves = true;
        suspend();  // end_call of the last one resumes
        carrier.home_leaves = false;
    }
    if (GOSSAMER_UNLIKELY(carrier.presence.inside())) stop_taking_part(carrier);
    if (GOSSAMER_UNLIKELY(carrier.zone.load(std::memory_order_relaxed) != nullptr) && me.kind == Kind::native) {
        stop_serving(carrier);
        if (me.zone == 0 && carrier.bound != 0) settle(carrier, 0);  // it has run what was bound, but is not bound itself
    }
    if (GOSSAMER_UNLIKELY(!carrier.nothing_queued())) published_here(carrier);
}

void leave() {
    Fiber* const me = known_self();
    if (me == nullptr || me->kind != Kind::native) return;
    if (Carrier* const carrier = me->carrier) {
        pass_on();
        end_taking_part(*carrier);
        give_spares(*carrier);
        SpinGuard guard(g.lock, os::yield_native);
        carrier->running = nullptr;
        carrier->home = nullptr;
        carrier->serves.store(Serves::nobody, std::memory_order_relaxed);
        g.roots.fetch_sub(1, std::memory_order_relaxed);
    }
    unwatch_overflow(*me);
    t_self = nullptr;
    give_id(me->id);
    me->~Fiber();
    std::free(me);
}

Counters counters() {
    Counters sum;
    const std::uint32_t slots = g.slots.load(std::memory_order_acquire);  // pairs with publish_carrier
    for (std::uint32_t index = 0; index < slots; ++index) {
        const Carrier* const carrier = g.carriers[index].load(std::memory_order_acquire);
        if (carrier == nullptr) continue;
        sum.switches += carrier->counters.switches;
        sum.calls += carrier->counters.calls;
        sum.steals += carrier->counters.steals;
        sum.parks += carrier->counters.parks;
        sum.partings += carrier->counters.partings;
        sum.relieved += carrier->counters.relieved;
    }
    sum.fibers = g.fibers_made.load(std::memory_order_relaxed);
    return sum;
}

bool anybody_sleeps() { return g.idle.counts().sleeping() != 0; }

std::uint32_t idle_carriers() {
    std::uint32_t idle = 0;
    const std::uint32_t workers = g.workers.load(std::memory_order_acquire);  // pairs with start_workers
    for (std::uint32_t index = 1; index < workers; ++index) {
        idle += g.carriers[index].load(std::memory_order_acquire)->looking.load(std::memory_order_relaxed) ? 1 : 0;
    }
    return idle;
}

}  // namespace gossamer::fiber
