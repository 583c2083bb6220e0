// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheduler as the layer above sees it: start it, give it work, wait, yield. A function suspends only where its comment
// says so.
#pragma once

#include <atomic>
#include <cstdint>

#include "fiber/context.hpp"
#include "fiber/cycle_rate.hpp"
#include "fiber/slot.hpp"

namespace gossamer::fiber {

// An idle thread that offers to do what the upper layer has put off: the monitor, at each look (relief.cpp); a carrier, once
// while it idles and still spins, and once before it parks.
enum class Looker : std::uint8_t { monitor, idle_carrier, parking_carrier };

// Carriers of our own; roots come on top.
constexpr std::uint32_t most_workers = 512;
constexpr std::uint32_t max_carriers = 16 * most_workers;

// Read once, when the first root enters.
struct Config {
    std::uint32_t carriers = 1;         // at most this many; 1 … most_workers
    std::size_t stack_size = 4u << 20;  // usable bytes of each fiber's and each carrier's stack
    // What to try next where the system refuses that, before still smaller ones; and what to call, once, when a stack becomes
    // smaller than `wanted` bytes: the system's code, and the bytes that are used. Null: a message of this layer's.
    std::size_t usual_stack_size = 4u << 20;
    void (*tell_smaller_stack)(std::size_t wanted, int code, std::size_t used) = nullptr;
    std::uint64_t patience_ns = 100'000;  // how long an idle carrier looks for work before it parks, at most
    bool adaptive = false;                // looks for less, where recent gaps between pieces of work were longer than that
    std::uint64_t chaos = 0;              // seed of chaos mode; 0: off
    std::uint32_t modes = 0;              // bits of Mode, to show what a mechanism is worth; chaos has its own member
    // Zones 1 … zones, sets of processors that fibers can be bound to; 0: nothing is ever bound. `bind` binds the calling
    // native thread to a zone, or frees it from all (0), and returns an error code; `bind_thread` does it to another thread.
    // `zone_of` is the zone of a worker, which binds itself there when it first runs something that is bound.
    std::uint32_t zones = 0;
    int (*bind)(std::uint32_t zone) = nullptr;
    int (*bind_thread)(pthread_t thread, std::uint32_t zone) = nullptr;
    std::uint32_t (*zone_of)(std::uint32_t carrier) = nullptr;
    // The distance of two carriers, 0 … 7, in the zones of zone_of. Null: not known.
    std::uint32_t (*distance)(std::uint32_t carrier, std::uint32_t other) = nullptr;
    bool one_to_one = false;                  // each OpenMP thread keeps one native thread (one_to_one.cpp)
    bool (*look)(Looker who) = nullptr;       // runs what the upper layer has put off; true: there was something. Null: nothing
    bool kernel_sets_thread_pointer = false;  // by a system call, even where the CPU lets programs do it
    ClockLook clocks;                         // from look_at_clocks, some time ago: spares the first root a wait of 20 us
};
ClockLook look_at_clocks();
void configure(const Config& config);
const Config& config();

// Changes Config::patience_ns and Config::adaptive while carriers may run. Any thread.
void set_patience(std::uint64_t patience_ns, bool adaptive);

// Whether the caller runs on a carrier, so that `yield` can do anything for it. Never makes a descriptor.
inline bool is_carried() {
    const Fiber* const me = known_self();
    return me != nullptr && me->carrier != nullptr;
}

// The same, for libc's functions whose names the library takes over: false, too, where the library itself has called libc, and
// that the program's allocator (heap.cpp).
inline bool is_carried_outside() {
    const Fiber* const me = known_self();
    return me != nullptr && me->carrier != nullptr && !me->in_heap_call;
}

// Makes the calling native thread a carrier, for good, if it is none yet; the first call starts the workers. False when no more
// native threads can be carriers (a message was given), nor one of the runtime's own that ends: the caller may then run plain
// calls only.
bool become_carrier();
inline bool enter() { return GOSSAMER_LIKELY(is_carried()) || become_carrier(); }

// How many carriers run: as many of Config::carriers as the system granted, at least 1. Valid after the first `enter`.
std::uint32_t carrier_count();

// The home of carrier 1 … carrier_count() - 1: a native thread of ours that waits for `start`.
Fiber* worker_home(std::uint32_t carrier);

// A fiber that serves only `start`, and keeps its identity until `release`, which the caller may call only when the started
// work is over. Null when the system has no memory even for a light fiber. Takes tens of microseconds when none is in stock.
Fiber* reserve();
void release(Fiber* fiber);

// The system refused even a small stack to a fiber that had to wait, which got one of the last stacks (docs/decisions/0007):
// work that may need more fibers should not begin.
extern std::atomic<bool> stacks_ran_out __attribute__((visibility("hidden")));

// Whether work should start on native threads of its own this time: it has needed relief again and again, or the caller runs
// such work (habit.cpp). `kind`: the function that the work will call. Ask once for each start; now and then the answer is
// no, to see whether the need has passed.
bool must_start_apart(ReliefRecord& record, const void* kind);
extern std::atomic<bool> relief_was_needed __attribute__((visibility("hidden")));  // ever, by any work
inline bool starts_apart(ReliefRecord& record, const void* kind) {
    return GOSSAMER_UNLIKELY(relief_was_needed.load(std::memory_order_relaxed)) && must_start_apart(record, kind);
}

// Lets `fiber`, a worker's home or a reserved fiber whose last call is over, run call(argument) once. A home runs it on its
// own native thread; another fiber goes to the queue of carrier `near`, or runs apart. After several starts call wake_started
// once: until then a parked carrier may not notice. `homes`: the homes of carriers [1, homes) were started; `count`: the
// queued fibers lie near [1, count); `queued`: there are any.
struct Start {
    StartCall call;
    void* argument;
    ReliefRecord* record;
    bool apart;
    // What `started_tag` returns in the call, and `words_of` if a home was started: the call needs no other line for it.
    std::uint32_t tag = 0;
    void* words[words_a_start] = {};
};
bool start(Fiber* fiber, const Start& start, std::uint32_t near);  // true: it lies in a queue
void wake_started(std::uint32_t homes, std::uint32_t count, bool queued);
// The same for a root, which may leave the homes of carriers that sleep to itself (late.cpp): `record` and `kind` as for
// starts_apart. True: some sleep. Then the root calls end_own_part when it comes to its join, and end_late_orders behind that.
bool wake_started(std::uint32_t homes, std::uint32_t count, bool queued, ReliefRecord& record, const void* kind);
void end_own_part();
void end_late_orders();
// By a caller that has started several homes, and goes on: whoever watches its carrier meanwhile (docs/protocols/stealing.md)
// shall not take for long work what was only the way of its stores.
void note_decision();
constexpr std::uint32_t near_caller = UINT32_MAX;  // the carrier under the caller, which must run on one
// Whether as many native threads are awake as there may be carriers: no carrier will be woken for work that is started
// elsewhere.
bool others_are_busy();
inline std::uint32_t started_tag() { return self()->start_tag; }
// The caller runs on this home, or was started there; the words stay until the home has reported.
inline void* const* words_of(const Fiber& home) { return home.start_words; }

// A home, in a call: the next calls will probably read this line first of all, so that the home fetches it while it waits for
// them, as often as their starter writes it, and not when it has seen the order. Any address may be given: nothing else reads
// it.
inline void read_early(const void* line) { self()->read_early = line; }

// The number of the carrier under the caller, below max_carriers; no_carrier: the caller runs on none, or apart. It says
// nothing any more once the caller may have suspended. What the upper layer keeps by this number, only the caller touches
// meanwhile.
constexpr std::uint32_t no_carrier = UINT32_MAX;
std::uint32_t carrier_number();

// A worker's home, at the end of the call that `start` gave it: it may get the next one from here on. No other fiber may call
// this. `has_served` asks whether a started home has reported; acquire: the caller then sees what the call did.
void report_served();
inline bool has_served(const Fiber& home) {
    // seq_cst pairs with report_served. relaxed: the caller has given the order itself, or heard of it from the thread that
    // did.
    return home.served.load(std::memory_order_seq_cst) == home.orders.load(std::memory_order_relaxed);
}

// A home waits until `count` is zero, or it is disturbed; the other threads count down, the last of them returns true. As
// `suspend` and `resume`, except that the home's first line stays with the home, whose starter looks at it. `count` may serve
// another wait as soon as it is zero, but is never freed. await_zero suspends; not if `disturbed` says so, which is asked
// behind a seq_cst fence once other threads can disturb the home. Whoever disturbs it changes what `disturbed` reads, passes
// such a fence, and calls disturb: so one of the two sees the other.
void await_zero(const std::atomic<std::uint32_t>& count, bool (*disturbed)(const void*), const void* argument);
bool count_down(std::atomic<std::uint32_t>& count, const Fiber& home);
// Ends the home's wait for that count, by any thread. False: it was not in it, or had been disturbed before. True says nothing
// of whether the home still waits: it may just be about to go on.
bool disturb(Fiber& home, const std::atomic<std::uint32_t>& count);

// A home on its own carrier runs what is queued there, until `count` is zero, nothing is left, or the home is resumed. May
// suspend, and be elsewhere afterwards.
void run_queued(const std::atomic<std::uint32_t>& count);

// A root, when it enters its outermost region: workers make way for it (roots.cpp).
void take_part();

// A root, before its first region: its work has that address in its ReliefRecords, and while there are other roots its native
// thread runs no work of theirs. `homes`: it gives the workers' homes their orders, until `give_up_homes`.
void belong_to(const void* root, bool homes);
void give_up_homes();

// `start` and `wake_started` for one fiber.
void start_now(Fiber* fiber, const Start& start, std::uint32_t near);

// A root, when it leaves its outermost region: what its queues still hold must be found by other carriers. Suspends while a
// light fiber is in the middle of a call on this carrier, because no other carrier could go on with it.
void pass_on();

// What to call on each native thread that gets a descriptor, whoever asks for it: the thread has to call `leave` when it ends.
void on_adoption(void (*note)());

// A native thread, when it ends: frees its descriptor, and its slot as a carrier. May suspend, as pass_on. How many idle fibers
// it has brought to the stock.
std::uint32_t leave();

// A native thread that has left, and has brought `most` fibers to the stock: ends as many, if enough are left
// (stock.cpp). Calls `retired` for each, and waits for its native thread to end.
void end_surplus(std::uint32_t most, void (*retired)(std::uint32_t id));

// Ends all carriers and fibers and frees their memory; the next `enter` starts anew. The caller holds no reserved fiber and
// is in no region. Calls `retired` for each fiber that ends, and `at_rest` when none is left and no root can enter yet. False,
// without effect, while other roots are carriers; false, too, when some fiber did not come to rest within a second: its memory
// then stays. Waits for the native threads to end; may yield.
bool close_down(void (*retired)(std::uint32_t id), void (*at_rest)() = nullptr);

// What to call when a fiber or a home runs over its stack of `size` bytes; or, with `granted` not 0, over the bytes to which
// the system lets that stack grow. `local` is the upper layer's word. It runs on an alternate stack inside a signal handler.
// Call before the first `enter`.
using Overflow = void (*)(void* local, std::size_t size, std::size_t granted);
void on_overflow(Overflow tell);

// Whether the caller has used less than a quarter of its stack; false where its bounds are not known.
bool has_ample_stack();

// Gives the caller, if it is a native thread that is no carrier, the same message about an overflow: for one that nests calls
// without end.
void watch_own_stack();

// In the child of a fork, before anything else: only the caller's fiber is left (fork.cpp).
void forked_child();

// How many carriers look for work or sleep, at some moment of the call; roots' carriers are not counted.
std::uint32_t idle_carriers();

// Whether some carrier sleeps, at some moment of the call.
bool anybody_sleeps();

// Whether work that is started at the homes of carriers carrier_of(1) … carrier_of(end - 1) is likely to begin at once: none of
// them sleeps, and there is a processor for each native thread that is awake.
bool processors_suffice();
bool is_asleep(std::uint32_t carrier);
template <class CarrierOf>
bool are_at_hand(std::uint32_t end, const CarrierOf& carrier_of) {
    if (!processors_suffice() || others_are_busy()) return false;
    if (GOSSAMER_LIKELY(!anybody_sleeps())) return true;
    for (std::uint32_t at = 1; at < end; ++at) {
        if (is_asleep(carrier_of(at))) return false;
    }
    return true;
}

// Offers an armed range: it goes to the front of the deque of the caller's carrier. The caller must be on a carrier.
void offer(Range& range);
// The same, with each of its numbers on a native thread of its own as far as the system grants them.
void offer_apart(Range& range);

// For a caller that is on no carrier: runs a range of one number on a native thread of its own. False: the system grants none.
bool offer_outside(Range& range);

// Makes the monitor look once more, at what the caller did before: within some milliseconds, or some tens of them. Looks that
// may come later hardly cost a busy program anything.
void look_soon();
void look_later();

// Binding. Whether Config has zones; the caller's zone, 0: none.
bool zoned();
std::uint32_t zone();

// The zone that the native thread under the caller is bound to; 0: none.
std::uint32_t bound_zone();

// From now on the caller runs only in `zone`; 0: anywhere. Binds its native thread if need be.
void enter_zone(std::uint32_t zone);

// The caller is bound no longer; it does nothing more before it waits.
void leave_zone();

// A root's carrier reads the queue of `zone` (0: the commons, for zones that no carrier serves) until `pass_on`.
void serve(std::uint32_t zone);

// As `offer`, `offer_apart` and `start`, for the carriers of a zone; what they queue is announced. `wake_homes`, after several
// starts, wakes those of the fibers that are workers' homes.
void offer_in(Range& range, std::uint32_t zone, bool apart);
bool start_in(Fiber* fiber, const Start& start, std::uint32_t zone);
void wake_homes(Fiber* const* fibers, std::uint32_t count);

// suspend waits until some thread calls `resume` for the caller: exactly one call for each suspend, before or after it. resume
// never suspends and may be called by any thread; it never touches the fiber after the fiber can run.
void suspend();
void resume(Fiber* fiber);

// Whether each OpenMP thread keeps one native thread: then all work must start apart.
bool is_one_to_one();

// Signals from thread to thread (one_to_one.cpp), around libc's sending one to `thread`, of which it must know. Null: the
// signal needs nothing more. Otherwise `after_signal`, if libc has sent it, lets the fiber take it. From the first signal on to
// a thread that another native thread may run, the process is one to one. Never suspend; may be called in a signal handler.
Fiber* before_signal(pthread_t thread);
void after_signal(Fiber& fiber);

// Resumes several fibers in a row. Sleeping carriers hear only at the end of the fibers that went to the caller's own queue,
// so the caller must not suspend before that.
class Resuming {
public:
    Resuming();
    Resuming(const Resuming&) = delete;
    Resuming& operator=(const Resuming&) = delete;
    ~Resuming();
    void resume(Fiber* fiber);

private:
    GOSSAMER_NOINLINE void resume_any(Fiber* fiber);
    GOSSAMER_NOINLINE void make_ready(Fiber& fiber);

    Carrier* here_ = nullptr;         // the caller's, if fibers that last ran there can go to its queue
    Carrier* unannounced_ = nullptr;  // the caller's, once a fiber lies there
};

// Lets other ready work run first, of this carrier or of others. True if something ran. Suspends.
bool yield();

// For a thread that sleeps until `until_ns` (os::now_ns), for a moment: lets ready work of this carrier or of others run
// meanwhile. How many ns the caller has to sleep by the system now, before it asks again; 0: the time has come. That is less
// than what is left where for a while only such threads have run here, all waiting for something else. Suspends.
std::uint64_t pass_time(std::uint64_t until_ns);

// Whether no work waits for the caller to yield; true for a native thread that is no carrier, false for a fiber that runs
// apart, which a yield may bring back to the carriers.
bool nothing_queued();

// Whether something else is ready on the caller's carrier, so that a caller that has to wait should suspend at once.
bool must_give_way();

// Where a fiber that stops spinning leaves itself (slot.hpp).
using WaitSlot = BasicSlot<Fiber>;

// Spins while `done(argument)` is false and no other work wants this carrier, within the patience of the caller's kind of
// fiber. True: done. False: the caller should suspend. Never suspends.
bool spin_until(bool (*done)(const void* argument), const void* argument);

// Spins for what a thread on another carrier is about to do: for about as long as a suspension with all that follows takes,
// whatever else is ready here. Returns as spin_until. Never suspends.
bool spin_briefly(bool (*done)(const void* argument), const void* argument);

// `ns` in arch::cycles(), within a few per cent.
std::uint64_t cycles_in(std::uint32_t ns);

// Switches for tests and measurements; no other program sets any.
enum Mode : std::uint32_t {
    mode_chaos = 1,
    mode_no_spinning = 2,  // spin_until gives up at once
    mode_no_calls = 4,     // each number of a range runs on a fiber of its own
    mode_no_ranges = 8,    // each number of a range is offered by itself
    mode_asked = 16,       // set by the monitor: some carrier is asked to give way (give_way.hpp)
    mode_upper = 256,      // this and higher bits are the upper layer's
};
extern std::atomic<std::uint32_t> modes_on __attribute__((visibility("hidden")));
inline bool mode_is_on(std::uint32_t mode) { return GOSSAMER_UNLIKELY((modes_on.load(std::memory_order_relaxed) & mode) != 0); }
void chaos_step();

// Where a thread that need not wait lets others run: yields if the monitor has asked the caller's carrier to give way, and in
// chaos mode suspends and moves the caller by a seeded choice. Otherwise one load and a branch that is not taken.
void attend();
inline void scheduling_point() {
    if (mode_is_on(mode_chaos | mode_asked)) attend();
}

// The same where a thread passes again and again that waits for others by means of its own: a lock that it finds free, a wait
// for tasks of which there are none. Once asked, the threads on that carrier take turns there by the clock, with no further
// request.
void attend_polling();
inline void polling_point() {
    if (mode_is_on(mode_chaos | mode_asked)) attend_polling();
}

// Waits until done() holds. The waiter leaves itself in `slot`; `sleepers`, which the slots of one flag share, tells the
// notifier that some slot may be taken. The notifier makes done() true by a seq_cst store or RMW, then reads `sleepers` by a
// seq_cst load and empties the slots by `wake_slot` (docs/protocols/waiting.md shows why no wake is lost). Suspends.
template <class Done>
void wait_slot(WaitSlot& slot, WaitSlot::Sleepers& sleepers, const Done& done) {
    constexpr auto ask = [](const void* argument) { return (*static_cast<const Done*>(argument))(); };
    while (!spin_until(ask, &done)) {
        slot.leave(self(), sleepers);
        if (done() && slot.take_back(sleepers)) return;
        suspend();
    }
}

// The notifier's side for one slot. True if the slot held a waiter.
inline bool wake_slot(WaitSlot& slot, WaitSlot::Sleepers& sleepers) {
    Fiber* const fiber = slot.take(sleepers);
    if (fiber == nullptr) return false;
    resume(fiber);
    return true;
}

}  // namespace gossamer::fiber
