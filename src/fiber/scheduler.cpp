// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process's scheduler: which native threads become carriers, and how they leave again.

#include "fiber/scheduler.hpp"

#include <algorithm>

#include "fiber/carriers.hpp"
#include "fiber/home.hpp"
#include "fiber/idle.hpp"
#include "fiber/last_stacks.hpp"
#include "fiber/overflow.hpp"
#include "fiber/ready.hpp"
#include "fiber/roots.hpp"
#include "fiber/stock.hpp"
#include "fiber/zone.hpp"

namespace gossamer::fiber {

constinit Scheduler g;
constinit std::atomic<std::uint32_t> modes_on{0};
thread_local constinit Fiber* t_self = nullptr;
thread_local constinit bool t_ends = false;
constinit std::atomic<std::intptr_t> self_at{0};

namespace {

constinit std::atomic<void (*)()> adopted{nullptr};  // relaxed: set when the library is loaded

constinit std::atomic<bool> said_shortage{false};
constinit std::atomic<bool> said_smaller_stack{false};
constinit std::atomic<bool> said_many{false};
constinit std::atomic<bool> said_shadow{false};

// The CPUs that the workers may use, where the root that starts them is bound to fewer; otherwise empty. Written before they
// start.
constinit os::CpuMask workers_cpus;

// A native thread inherits the masks of the one that starts it. The first root may be a thread that the program has bound, or
// in which it has blocked signals, for purposes of its own; and the workers serve all roots.
void find_masks_of_workers() {
    g.signals = os::shared_signal_mask();
    os::CpuMask own, all;
    workers_cpus = os::CpuMask();
    if (g.config.zones != 0 || os::is_initial_thread()) return;
    if (os::affinity(own) != 0 || os::affinity_of_process(all) != 0) return;
    all = os::common(all, os::startup_cpus());
    if (all.count() > own.count()) workers_cpus = all;
}

// A worker's native thread: on its own stack it only serves `start`, and looks for work meanwhile. Its creator does not wait
// for it: what it is ordered to do before it is here lies there when it comes.
void worker_main(void* argument) {
    Fiber& home = *static_cast<Fiber*>(argument);
    t_self = &home;
    home.thread_pointer = arch::thread_pointer();
    sanitizer::native_begins(home.sanitizer);
    home.own->native_thread.store(os::kernel_thread_id(), std::memory_order_relaxed);  // until then, none: a hint
    os::name_thread("gossamer");
    if (workers_cpus.count() != 0) os::bind_affinity(workers_cpus);
    os::set_signal_mask(g.signals);
    // The kernel tends to begin it beside its creator, and parts two threads that wait for each other on one CPU only late.
    os::move_away_from(g.first_cpu, home.own->index - 1);
    take_alternate_stack(home);
    for (;;) {
        home_wait(home);
        home.taken.store(home.orders.load(std::memory_order_relaxed), std::memory_order_relaxed);
        home.record = home.start_record;
        home.start_call(home.start_argument);
        report_served();
        if (GOSSAMER_UNLIKELY(home.own->ends)) break;
    }
    unwatch_overflow(home);
    leave_native_thread();
}

// The two clocks of this machine (cycle_rate.hpp).
struct MachineClocks {
    static std::uint64_t cycles() { return arch::cycles(); }
    static std::uint64_t now_ns() { return os::now_ns(); }
    static void pause() { arch::pause(); }
};

// Starts a worker on the largest stack that the system grants. 0, or the code of what it refused.
int start_worker(Fiber& home) {
    int refused = 0;
    for (const std::size_t size : StackSizes()) {
        const int code =
            start_with_room([&](std::size_t extra) { return os::start_thread(worker_main, &home, size + extra, home.thread); });
        if (code == 0) {
            if (refused == 0) return 0;
            g.granted_stack.store(size, std::memory_order_relaxed);
            tell_smaller_stack(refused, size);
            return 0;
        }
        if (code != ENOMEM && code != EAGAIN) return code;
        refused = code;  // libc says EAGAIN of a stack that the system refuses, too
    }
    return refused;
}

void start_workers(std::uint32_t wanted) {
    std::uint32_t index = 1;
    for (; index < wanted; ++index) {
        Fiber* const home = new_home();
        Carrier* const carrier = home == nullptr ? nullptr : new_carrier(index);
        if (carrier != nullptr) {
            occupy(*carrier, *home, Serves::all);
            bring_alternate_stack(*home);
        }
        const int code = carrier == nullptr ? ENOMEM : start_worker(*home);
        if (code != 0) {
            tell_shortage(code, "fewer carriers than processors, and OpenMP threads may have to share thread-local variables");
            if (carrier != nullptr) {
                return_alternate_stack(*home);
                delete_carrier(*carrier);
            }
            if (home != nullptr) delete_home(*home);
            break;
        }
        learn_stack(*home);
        if (g.zones != nullptr) serve_zone(*carrier, g.config.zone_of(index), Server::worker);
        publish_carrier(*carrier);
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
    MachineClocks clocks;
    g.cycles_a_ns = cycle_rate(clocks, g.config.clocks);
    g.thief_times = ThiefTimes(g.cycles_a_ns);
    apply_patience();
    find_masks_of_workers();
    if (g.config.one_to_one) become_one_to_one();
    if (g.config.zones != 0) make_zones();
    Carrier* const carrier = new_carrier(0);
    if (carrier == nullptr) return false;
    occupy(*carrier, root, Serves::all);
    carrier->native_thread.store(os::kernel_thread_id(), std::memory_order_relaxed);
    publish_carrier(*carrier);
    g.roots.store(1, std::memory_order_relaxed);
    watch_overflow(root);
    g.first_cpu = os::current_cpu();
    g.processors = os::cpu_count();
    start_workers(g.config.carriers);
    modes_on.store(g.config.modes | (g.config.chaos != 0 ? std::uint32_t{mode_chaos} : 0), std::memory_order_relaxed);
    g.started.store(true, std::memory_order_release);
    return true;
}

// A further root gets the slot that an earlier one has left, or a new one.
bool take_slot(Fiber& root) {
    Carrier* const carrier = vacant_carrier();
    if (carrier == nullptr) return false;
    occupy(*carrier, root, Serves::all);
    carrier->native_thread.store(os::kernel_thread_id(), std::memory_order_relaxed);  // stale or new: a hint
    watch_overflow(root);
    if (g.roots.fetch_add(1, std::memory_order_relaxed) > 0) g.shared.store(true, std::memory_order_relaxed);
    return true;
}

}  // namespace

StackSizes::StackSizes() {
    constexpr std::size_t medium_stack = 1u << 20;
    std::size_t size = std::min(g.config.stack_size, g.granted_stack.load(std::memory_order_relaxed));
    sizes_[count_++] = size;
    for (const std::size_t smaller : {g.config.usual_stack_size, medium_stack, smallest_stack}) {
        if (smaller < size) sizes_[count_++] = size = smaller;
    }
}

void tell_smaller_stack(int code, std::size_t used) {
    if (g.config.tell_smaller_stack == nullptr) return tell_shortage(ENOMEM, "stacks are smaller than was asked for");
    if (!said_smaller_stack.exchange(true, std::memory_order_relaxed))
        g.config.tell_smaller_stack(g.config.stack_size, code, used);
}

void tell_shortage(int code, const char* consequence) {
    say_once(said_shortage, "the system refuses more %s (error %d): %s", code == ENOMEM ? "memory" : "native threads", code,
             consequence);
}

int start_on_stack(std::size_t size, void (*main)(void*), void* argument, pthread_t& thread, os::Stack& stack) {
    return start_with_room([&](std::size_t extra) {
        os::Stack mapped;
        if (const int code = os::map_stack(size + extra, mapped)) return code;
        const int code = os::start_thread_on(mapped, main, argument, thread);
        if (code == 0) {
            stack = mapped;
        } else {
            os::unmap_stack(mapped);
        }
        return code;
    });
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

ClockLook look_at_clocks() {
    MachineClocks clocks;
    return look_at(clocks);
}

void on_adoption(void (*note)()) { adopted.store(note, std::memory_order_relaxed); }

Fiber& adopt_native() {
    Fiber* const home = new_home();
    if (home == nullptr) fatal("out of memory for the descriptor of a native thread");
    home->thread_pointer = arch::thread_pointer();
    sanitizer::native_begins(home->sanitizer);
    t_self = home;
    self_at.store(GOSSAMER_STATIC_DISTANCE("gossamer_self"), std::memory_order_relaxed);
    if (const auto note = adopted.load(std::memory_order_relaxed); note != nullptr) note();
    return *home;
}

void leave_native_thread() {
    t_self = nullptr;
    t_ends = true;
}

bool become_carrier() {
    if (t_ends) return false;
    Fiber& me = *self();
    if (arch::shadow_stack_active()) {
        say_once(said_shadow,
                 "shadow stacks are on in this process, and fibers cannot run on them: parallel regions have "
                 "one thread each (GLIBC_TUNABLES=glibc.cpu.x86_shstk=off turns them off)");
        return false;
    }
    bool entered, full = false;
    for (bool closing = true; closing;) {
        while (g.closing.load(std::memory_order_relaxed)) os::yield_native();
        SpinGuard guard(g.lock, os::yield_native);
        closing = g.closing.load(std::memory_order_relaxed);
        if (!closing) entered = g.started.load(std::memory_order_relaxed) ? take_slot(me) : start_all(me);
        full = all_taken();
    }
    if (!entered && !full) {
        tell_shortage(ENOMEM, "a native thread's parallel regions have one thread each");
    } else if (!entered) {
        say_once(said_many, "more than %u native threads in parallel regions at once: the others run theirs with one thread",
                 max_carriers - g.workers.load(std::memory_order_relaxed));
    }
    return entered;
}

std::uint64_t cycles_in(std::uint32_t ns) { return static_cast<std::uint64_t>(g.cycles_a_ns * ns); }

std::uint32_t carrier_count() { return g.workers.load(std::memory_order_acquire); }

std::uint32_t carrier_number() {
    const Carrier* const carrier = self()->carrier;
    return GOSSAMER_LIKELY(carrier != nullptr && !carrier->relief) ? carrier->index : no_carrier;
}

Fiber* worker_home(std::uint32_t carrier) { return carrier_at(carrier).home; }

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

std::uint32_t leave() {
    Fiber* const me = known_self();
    if (me == nullptr || me->kind != Kind::native) return 0;
    std::uint32_t given = 0;
    if (me->carrier != nullptr) {
        pass_on();  // from here on the carrier is its own
        end_taking_part(*me->own);
        given = give_spares(*me->own);
        SpinGuard guard(g.lock, os::yield_native);
        vacate(*me->own);
        g.roots.fetch_sub(1, std::memory_order_relaxed);
    }
    unwatch_overflow(*me);
    t_self = nullptr;
    delete_home(*me);
    return given;
}

}  // namespace gossamer::fiber
