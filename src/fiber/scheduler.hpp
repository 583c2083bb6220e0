// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the rooms of this layer share: the process's one scheduler, and the steps of its loop.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "arch/arch.hpp"
#include "base/base.hpp"
#include "fiber/carrier.hpp"
#include "fiber/eventcount.hpp"
#include "fiber/schedule.hpp"
#include "fiber/watch.hpp"
#include "fiber/zone.hpp"

namespace gossamer::fiber {

constexpr std::uint32_t max_carriers = 2 * most_workers;  // the other half is for roots and relief

// Fiber::native_word of a full fiber: its pthread has lent its identity and sleeps, or is ordered to run an item, or to end.
constexpr std::uint32_t lent = 1;
constexpr std::uint32_t ordered = 2;
constexpr std::uint32_t ended = 3;

struct Beater;

struct Scheduler {
    Config config;
    std::atomic<bool> started{false};
    std::atomic<std::uint32_t> workers{0};  // homes that `worker_home` gives, carrier 0 included
    std::atomic<std::uint32_t> slots{0};    // carriers [0, slots) have existed; a thief looks at all of them
    std::atomic<Carrier*> carriers[max_carriers] = {};
    EventCount idle;
    Zone* zones = nullptr;                   // [0, config.zones]; null: nothing is ever bound
    SpinLock lock;                           // start, and the slots of roots
    double cycles_a_ns = 0;                  // the rate of arch::cycles
    std::atomic<std::uint64_t> patience{0};  // Config::patience_ns in arch::cycles
    std::atomic<bool> adaptive{false};       // Config::adaptive
    std::atomic<std::uint32_t> roots{0};     // native threads that became carriers by themselves
    std::atomic<bool> shared{false};         // there are several roots, or have been: homes may be left (roots.cpp)
    alignas(no_share) std::atomic<std::uint32_t> inside{0};  // how many of them take part (roots.cpp)
    std::atomic<std::size_t> stack_extra{0};                 // see start_with_room
    std::atomic<bool> light_fibers{false};                   // some exist, or have existed
    unsigned first_cpu = 0;                                  // where the first root ran when it started the workers
    bool by_kernel = false;                                  // the thread pointer can be set only by a system call
    std::atomic<std::uint64_t> fibers_made{0};
    std::atomic<bool> closing{false};       // closing.cpp
    std::atomic<bool> monitor_runs{false};  // the next two are there
    pthread_t monitor{};
    os::Stack monitor_stack;
    os::SignalMask signals{};                // the first root's mask, which relieved fibers have too
    Watch watch;                             // the monitor
    std::atomic<std::uint32_t> apart{0};     // relief carriers in use; written under `lock`
    std::atomic<std::uint64_t> apart_ns{0};  // CPU time of what has come back
    std::atomic<std::uint64_t> beats{0};     // beat.cpp
    std::atomic<std::uint32_t> beat{0};      // the same: what its native threads do
    Beater* beaters = nullptr;               // those threads; the monitor's, and closing's once that has ended
    unsigned beater_count = 0;
};
extern Scheduler g __attribute__((visibility("hidden")));

// Carrier 0 and the carriers from `workers` on belong to roots.
inline bool is_worker(std::uint32_t carrier) { return carrier != 0 && carrier < g.workers.load(std::memory_order_relaxed); }

// The carrier's own native thread, at a scheduling point.
inline std::uint32_t note_progress(Carrier& carrier) {
    const std::uint32_t progress = carrier.progress.load(std::memory_order_relaxed) + 1;
    carrier.progress.store(progress, std::memory_order_relaxed);
    return progress;
}

// What the next fiber does with the fiber that was left, once that fiber's context is saved.
enum class After : std::uintptr_t {
    park,       // it waits for `resume`
    spare,      // a fiber of the loop with nothing to do: to the carrier's stock
    yield,      // it is ready: to the end of the queue
    home,       // a home on its own native thread: its carrier, or the monitor, takes it from there
    come_home,  // a home that was away
    back,       // it was relieved, and is ready: to the queue of a worker or carrier 0
    chaos,      // it is ready: to some other carrier's queue
    count
};

// Switches from the caller's fiber `from`; returns when another thread of control resumes `from`, maybe on another carrier.
void switch_to(Fiber& from, Fiber& to, After after);

// Runs `item` in place of the caller `from`: a fiber by a switch, a range on a fiber of the loop; no item: the home. Returns
// as above.
void hand_over(Fiber& from, Item item, After after);

// The body of every fiber that is not a home: serves `start` while reserved, else runs the scheduling loop.
[[noreturn]] void fiber_main(void* payload);

// Around each call that a fiber of the loop, or a reserved one, runs.
inline void begin_call(Fiber& me) {
    if (GOSSAMER_UNLIKELY(me.kind == Kind::light)) ++me.carrier->lights.in_call;
}
inline void end_call(Fiber& me) {
    if (GOSSAMER_LIKELY(me.kind != Kind::light)) return;
    Carrier& carrier = *me.carrier;
    if (--carrier.lights.in_call == 0 && carrier.home_leaves) carrier.home->permit.notify();
}

// Puts a range with numbers left into the deque of the caller's carrier, and announces it.
void push_range(Carrier& carrier, Range& range);

// For mode_no_calls: one number of `range`, whose others stay visible; nothing if the range is exhausted.
Item split_one(Carrier& carrier, Range& range);

// The next thing to do here, best first: the home if it is ready, pinned fibers, own deque, inbox, zone. With `fair`, and
// every so often without, the item that has waited longest instead, so that fibers that yield to or wake each other starve no
// other.
Item next_local(Carrier& carrier, bool fair = false);
// One look at every other carrier. Never blocks.
Item steal(Carrier& thief);
bool anything_to_steal(const Carrier& thief);
// What a carrier does next when its own work has run out, or its fiber waits; nothing: there is none.
Item find_work(Carrier& carrier);
bool anything_queued_elsewhere(const Carrier& thief);  // without left homes

// Puts a ready fiber where it last ran, and wakes a carrier for it if need be.
void make_ready(Fiber& fiber);
// After work became visible in the queues of `carrier`; published_here, where the caller runs on that carrier.
void published(Carrier& carrier);
void published_here(Carrier& carrier);
void unpark(Carrier& carrier);
// After the home of `own` was given an order or its permit: tells a thread that may run the home.
void call_home(Carrier& own);

// Keeps the monitor awake. Call after a seq_cst fence behind the step that made work visible which some carrier may never
// come to.
void wake_monitor();
inline void note_work() {
    if (GOSSAMER_UNLIKELY(!g.watch.looks())) wake_monitor();
}

// On the native thread of a full fiber: runs the item that it was ordered to run until that waits or ends.
void serve_relief(Fiber& fiber);

// The monitor, at each look: whether the processors get a beat from now on for what runs apart (beat.cpp). `came_back`: how
// often a fiber or number that ran apart has come to wait, or to its end, ever.
bool conduct(std::uint32_t came_back);
// Ends the beat's native threads, once the monitor has ended.
void end_beaters();

// Has a native thread of its own run `item`, which lies in no queue. False: the system grants none, and the caller keeps the
// item. `behind`: where it was stuck; `habit`: what may learn from it, or null.
bool run_apart(Item item, const Behind& behind = {}, Habit* habit = nullptr);
// A fiber that runs apart, before it waits: runs apart, too, what it leaves in its carrier's queue, while the carrier that it
// was stuck behind is still stuck, and no other carrier is free.
void hand_on(Carrier& carrier);
// For a ready fiber that lies in no queue and last ran apart: runs it apart again for the same reason. False: it does not.
bool stays_apart(Fiber& fiber);
// For a ready fiber that lies in no queue: runs it apart if its work has the habit. False: it does not.
bool go_on_apart(Fiber& fiber);
// A fiber that runs apart, at a scheduling point. True: it came back to the carriers, and something else has run meanwhile.
bool yield_apart(Fiber& me);

// For the monitor: takes one ready fiber of `victim` or, if `ranges`, a range, of one number if it can be.
Item take_one(Carrier& victim, bool ranges);
// A carrier for one fiber that runs apart. Null: all slots are taken, or there is no memory.
Carrier* open_relief_carrier();
// By that carrier's native thread. Touches no thread-local storage, which another carrier may be using by now.
void close_relief_carrier(Carrier& carrier);

// Leaves a home that is away to its own carrier. Returns when that carrier, or another thread once more, runs it.
void come_home(Fiber& home);
// The same, until the home is there.
void be_home(Fiber& home);

// By a thread other than the home's own carrier: takes a home that was left, to run it elsewhere. False: the home stays.
bool take_home(Carrier& own);

// Gives a home `start` to run. The home's native thread may sleep: the caller has to look at that afterwards.
inline void order(Fiber& home) {
    // release pairs with Fiber::wanted. No addition: no other thread gives this home an order meanwhile.
    home.orders.store(home.orders.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

// Searches, and parks, until there is work: true, with it in `item`; or until the home that calls is notified: false.
bool search_and_park(Carrier& carrier, Item& item);

// Whether there are several roots: without that, nothing of what follows can hold.
inline bool several_roots() { return g.roots.load(std::memory_order_relaxed) > 1; }
// Whether as many native threads as there may be carriers, and `more`, are awake. `crowded`: work that becomes visible wakes
// none.
bool too_many_awake(std::uint32_t more);
inline bool crowded() { return GOSSAMER_UNLIKELY(several_roots()) && too_many_awake(0); }
// One more than that are awake, and `carrier` makes way: it takes no more work, and parks.
inline bool makes_way(const Carrier& carrier) {
    return GOSSAMER_UNLIKELY(several_roots()) && is_worker(carrier.index) && carrier.lights.in_call == 0 &&
           carrier.lights.ready == nullptr && carrier.pinned.empty_hint() && too_many_awake(1);
}

// The home of a worker that makes way: leaves itself where other carriers may run it, and parks its native thread on a fiber
// of the loop. Returns when some carrier runs it. False, without effect: the home must stay with its native thread.
bool leave_home(Fiber& home);
// A wanted home that was left so, for a carrier that has no other work; nothing: there is none.
Item take_left_home(const Carrier& thief);
bool some_home_is_left(const Carrier& thief);
// Whether the home of `own` was left so, and its native thread need not be woken.
bool left_to_others(const Carrier& own);

// A root leaves its region, and wakes no worker.
void stop_taking_part(Carrier& carrier);
// A root ends.
void end_taking_part(Carrier& carrier);
// The monitor, at each look: takes off the count the roots that linger between their regions, but sleep.
void let_go_of_sleepers();
// The monitor, which finds work queued on `carrier`: wakes a worker that made way for a root, if there is room by now.
void use_room(Carrier& carrier);

// `suspend` by a native thread whose permit is not there yet.
void wait_native(Fiber& me);

// Runs the loop on a home's own stack until the home is wanted; parks when it finds no work.
void home_wait(Fiber& home);

// A spinner on `carrier`, or on none (null): lets the kernel run another native thread, or leaves the processor to a carrier
// that it finds there (company.cpp). False: it has done neither, and should park.
bool yield_processor(Carrier* carrier);
// Around the wake of a carrier: by its claimant, and by itself. They keep a worker off its waker's processor (company.cpp).
void before_wake(Carrier& carrier);
void after_wake(Carrier& carrier);

// Gives the calling native thread, a carrier's home, what the message about a stack overflow needs; takes it back.
void watch_overflow(Fiber& home);
void unwatch_overflow(Fiber& home);

// In the child of fork: discards what the other threads held, waited for or were in the middle of changing.
void forget_stock();
void forget_waiters();
void forget_beat();

// Starts a native thread by attempt(extra), with ever more extra bytes of stack while libc calls the stack too small: libc
// puts all static thread-local storage of the program on it. Returns the last attempt's code.
template <class Attempt>
int start_with_room(const Attempt& attempt) {
    constexpr std::size_t first = 256u << 10, most = 1u << 30;
    for (;;) {
        const std::size_t extra = g.stack_extra.load(std::memory_order_relaxed);
        const int code = attempt(extra);
        if (code != EINVAL || extra >= most) return code;
        // Two threads that find it too small at once may skip a step, which costs nothing but address space.
        g.stack_extra.store(extra == 0 ? first : 2 * extra, std::memory_order_relaxed);
    }
}

// Says once what a refusal of the system means for the program; further lines would only make that worse.
void tell_shortage(int code, const char* consequence);

Fiber* take_spare(Carrier& carrier);  // never null: falls back, with a message, and aborts only without any memory
void put_spare(Carrier& carrier, Fiber& fiber);
Fiber* take_lender();      // a full fiber from the stock, or a new one while the system grants them; or null
Fiber* take_from_stock();  // null: no memory even for a light fiber
void give_to_stock(Fiber& fiber);
void give_spares(Carrier& carrier);  // gives all of the carrier's spares to the stock
bool stock_is_complete();            // whether every living fiber lies there that is no home and was not given up
void give_up_missing();              // gives up the fibers that do not
void end_stock(void (*retired)(std::uint32_t id));
std::uint32_t take_id();
void give_id(std::uint32_t id);

}  // namespace gossamer::fiber
