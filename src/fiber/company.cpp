// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two carriers on one processor, while another processor has nothing to do. The kernel puts them there now and then, when it
// wakes one of them or some other program comes in between, and parts them only after some milliseconds, up to twenty-five:
// of two carriers that take turns by yielding neither looks as if it were in need. A region meanwhile costs two yields, ten
// microseconds and more, and two loops run one after the other.
//
// A carrier that spins comes by here every few microseconds, and notes its processor. If it finds another carrier's note of
// the same processor it remembers that; if the other has renewed its note by the next time, with the same processor, they
// take turns there. A worker then moves to a processor of its own mask where no carrier has been seen. Of two workers the one
// with the higher index goes; a root never does, because its native thread is the program's. So at most one of two leaves.
//
// The wake of a worker can put it there, too. A virtual machine's kernel takes an idle processor whose host has given it to
// another guest for a busy one, and after some hundred microseconds that is each idle processor: so after a pause in which
// every carrier slept the first one wakes the others on its own processor, where they do not run before it gives way, and a
// region takes as long as without them. A worker that finds itself on its waker's processor is therefore bound to another one
// by its next wakers, before they wake it, and takes its mask back when it runs.
//
// And some other thread may be there, of this program or another, that computes, or spins on its own account, as a library's
// own pool does after its work. A yield then gives that thread a whole turn, some milliseconds, and work that comes for the
// carrier meanwhile waits; recent kernels also make the yielding thread pay for it in later turns. So after one such turn a
// carrier does not yield for a while: it parks instead, which leaves the processor as much, and a thread that wakes from
// sleep comes before one that has computed all the time. A carrier that is told to wait actively does neither.
//
// A thread that yields because it polls for what another thread does would keep its carrier on the processor for whole turns of
// the kernel, while that thread lies on another carrier there. So every so many yields it comes by here, too. It cannot park,
// but if it finds another carrier's note of the processor it yields even in the time after a long turn.
//
// The notes are hints. A wrong one costs a needless move, and moves that follow each other become rare, up to one in ten
// milliseconds (moving.hpp): where other programs fill the processors, the kernel has its reasons.

#include "fiber/company.hpp"

namespace gossamer::fiber {

namespace {

constexpr std::uint32_t long_turn_ns = 1'000'000;  // a carrier that was away so long by a yield
constexpr std::uint32_t no_yield_ns = 50'000'000;  // does not yield again for so long

// After a wake beside the waker, the waker chooses the processor for so many wakes. Then the kernel may show again.
constexpr std::uint32_t wakes_placed = 64;

// Company::whereabouts: the processor, and above it a number that changes with each note. 0: nothing is known.
constexpr std::uint32_t processor_bits = 16;
static_assert(os::CpuMask::capacity <= 1u << processor_bits);

constexpr std::uint32_t processor_of(std::uint32_t whereabouts) { return whereabouts & ((1u << processor_bits) - 1); }

void write_down(Carrier& carrier, std::uint32_t processor) {
    std::uint32_t number = (carrier.company.whereabouts.load(std::memory_order_relaxed) >> processor_bits) + 1;
    if (number >> (32 - processor_bits) != 0) number = 1;
    carrier.company.whereabouts.store(number << processor_bits | processor, std::memory_order_relaxed);
}

// Calls see(other, its whereabouts) for each other carrier that is awake and has left a note, until that returns true.
template <class See>
void for_each_awake(const Carrier& carrier, const See& see) {
    for (const Carrier& other : all_carriers()) {
        if (&other == &carrier || other.serves.load(std::memory_order_relaxed) == Serves::nobody) continue;
        if (other.asleep.load(std::memory_order_relaxed) != 0) continue;
        const std::uint32_t whereabouts = other.company.whereabouts.load(std::memory_order_relaxed);
        if (whereabouts != 0 && see(other, whereabouts)) return;
    }
}

// Whether `carrier` and another carrier, which stays, take turns on `processor`.
bool takes_turns(Carrier& carrier, std::uint32_t processor) {
    const Carrier* const met = carrier.company.met;
    carrier.company.met = nullptr;
    if (met != nullptr) {
        const std::uint32_t now = met->company.whereabouts.load(std::memory_order_relaxed);
        if (now != carrier.company.met_at && processor_of(now) == processor) return true;
    }
    for_each_awake(carrier, [&](const Carrier& other, std::uint32_t whereabouts) {
        if (processor_of(whereabouts) != processor) return false;
        if (is_worker(other.index) && other.index > carrier.index) return false;
        carrier.company.met = &other;
        carrier.company.met_at = whereabouts;
        return true;
    });
    return false;
}

// The next processor of `mask` behind this one where no carrier was seen; or none.
unsigned elsewhere(const Carrier& carrier, std::uint32_t processor, os::CpuMask mask) {
    mask.remove(processor);
    for_each_awake(carrier, [&](const Carrier&, std::uint32_t whereabouts) {
        mask.remove(processor_of(whereabouts));
        return false;
    });
    const unsigned after = mask.next(processor + 1);
    return after != os::CpuMask::none ? after : mask.next(0);
}

// Yields, and learns from how long that took.
void give_turn(Carrier& carrier) {
    const std::uint64_t before = arch::cycles();
    os::yield_native();
    const std::uint64_t after = arch::cycles();
    if (GOSSAMER_UNLIKELY(after - before >= cycles_in(long_turn_ns)))
        carrier.company.no_yield_until = after + cycles_in(no_yield_ns);
}

// Moves the caller's own thread to such a processor. False: there is none.
bool part(Carrier& carrier, std::uint32_t processor) {
    os::CpuMask mask;
    if (os::affinity(mask) != 0) return false;
    const unsigned target = elsewhere(carrier, processor, mask);
    if (target == os::CpuMask::none) return false;
    write_down(carrier, target);  // so that no other carrier chooses it
    return os::move_to(target, mask);
}

// Binds a worker that sleeps, and is about to be woken by a carrier on `processor`. Not inlined: masks are large, and the
// caller's stack may be a small one.
GOSSAMER_NOINLINE void place(Carrier& carrier, std::uint32_t processor) {
    --carrier.placing.wakes_left;
    os::CpuMask now;
    if (os::affinity_of(carrier.home->thread, now) != 0 || now != carrier.company.mask) {
        carrier.placing.wakes_left = 0;  // the program has bound it
        return;
    }
    const std::uint32_t whereabouts = carrier.company.whereabouts.load(std::memory_order_relaxed);
    const std::uint32_t last = processor_of(whereabouts);
    const bool fits = whereabouts != 0 && last != processor && now.contains(last);
    const std::uint32_t target = fits ? last : elsewhere(carrier, processor, now);
    if (target == os::CpuMask::none) return;
    os::CpuMask only;
    only.add(target);
    if (os::bind_thread(carrier.home->thread, only) == 0) carrier.placing.bound_to = target + 1;
}

}  // namespace

void before_wake(Carrier& carrier) {
    carrier.placing.woken_by = 0;
    // The monitor is no fiber, and sleeps again. The calling fiber is not looked at: a lender has just let its fiber go.
    if (g.zones != nullptr || !is_worker(carrier.index) || known_self() == nullptr) return;
    const std::uint32_t processor = os::current_cpu();
    carrier.placing.woken_by = processor + 1;
    if (GOSSAMER_UNLIKELY(carrier.placing.wakes_left != 0)) place(carrier, processor);
}

void after_wake(Carrier& carrier) {
    os::CpuMask now;
    if (carrier.placing.bound_to != 0) {
        os::CpuMask only;
        only.add(carrier.placing.bound_to - 1);
        carrier.placing.bound_to = 0;
        if (os::affinity(now) == 0 && now == only) os::bind_affinity(carrier.company.mask);
        return;
    }
    if (carrier.placing.woken_by == 0 || os::current_cpu() + 1 != carrier.placing.woken_by || os::affinity(now) != 0) return;
    carrier.company.mask = now;
    carrier.placing.wakes_left = wakes_placed;
    if (part(carrier, carrier.placing.woken_by - 1)) ++carrier.counters.partings;
}

namespace {

// Notes the caller's processor, and returns it.
std::uint32_t note_processor(Carrier& carrier) {
    const std::uint32_t processor = os::current_cpu();
    write_down(carrier, processor);
    return processor;
}

// Moves a worker that takes turns with another carrier. Where places are in force, their masks decide where carriers run.
bool parts(Carrier& carrier, std::uint32_t processor) {
    if (g.zones != nullptr || !is_worker(carrier.index) || GOSSAMER_LIKELY(!takes_turns(carrier, processor))) return false;
    if (!carrier.company.moving.may_move(arch::cycles(), Moving::Times(g.cycles_a_ns)) || !part(carrier, processor))
        return false;
    ++carrier.counters.partings;
    return true;
}

// Whether no other thread has had a long turn lately.
bool may_yield(Carrier& carrier) {
    if (GOSSAMER_LIKELY(carrier.company.no_yield_until == 0)) return true;
    if (arch::cycles() < carrier.company.no_yield_until) return false;
    carrier.company.no_yield_until = 0;
    return true;
}

bool is_shared(const Carrier& carrier, std::uint32_t processor) {
    bool shared = false;
    for_each_awake(carrier, [&](const Carrier&, std::uint32_t whereabouts) {
        shared = processor_of(whereabouts) == processor;
        return shared;
    });
    return shared;
}

}  // namespace

bool yield_processor(Carrier* carrier) {
    if (carrier == nullptr) {
        os::yield_native();
        return true;
    }
    const std::uint32_t processor = note_processor(*carrier);
    if (parts(*carrier, processor)) return true;
    if (GOSSAMER_UNLIKELY(!may_yield(*carrier))) return !g.adaptive.load(std::memory_order_relaxed);
    give_turn(*carrier);
    return true;
}

void yield_to_carriers(Carrier& carrier) {
    const std::uint32_t processor = note_processor(carrier);
    if (parts(carrier, processor)) return;
    if (GOSSAMER_LIKELY(may_yield(carrier)) || is_shared(carrier, processor)) give_turn(carrier);
}

}  // namespace gossamer::fiber
