// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The beat keeps native threads moving that spin for each other, when there are more of them than processors.
//
// The kernel lets a thread that never sleeps keep its processor until a tick of the kernel's clock finds its time slice used
// up: 4 ms with the usual 250 ticks a second. A barrier at which eight threads spin on two processors takes four such slices.
// But the kernel also chooses anew whenever a thread wakes on that processor. So on each processor a native thread of ours,
// which does nothing else, sleeps for a fifth of a millisecond at a time, while work that runs apart has the processors. Each
// of its wakes costs some microseconds; a step of the program then costs a wake instead of a tick.
//
// Threads that only compute, or that yield while they wait, look the same, and lose by it: their caches are cold after each
// change. So the beat is tried, and stays where more work that ran apart came back in that time than without it. Where none
// comes back either way the threads may spin or compute: they get the beat, but the longer that lasts, the slower. Unless they
// pass scheduling points meanwhile, as threads do that execute tasks or fetch chunks of a loop: those compute. Each is asked
// once in a window (give_way.hpp), but not again if it was silent, and at the end of the window is seen who has answered.
//
// With many threads on a processor a beater gets too little of it, it seems: Linux lets a thread that wakes preempt another one
// only if it has had less than its share, which is one of eleven beside ten spinners, and a beat costs about as much as that.
// Then this beat and the next ones are lost, until a tick. So where few come, a second beater takes turns with the first one,
// and then a third: each has more time between its beats. Where one is enough, two do worse (docs/decisions/0050).

#include "fiber/beat.hpp"

#include <cstdlib>

#include "fiber/beat_turns.hpp"
#include "fiber/give_way.hpp"
#include "fiber/scheduler.hpp"
#include "fiber/trial.hpp"

namespace gossamer::fiber {

struct Beater {
    pthread_t thread;
    os::Stack stack;
    unsigned cpu;
    std::uint32_t turn;  // which of those on its processor it is
};

namespace {

// Beat::tempo: microseconds from beat to beat, times turns_unit, and how many beaters of each processor take turns; or one of
// these.
constexpr std::uint32_t rests = 0, beat_ended = UINT32_MAX;
constexpr std::uint32_t turns_unit = BeatTurns::most + 1;

constexpr std::uint32_t quickest_ns = 200'000;
constexpr std::uint32_t slowest_ns = 1'600'000;
constexpr std::uint64_t slower_after_ns = 1'000'000'000;  // twice as slow after this, then after twice this, and so on
constexpr std::uint64_t window_ns = 40'000'000;           // a window lasts at least so long, many ticks; and until
constexpr std::uint32_t enough_back = 24;                 // so many items have come back, or for
constexpr std::uint64_t longest_window_ns = 400'000'000;  // so long
constexpr std::uint64_t counted_ns = 40'000'000;          // the beats are counted for so long
constexpr std::uint32_t at_least = 4;    // what runs apart computes if it uses one part in so many of the processors' time
constexpr std::uint32_t most_asked = 8;  // native threads that are asked whether they yield
constexpr std::size_t beater_stack = 64u << 10;

// Only the monitor touches it.
struct Conductor {
    std::uint64_t begin_ns = 0;   // of this window; 0: there is none
    std::uint64_t apart_ns = 0;   // the CPU time of all that ran apart, then
    std::uint32_t back = 0;       // how often an item had come back, then
    std::uint32_t most_busy = 0;  // the most busy native threads at a time since then,
    std::uint64_t last_ns = 0;    // and when any was last seen to run apart
    bool crowd = false;           // in the window before: more busy threads than processors, and those that run apart compute
    std::uint64_t since_ns = 0;   // when an item last came back
    Trial trial;
    BeatTurns turns;
    struct {
        std::uint64_t begin_ns = 0, cpu_ns = 0, beats = 0;
    } counted;  // when the beats were last counted, or the tempo changed (then 0); the process's CPU time and Beat::count then
};
constinit Conductor conductor;

// How many native threads run the program's work, as far as that can be seen without a lock.
std::uint32_t count_busy() {
    const std::uint32_t roots = g.inside.load(std::memory_order_relaxed);
    std::uint32_t busy =
        g.apart.open.load(std::memory_order_relaxed) + (roots != 0 ? roots : 1);  // a single root may not be counted
    for (const Carrier& worker : all_workers()) {
        if (worker.asleep.load(std::memory_order_relaxed) == 0 && !worker.looking.load(std::memory_order_relaxed)) ++busy;
    }
    return busy;
}

// CPU time of all that runs apart or ever has.
std::uint64_t apart_ns() {
    std::uint64_t sum = g.apart.past_ns.load(std::memory_order_relaxed);
    for (const Carrier& carrier : all_carriers()) {
        const std::uint64_t since_ns = carrier.duty.since_ns.load(std::memory_order_relaxed);
        if (since_ns == 0) continue;
        const std::uint64_t now_ns = os::cpu_time_ns(carrier.native_thread.load(std::memory_order_relaxed));
        if (now_ns > since_ns) sum += now_ns - since_ns;
    }
    return sum;
}

void beater_main(void* argument) {
    const Beater& me = *static_cast<const Beater*>(argument);
    os::name_thread("gossamer-beat");
    os::end_sleeps_on_time();
    os::CpuMask only;
    only.add(me.cpu);
    if (os::bind_affinity(only) != 0) return;  // the processor has been taken from the process
    std::uint32_t before = rests;
    for (;;) {
        const std::uint32_t tempo = g.beat.tempo.load(std::memory_order_relaxed);  // nothing comes with it
        if (tempo == beat_ended) return;
        const std::uint32_t turns = tempo % turns_unit;  // none while it rests
        if (me.turn >= turns) {
            os::futex_wait(g.beat.tempo, tempo);
        } else {
            const std::uint64_t period_ns = tempo / turns_unit * std::uint64_t{1000};
            os::sleep_native(tempo == before ? turns * period_ns : (me.turn + 1) * period_ns);
            g.beat.count.fetch_add(1, std::memory_order_relaxed);
        }
        before = tempo;
    }
}

// The beaters of each processor that have the turns up to `turns`, as far as they have not been made. A processor whose beater
// the system refuses changes threads at ticks.
void make_beaters(std::uint32_t turns) {
    const os::CpuMask& cpus = os::startup_cpus();
    Beat& beat = g.beat;
    if (beat.beaters == nullptr) {
        beat.beaters = static_cast<Beater*>(std::calloc(cpus.count() * BeatTurns::most, sizeof(Beater)));
        if (beat.beaters == nullptr) return;
    }
    for (; beat.turns_made < turns; ++beat.turns_made) {
        for (unsigned cpu = cpus.next(0); cpu != os::CpuMask::none; cpu = cpus.next(cpu + 1)) {
            Beater& beater = beat.beaters[beat.beater_count];
            beater.cpu = cpu;
            beater.turn = beat.turns_made;
            const int code = start_on_stack(beater_stack, beater_main, &beater, beater.thread, beater.stack);
            if (code == 0) ++beat.beater_count;
        }
    }
}

void beat(std::uint32_t period_ns) {
    std::uint32_t tempo = rests;
    if (period_ns != rests) {
        make_beaters(conductor.turns.now());
        tempo = period_ns / 1000 * turns_unit + conductor.turns.now();
    }
    const std::uint32_t before = g.beat.tempo.exchange(tempo, std::memory_order_relaxed);
    if (before == tempo) return;
    conductor.counted.begin_ns = 0;
    if (tempo != rests) os::futex_wake(g.beat.tempo, static_cast<int>(g.beat.beater_count));
}

// Counts the beats from time to time: as long as the process has all processors there should be one in each period on each of
// them. Another beater takes turns where too few came.
void count_beats(std::uint64_t now_ns) {
    const std::uint32_t tempo = g.beat.tempo.load(std::memory_order_relaxed);
    auto& counted = conductor.counted;
    if (tempo == rests || (counted.begin_ns != 0 && now_ns - counted.begin_ns < counted_ns)) return;
    const std::uint64_t cpu_ns = os::process_cpu_time_ns(), beats = g.beat.count.load(std::memory_order_relaxed);
    const std::uint32_t period_ns = tempo / turns_unit * 1000;
    const bool first = counted.begin_ns == 0;
    const std::uint64_t came = beats - counted.beats, due = (cpu_ns - counted.cpu_ns) / period_ns;
    counted = {now_ns, cpu_ns, beats};
    if (!first && conductor.turns.end_interval(came, due)) beat(period_ns);
}

std::uint32_t pace(std::uint64_t lasted_ns) {
    std::uint32_t period_ns = quickest_ns;
    for (std::uint64_t limit = slower_after_ns; lasted_ns > limit && period_ns < slowest_ns; limit *= 2) period_ns *= 2;
    return period_ns;
}

// Whether the threads that run apart change by themselves as often as the beat would make them: then they yield while they
// wait.
bool they_yield() {
    std::uint64_t count = 0, cpu_ns = 0;
    std::uint32_t asked = 0;
    for (const Carrier& carrier : all_carriers()) {
        if (carrier.duty.since_ns.load(std::memory_order_relaxed) == 0) continue;
        const os::Turns turns = os::turns_of(carrier.native_thread.load(std::memory_order_relaxed));
        count += turns.count;
        cpu_ns += turns.cpu_ns;
        if (++asked == most_asked) break;
    }
    return count > cpu_ns / quickest_ns;
}

// Tells what runs apart on a carrier now from what ran there before, mostly. 0: nothing does.
std::uint16_t mark_of(const Carrier& carrier) {
    const std::uint64_t since_ns = carrier.duty.since_ns.load(std::memory_order_relaxed);
    return since_ns == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(since_ns | 1);
}

// Asks all that runs apart whether it passes scheduling points: once in a window, and never again what was silent, since every
// scheduling point of the process takes a longer way while a question is open.
void ask_whether_they_pass() {
    for (Carrier& carrier : all_carriers()) {
        const std::uint16_t item = mark_of(carrier);
        if (item == 0 || item == carrier.seen.silent || carrier.seen.questioned) continue;
        carrier.seen.questioned = true;
        ask_to_give_way(carrier);
    }
}

// Ends the questions. Whether at least half of what was asked, now or before, has answered.
bool they_pass() {
    std::uint32_t asked = 0, passed = 0;
    for (Carrier& carrier : all_carriers()) {
        const std::uint16_t item = mark_of(carrier);
        if (carrier.seen.questioned) {
            carrier.seen.questioned = false;
            ++asked;
            if (!carrier.asked.load(std::memory_order_relaxed)) {  // a hint
                ++passed;
                continue;
            }
            carrier.seen.silent = item;
            withdraw_request(carrier);
        } else if (item != 0 && item == carrier.seen.silent) {
            ++asked;
        }
    }
    return asked != 0 && 2 * passed >= asked;
}

// Whether most of what runs apart runs now, or waits for a processor. Where other processes compute, too, it may get only a
// small part of the processors' time, however much it computes or spins.
bool they_compute() {
    std::uint32_t asked = 0, asleep = 0;
    for (const Carrier& carrier : all_carriers()) {
        if (carrier.duty.since_ns.load(std::memory_order_relaxed) == 0) continue;
        const os::Sleep sleep = os::sleep_of(carrier.native_thread.load(std::memory_order_relaxed));
        if (sleep == os::Sleep::waits || sleep == os::Sleep::in_system) ++asleep;
        if (++asked == most_asked) break;
    }
    return 2 * asleep < asked;
}

}  // namespace

bool conduct(std::uint32_t came_back) {
    Conductor& c = conductor;
    const std::uint32_t apart = g.apart.open.load(std::memory_order_relaxed);
    const bool first = c.begin_ns == 0;
    if (first && apart == 0) return false;
    const std::uint64_t now_ns = os::now_ns();
    const unsigned processors = os::cpu_count();
    if (apart != 0) {
        c.last_ns = now_ns;
        const std::uint32_t busy = count_busy();
        if (busy > c.most_busy) c.most_busy = busy;
        if (busy > processors) ask_whether_they_pass();
    }
    count_beats(now_ns);
    const bool gone = now_ns - c.last_ns >= window_ns;
    const std::uint64_t lasted_ns = now_ns - c.begin_ns;
    const std::uint32_t back = came_back - c.back;
    if (!first && !gone && lasted_ns < (c.crowd && back < enough_back ? longest_window_ns : window_ns)) return c.crowd;

    const std::uint64_t used_ns = apart_ns();
    const bool was_crowd = c.crowd;
    const bool pass = they_pass() && back == 0;
    c.crowd = !first && !gone && !pass && c.most_busy > processors &&
              (used_ns - c.apart_ns >= lasted_ns * processors / at_least || they_compute());
    if (back != 0 || !was_crowd) c.since_ns = now_ns;
    c.begin_ns = gone ? 0 : now_ns;
    c.apart_ns = used_ns;
    c.back = came_back;
    c.most_busy = 0;
    if (!c.crowd) {
        beat(rests);
        return false;
    }
    if (!was_crowd) {
        c.trial.begin(they_yield());
        c.turns = BeatTurns();
    }
    beat(c.trial.next(back, lasted_ns) ? pace(now_ns - c.since_ns) : rests);
    return true;
}

void ask_no_more() { they_pass(); }

void forget_beat() { conductor = Conductor(); }

void end_beaters() {
    g.beat.tempo.store(beat_ended, std::memory_order_relaxed);
    os::futex_wake(g.beat.tempo, static_cast<int>(g.beat.beater_count));
    for (unsigned index = 0; index < g.beat.beater_count; ++index) {
        os::join_thread(g.beat.beaters[index].thread);
        os::unmap_stack(g.beat.beaters[index].stack);
    }
    std::free(g.beat.beaters);
    g.beat.beaters = nullptr;
    g.beat.beater_count = g.beat.turns_made = 0;
    g.beat.tempo.store(rests, std::memory_order_relaxed);
    forget_beat();
}

}  // namespace gossamer::fiber
