// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Closing: all native threads of ours end, and their memory goes back to the system. The next root starts anew.
//
// Closing begins only when no root but the caller is a carrier, and while it lasts no thread can become one. So the only
// activity left is on its way to rest: fibers that were released, carriers that look for work, the monitor that looks at
// them. They end in this order: the workers, each after it has run what its queues hold; the monitor; the caller's own
// carrier; then the stock, in which every fiber lies by then, and from which no thread takes any more. The carriers' memory
// goes last.

#include <cstdlib>

#include "fiber/beat.hpp"
#include "fiber/carriers.hpp"
#include "fiber/home.hpp"
#include "fiber/overflow.hpp"
#include "fiber/stock.hpp"

namespace gossamer::fiber {

namespace {

// By a home. While it lets others run the monitor may have it run elsewhere; then it comes back, since its own carrier, and the
// native thread that it runs on, are to come to rest as well.
void run_what_is_queued(Fiber& home) {
    be_home(home);
    while (yield()) {}
    be_home(home);
}

// Keeps further roots out. False: other roots are in.
bool begin_closing(const Fiber& me) {
    SpinGuard guard(g.lock, os::yield_native);
    const std::uint32_t mine = me.carrier != nullptr ? 1 : 0;
    if (g.closing.load(std::memory_order_relaxed)) return false;
    if (g.roots.load(std::memory_order_relaxed) != mine) return false;
    g.closing.store(true, std::memory_order_relaxed);
    return true;
}

void end_worker(Carrier& carrier) {
    Fiber& home = *carrier.home;
    const auto end = [](void*) {
        run_what_is_queued(*self());
        self()->own->ends = true;
    };
    start(&home, {end, nullptr, nullptr, false}, carrier.index);
    wake_started(carrier.index + 1, carrier.index + 1, false);
    os::join_thread(home.thread);
    give_spares(carrier);
}

// After all workers have ended: until then one may look at another's home.
void forget_home(Carrier& carrier) {
    Fiber& home = *carrier.home;
    {
        SpinGuard guard(g.lock, os::yield_native);  // the monitor looks at homes under it
        vacate(carrier);
    }
    delete_home(home);
}

void end_monitor() {
    // From `ended` no thread wakes or starts it.
    if (g.monitor.watch.end_before_start()) return;
    while (!g.monitor.runs.load(std::memory_order_acquire)) {  // pairs with carry_out
        os::yield_native();
        if (g.monitor.watch.end_before_start()) return;  // the system has refused it meanwhile
    }
    g.monitor.watch.end();
    os::futex_wake(g.monitor.watch.word(), 1);
    os::join_thread(g.monitor.thread);
    os::unmap_stack(g.monitor.stack);
    g.monitor.stack = {};
    end_beaters();
}

// Fibers that were given up may still use carriers: no carrier's memory is freed from then on. Only the closing thread
// touches it.
constinit bool some_given_up = false;

// Brings every fiber to the stock. A fiber that was relieved just now may still be on its way there, by its own native thread
// or through a queue. False: after a second some are missing, now or from an earlier time, and are left alone.
bool gather(Fiber& me) {
    for (std::uint32_t look = 0; look < 1000; ++look) {
        // If the caller has no carrier, no thread runs what is queued.
        if (me.carrier != nullptr) {
            run_what_is_queued(me);
            give_spares(*me.carrier);  // relief carriers give theirs themselves
        }
        if (stock_is_complete()) return !some_given_up;
        os::sleep_native(1'000'000);
    }
    give_up_missing();
    some_given_up = true;
    return false;
}

void end_carriers(Fiber& me) {
    const std::uint32_t slots = g.slots.load(std::memory_order_relaxed);
    for (std::uint32_t index = 0; index < slots; ++index) {
        Carrier* const carrier = g.carriers[index].exchange(nullptr, std::memory_order_relaxed);
        if (carrier != nullptr) delete_carrier(*carrier);
    }
    me.carrier = me.own = nullptr;
    std::free(g.zones);  // their queues are empty: nothing runs, and nothing bound waits
}

}  // namespace

bool close_down(void (*retired)(std::uint32_t id), void (*at_rest)()) {
    Fiber& me = *self();
    if (!g.started.load(std::memory_order_acquire)) return true;
    if (!begin_closing(me)) return false;
    if (me.carrier != nullptr) run_what_is_queued(me);
    for (Carrier& worker : all_workers()) end_worker(worker);
    for (Carrier& worker : all_workers()) forget_home(worker);
    end_monitor();
    const bool all = gather(me);
    if (me.carrier != nullptr) unwatch_overflow(me);
    end_stock(retired);
    if (all && at_rest != nullptr) at_rest();

    SpinGuard guard(g.lock, os::yield_native);
    if (all) {
        end_carriers(me);
    } else {
        for (std::atomic<Carrier*>& each : g.carriers) each.store(nullptr, std::memory_order_relaxed);
        me.carrier = me.own = nullptr;
    }
    g.zones = nullptr;
    g.workers.store(0, std::memory_order_relaxed);
    g.slots.store(0, std::memory_order_relaxed);
    g.roots.store(0, std::memory_order_relaxed);
    g.inside.store(0, std::memory_order_relaxed);
    g.shared.store(false, std::memory_order_relaxed);
    g.light_fibers.store(false, std::memory_order_relaxed);
    g.monitor.runs.store(false, std::memory_order_relaxed);
    g.monitor.watch.forget();
    renew(g.monitor.proof);
    g.started.store(false, std::memory_order_relaxed);
    g.closing.store(false, std::memory_order_relaxed);  // enter takes the lock
    return all;
}

}  // namespace gossamer::fiber
