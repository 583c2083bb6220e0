// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the rooms of this layer share: the process's one scheduler, and its table of carriers.
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

namespace gossamer::fiber {

// Beyond the workers' they are for roots, and for threads that run apart: a program whose OpenMP threads all spin for each
// other needs one for each.
static_assert(max_carriers <= EventCount::most);

// Fiber::native_word of a full fiber: its pthread has lent its identity, and sleeps or runs something; is ordered to run an
// item; or to end.
constexpr std::uint32_t lent = 1;
constexpr std::uint32_t ordered = 2;
constexpr std::uint32_t ended = 3;
// For signals (one_to_one.cpp): as `lent`, and it is to look for signals; it lets its fiber take them.
constexpr std::uint32_t called = 4;
constexpr std::uint32_t answers = 5;

struct Beater;

// The try without relief (proof.cpp). All but `habit` is the monitor's.
struct Proof {
    std::atomic<Habit*> habit{nullptr};  // about to form; null: none. Who asks for the proof writes it, the monitor takes it
    std::uint64_t since_ns = 0;          // when this one began; 0: there is none
    std::uint64_t calm_until_ns = 0;     // until when carriers that use CPU time are relieved late
    std::uint32_t failures = 0;          // in turn
    std::uint32_t reliefs = 0;           // of such carriers, since the last proof, or the last calm
    std::uint32_t after = 0;             // so many of them ask for a proof; 0: the fewest
    std::uint16_t number = 1;            // changes from proof to proof
};

// The monitor's native thread (relief.cpp). `thread` and `stack` are there once `runs`; closing.cpp ends it.
struct Monitor {
    Watch watch;
    std::atomic<bool> runs{false};
    std::atomic<std::uint64_t> not_before_ns{0};  // when to try again to start it, after the system has refused that
    pthread_t thread{};
    os::Stack stack;
    Proof proof;
};

// The work that runs apart now, and the CPU time of the work that has come back (apart.cpp).
struct ApartCounts {
    std::atomic<std::uint32_t> open{0};  // relief carriers in use; written under Scheduler::lock
    std::atomic<std::uint64_t> past_ns{0};
};

// The beat (beat.cpp). `beaters` belong to the monitor, and to closing once that has ended.
struct Beat {
    std::atomic<std::uint64_t> count{0};
    std::atomic<std::uint32_t> tempo{0};  // what the beaters do
    Beater* beaters = nullptr;
    unsigned beater_count = 0;
    std::uint32_t turns_made = 0;  // on each processor, as far as the system granted them
};

struct Scheduler {
    // Read by every carrier at its decisions; written when a root enters for the first time, and seldom after that.
    Config config;
    std::atomic<bool> started{false};
    std::atomic<std::uint32_t> workers{0};  // homes that `worker_home` gives, carrier 0 included
    std::atomic<std::uint32_t> slots{0};    // carriers have existed in slots [0, slots) only; a thief looks at all of them
    std::atomic<Carrier*> carriers[max_carriers] = {};
    EventCount idle;
    Zone* zones = nullptr;                   // [0, config.zones]; null: nothing is ever bound
    double cycles_a_ns = 0;                  // the rate of arch::cycles
    ThiefTimes thief_times;                  // at that rate
    std::atomic<std::uint64_t> patience{0};  // Config::patience_ns in arch::cycles
    std::atomic<bool> adaptive{false};       // Config::adaptive
    std::atomic<std::uint32_t> roots{0};     // native threads that became carriers by themselves
    std::atomic<bool> shared{false};         // there are several roots, or have been: homes may be left (roots.cpp)
    std::atomic<bool> light_fibers{false};   // some exist, or have existed
    std::atomic<bool> one_to_one{false};     // each OpenMP thread keeps one native thread (one_to_one.cpp)
    bool by_kernel = false;                  // the thread pointer can be set only by a system call
    std::uint32_t processors = 1;            // on which the process may run
    unsigned first_cpu = 0;                  // where the first root ran when it started the workers
    os::SignalMask signals{};                // of workers and relieved fibers (find_masks_of_workers)
    Monitor monitor;

    // Written while carriers run.
    alignas(no_share) std::atomic<std::uint32_t> inside{0};  // how many roots take part (roots.cpp)
    SpinLock lock;                                           // start, the use of the slots, and the homes there
    std::atomic<bool> closing{false};                        // closing.cpp
    std::atomic<std::size_t> stack_extra{0};                 // see start_with_room
    std::atomic<std::size_t> granted_stack{SIZE_MAX};        // no stack larger than this is tried: the system refused one
    std::atomic<std::uint64_t> fibers_made{0};
    ApartCounts apart;
    Beat beat;
};
extern Scheduler g __attribute__((visibility("hidden")));

// Carrier 0 and the carriers from `workers` on belong to roots.
inline bool is_worker(std::uint32_t carrier) { return carrier != 0 && carrier < g.workers.load(std::memory_order_relaxed); }

// The carrier under the caller; null: the caller runs on none.
inline Carrier* caller_carrier() {
    const Fiber* const me = known_self();
    return me == nullptr ? nullptr : me->carrier;
}

// The carrier's own native thread, at a scheduling point.
inline std::uint32_t note_progress(Carrier& carrier) {
    const std::uint32_t progress = carrier.progress.load(std::memory_order_relaxed) + 1;
    carrier.progress.store(progress, std::memory_order_relaxed);
    return progress;
}

// acquire pairs with publish_carrier, or with start_workers: the slot holds a carrier.
inline Carrier& carrier_at(std::uint32_t index) { return *g.carriers[index].load(std::memory_order_acquire); }

// The carriers in slots [begin, end), those included that no native thread serves: for (Carrier& each : all_carriers()).
class Carriers {
public:
    class Iterator {
    public:
        Iterator(std::uint32_t index, std::uint32_t end) : index_(index), end_(end) { find(); }
        Carrier& operator*() const { return *carrier_; }
        Iterator& operator++() {
            ++index_;
            find();
            return *this;
        }
        bool operator!=(std::nullptr_t) const { return index_ < end_; }

    private:
        // The next slot that has ever held a carrier. acquire pairs with publish_carrier.
        void find() {
            while (index_ < end_ && (carrier_ = g.carriers[index_].load(std::memory_order_acquire)) == nullptr) ++index_;
        }

        std::uint32_t index_, end_;
        Carrier* carrier_ = nullptr;
    };

    Carriers(std::uint32_t begin, std::uint32_t end) : begin_(begin), end_(end) {}
    Iterator begin() const { return {begin_, end_}; }
    std::nullptr_t end() const { return nullptr; }

private:
    std::uint32_t begin_, end_;
};

inline Carriers all_carriers() { return {0, g.slots.load(std::memory_order_acquire)}; }   // pairs with publish_carrier
inline Carriers all_workers() { return {1, g.workers.load(std::memory_order_acquire)}; }  // pairs with start_workers

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

// Starts a native thread that belongs to no carrier, with every signal blocked, on a stack of `size` bytes and what libc
// needs. 0, or the code of what the system refused. The caller joins the thread, and then unmaps `stack`.
int start_on_stack(std::size_t size, void (*main)(void*), void* argument, pthread_t& thread, os::Stack& stack);

// The sizes in which to try to get a stack, one after the other, none twice: what the user wants, and smaller ones.
class StackSizes {
public:
    StackSizes();
    const std::size_t* begin() const { return sizes_; }
    const std::size_t* end() const { return sizes_ + count_; }

private:
    std::size_t sizes_[4];
    std::uint32_t count_ = 0;
};

// Says once what a refusal of the system means for the program; further lines would only make that worse.
void tell_shortage(int code, const char* consequence);
// The same, by a line of its own, if stacks of `used` bytes come of it.
void tell_smaller_stack(int code, std::size_t used);

// From now on the process is one to one (one_to_one.cpp).
void become_one_to_one();

// In the child of fork: discards the waiters of the parent's other threads (wait.cpp).
void forget_waiters();

}  // namespace gossamer::fiber
