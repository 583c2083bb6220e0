// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheduler as the layer above sees it: start it, give it work, wait, yield.
#pragma once

#include <atomic>
#include <cstdint>

#include "fiber/context.hpp"
#include "fiber/slot.hpp"

namespace gossamer::fiber {

// Who has nothing better to do: the monitor, whenever it looks (relief.cpp); a carrier, once while it idles and still spins, and
// once before it parks.
enum class Looker : std::uint8_t { monitor, idle_carrier, parking_carrier };

// Carriers that are not roots' own.
constexpr std::uint32_t most_workers = 512;

// Read once, when the first root enters.
struct Config {
    std::uint32_t carriers = 1;           // at most this many; 1 … most_workers
    std::size_t stack_size = 4u << 20;    // usable bytes of each fiber's and each carrier's stack
    std::uint64_t patience_ns = 100'000;  // how long an idle carrier looks for work before it parks, at most
    bool adaptive = false;                // less, where recent gaps between pieces of work were longer than that
    std::uint64_t chaos = 0;              // seed of chaos mode; 0: off
    std::uint32_t modes = 0;              // bits of Mode, to show what the mechanism is worth; chaos has its own member
    // Zones 1 … zones, sets of processors that fibers can be bound to; 0: nothing is ever bound. `bind` binds the calling
    // native thread to one, or frees it from all (0), and returns an error code; `bind_thread` does it to another one.
    // `zone_of` is where a worker belongs, which is bound when it first runs something that is.
    std::uint32_t zones = 0;
    int (*bind)(std::uint32_t zone) = nullptr;
    int (*bind_thread)(pthread_t thread, std::uint32_t zone) = nullptr;
    std::uint32_t (*zone_of)(std::uint32_t carrier) = nullptr;
    // How far two carriers are from each other, 0 … 7, in the zones of zone_of. Null: not known.
    std::uint32_t (*distance)(std::uint32_t carrier, std::uint32_t other) = nullptr;
    void (*look)(Looker who) = nullptr;       // for what the upper layer has left to them
    bool kernel_sets_thread_pointer = false;  // by a system call, even where the CPU lets programs do it
};
void configure(const Config& config);
const Config& config();

// Changes Config::patience_ns and Config::adaptive while carriers may run. Any thread; never suspends.
void set_patience(std::uint64_t patience_ns, bool adaptive);

// Makes the calling native thread a carrier, for good; the first one starts the others. Cheap when it is one already.
// False when no more native threads can be carriers (a message was given): it may then run only plain calls.
bool enter();

// How many carriers run: those of `Config` that the system granted. At least 1. Valid after the first `enter`.
std::uint32_t carrier_count();

// The home of carrier 1 … carrier_count() - 1, a native thread of ours that waits for `start`.
Fiber* worker_home(std::uint32_t carrier);

// A fiber that serves only `start`, and keeps its identity until it is released. Null when the system has no more memory
// even for a light one. Takes tens of microseconds when none is in stock. `release` only when what was started is over.
Fiber* reserve();
void release(Fiber* fiber);

// The system has refused even a small stack to a thread that had to wait, which got one of the last (stock.cpp). Work that
// may need further ones had better not begin.
extern std::atomic<bool> stacks_ran_out __attribute__((visibility("hidden")));

// Whether work that has needed relief again and again, or that the caller meets while it runs such work, starts on native
// threads of its own this time (habit.cpp). `kind`: the function that it will call. Once for each start; now and then it says no,
// to see whether the need has passed.
bool must_start_apart(ReliefRecord& record, const void* kind);
extern std::atomic<bool> relief_was_needed __attribute__((visibility("hidden")));  // ever, by anything
inline bool starts_apart(ReliefRecord& record, const void* kind) {
    return GOSSAMER_UNLIKELY(relief_was_needed.load(std::memory_order_relaxed)) && must_start_apart(record, kind);
}

// Lets `fiber`, a worker's home or a reserved one, run call(argument) once; what it ran before must be over. Homes run it
// on their own native thread; others go to the queue of carrier `near`, or run apart. After several starts call wake_started
// once: until then a parked carrier may not notice. `homes`: of the carriers [1, homes) the homes were started; `count`: what
// was queued lies near [1, count); `queued`: something was.
struct Start {
    StartCall call;
    void* argument;
    ReliefRecord* record;
    bool apart;
    std::uint32_t tag = 0;  // what `started_tag` gives the call: it needs no other line
};
bool start(Fiber* fiber, const Start& start, std::uint32_t near);  // true: it lies in a queue
void wake_started(std::uint32_t homes, std::uint32_t count, bool queued);
constexpr std::uint32_t near_caller = UINT32_MAX;  // near the caller, on the carrier under it
// As many native threads are awake as there may be carriers: nobody will be woken for what is started near somebody else.
bool others_are_busy();
inline std::uint32_t started_tag() { return self()->start_tag; }

// What a worker's home was given by `start` is over, but for its return: it may be given something else. It must not be
// called by other fibers; `has_served` asks for the homes that were started. acquire: what the call did is seen.
void report_served();
inline bool has_served(const Fiber& home) {
    // relaxed: whoever asks has given the order, or was told by who has
    return home.served.load(std::memory_order_seq_cst) == home.orders.load(std::memory_order_relaxed);
}

// A home waits until `count` is zero; the others count down. As `suspend` and `resume`, but the home's first line, which its
// starter looks at, stays where it is. `count` may serve something else as soon as it is zero, but is never freed.
void await_zero(const std::atomic<std::uint32_t>& count);
void count_down(std::atomic<std::uint32_t>& count, const Fiber& home);

// A home on its own carrier runs what is queued there, until `count` is zero, or nothing is left, or it is resumed.
void run_queued(const std::atomic<std::uint32_t>& count);

// A root calls it when it enters its outermost region: other carriers make way for it (roots.cpp). Never suspends.
void take_part();

// `start` and wake_started for one.
void start_now(Fiber* fiber, const Start& start, std::uint32_t near);

// A root calls it when it leaves its outermost region: what its queues still hold is others' and must be found by them.
// Suspends while a light fiber is in the middle of a call on this carrier, which nobody else could go on with.
void pass_on();

// A native thread ends: its descriptor goes, and its place as a carrier becomes free.
void leave();

// Ends all carriers and fibers and gives their memory back; the next `enter` starts anew. The caller holds no reserved fiber
// and is in no region. `retired` hears of each fiber that ends. False, and nothing happens, while other native threads are
// carriers by their own. Waits for the threads to end; never suspends.
bool close_down(void (*retired)(std::uint32_t id));

// What to say when a fiber or a carrier's home runs over its stack of `size` bytes; `local` is the upper layer's word. Runs
// on an alternate stack inside a signal handler. Called before the first `enter`.
using Overflow = void (*)(void* local, std::size_t size);
void on_overflow(Overflow tell);

// Whether the caller has used less than a quarter of its stack; false where that is not known. Never suspends.
bool has_ample_stack();

// The same for the caller if it is a native thread that is no carrier: for one that nests calls without end. Never suspends.
void watch_own_stack();

// In the child of a fork, before anything else: the caller's fiber is all there is (fork.cpp).
void forked_child();

// How many carriers look for work or sleep, at some moment of the call; a root's own is none of them.
std::uint32_t idle_carriers();

// Whether some carrier sleeps, at some moment of the call.
bool anybody_sleeps();

// Offers a range that has been armed: it goes to the front of this carrier's own deque. The caller must be on a carrier.
void offer(Range& range);
// The same, with each of its numbers on a native thread of its own as far as the system grants them.
void offer_apart(Range& range);

// For one who is on no carrier: a range of one number, which runs on a native thread of its own. False: there is none to be had.
bool offer_outside(Range& range);

// The monitor looks once more, behind what the caller has done before a sequentially consistent fence. Never suspends.
void look_soon();

// Binding, where Config has zones. The caller's zone; 0: none.
bool zoned();
std::uint32_t zone();

// Where the native thread under the caller is bound, if it is.
std::uint32_t bound_zone();

// From now on the caller runs only where `zone` says; 0: anywhere. Binds the native thread if need be. Never suspends.
void enter_zone(std::uint32_t zone);

// The caller ends being bound and does nothing more before it waits.
void leave_zone();

// A root's carrier takes part in running what is bound to `zone` (0: to those that nobody serves) until `pass_on`.
void serve(std::uint32_t zone);

// As `offer`, `offer_apart` and `start`, for the carriers of a zone. `wake_homes`, after several starts, wakes those of the fibers that
// are workers' homes; what is queued has been seen to.
void offer_in(Range& range, std::uint32_t zone, bool apart);
bool start_in(Fiber* fiber, const Start& start, std::uint32_t zone);
void wake_homes(Fiber* const* fibers, std::uint32_t count);

// Waits until somebody calls `resume` for the caller: exactly one call for each suspend, before or after it.
// `resume` never suspends and may be called by any thread; afterwards it never touches the fiber.
void suspend();
void resume(Fiber* fiber);

// Resumes several in a row. Sleeping carriers hear only at the end of those that went to the caller's own queue, so the
// caller must not suspend before that.
class Resuming {
public:
    Resuming();
    Resuming(const Resuming&) = delete;
    Resuming& operator=(const Resuming&) = delete;
    ~Resuming();
    void resume(Fiber* fiber);

private:
    Carrier* here_ = nullptr;         // the caller's, if those that last ran there can go to its queue
    Carrier* unannounced_ = nullptr;  // the caller's, once something lies there
};

// Lets whatever else is ready on this carrier run first. True if something did.
bool yield();

// Whether the caller runs on a carrier, so that `yield` can do anything for it. Never makes a descriptor.
inline bool is_carried() {
    const Fiber* const me = known_self();
    return me != nullptr && me->carrier != nullptr;
}

// Whether nothing waits for the caller to yield; true for a native thread that is no carrier, false for a fiber that runs
// apart, which by a yield goes back to the others.
bool nothing_queued();

// Whether something else is ready on the caller's carrier, so that one who has to wait suspends at once.
bool must_give_way();

// Where a fiber that stops spinning leaves itself (slot.hpp).
using WaitSlot = BasicSlot<Fiber>;

// Spins while `done(argument)` is false and nothing else wants this carrier, within the patience that fits the fiber.
// True: it is done. False: the caller should suspend. Never suspends.
bool spin_until(bool (*done)(const void* argument), const void* argument);

// The same for what another carrier, if it runs whom the caller waits for, is about to do: about as long as a suspension
// with all that follows would take, whatever else is ready here.
bool spin_briefly(bool (*done)(const void* argument), const void* argument);

// So many of arch::cycles(), within a few per cent.
std::uint64_t cycles_in(std::uint32_t ns);

// What tests and measurements switch on; none of it in any other program.
enum Mode : std::uint32_t {
    mode_chaos = 1,
    mode_no_spinning = 2,  // spin_until gives up at once
    mode_no_calls = 4,     // each number of a range runs on a fiber of its own
    mode_no_ranges = 8,    // each number of a range is offered by itself
    mode_upper = 256,      // from here on the upper layer's
};
extern std::atomic<std::uint32_t> modes_on __attribute__((visibility("hidden")));
inline bool mode_is_on(std::uint32_t mode) { return GOSSAMER_UNLIKELY((modes_on.load(std::memory_order_relaxed) & mode) != 0); }
void chaos_step();

// Chaos mode suspends and moves the caller here, by a seeded choice. Otherwise one load and a branch that is never taken.
inline void scheduling_point() {
    if (mode_is_on(mode_chaos)) chaos_step();
}

// Waits until done() holds. `slot` is where it leaves itself; `sleepers`, shared by the slots of one flag, tells the
// notifier that some slot may be taken. The notifier makes done() true by a seq_cst store or RMW, then reads `sleepers`
// by a seq_cst load and empties the slots by `wake_slot` (docs/protocols/waiting.md shows why no wake is lost).
template <class Done>
void wait_slot(WaitSlot& slot, WaitSlot::Sleepers& sleepers, const Done& done) {
    constexpr auto ask = [](const void* argument) { return (*static_cast<const Done*>(argument))(); };
    while (!spin_until(ask, &done)) {
        slot.leave(self(), sleepers);
        if (done() && slot.take_back(sleepers)) return;
        suspend();
    }
}

// The notifier's side for one slot. True if it held a waiter.
inline bool wake_slot(WaitSlot& slot, WaitSlot::Sleepers& sleepers) {
    Fiber* const fiber = slot.take(sleepers);
    if (fiber == nullptr) return false;
    resume(fiber);
    return true;
}

}  // namespace gossamer::fiber
