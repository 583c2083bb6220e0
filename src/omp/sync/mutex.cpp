// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/sync/mutex.hpp"

#include <algorithm>

#include "fiber/fiber.hpp"

namespace gossamer::omp {

namespace {

// A thread that unlocks a contended mutex again and again takes it again before the waiter that it woke has run, if both are on
// one carrier. Now and then it lets the waiter run first.
constexpr std::uint32_t wakes_before_yield = 16;
thread_local constinit std::uint32_t t_wakes = 0;

// A waiter queues once it has so often found the mutex free and lost it to another thread.
constexpr std::uint32_t most_losses = 16;

// A waiter spins on after its patience is over (fiber::spin_until) if nothing else is ready on its carrier, but for no longer
// than this. If something is, an heir lets that run. Either happens at most so often.
constexpr std::uint32_t longest_spin_ns = 50'000;
constexpr std::uint32_t most_spins = 16;

// A waiter that is no heir lets what else is ready on its carrier run so often before it sleeps, unless a hold lasts long.
constexpr std::uint32_t most_turns = 4;

// A waiter's looks at a mutex that changes hands are so far apart at most, and a hold is long after this time.
constexpr std::uint32_t most_between_looks_ns = 2'500;
constexpr std::uint32_t least_between_looks_ns = 20;
constexpr std::uint32_t long_hold_ns = 1'250;

// How long this thread's next waiter spins before it first looks at the mutex, in arch::cycles: a quarter of what the last
// waiter came to, as the same code mostly waits for the same kind of section.
thread_local constinit std::uint64_t t_between_looks = 0;

// Not inlined: the caller may have changed carriers, and the compiler may have kept the variable's address.
GOSSAMER_NOINLINE void remember(std::uint64_t between_looks) { t_between_looks = between_looks / 4; }

}  // namespace

// A thread that did not get the mutex at once. It spins for as long as it may, and then sleeps. If something else is ready on
// its carrier, which may be the next thread to come for the same mutex, it lets that run and stays ready itself, for some
// turns: a mutex that changes hands all the time is free before a sleeper would have been woken. An heir does so in any case,
// and the holder need not wake it a second time.
//
// A look takes the mutex's line from the holder. That matters where sections are so short that the holder comes back for the
// mutex at once: so a waiter that sees it change hands looks ever more seldom, at last every few microseconds. While one long
// hold lasts, the waiter's copy of the line stays valid, and another look is free. (Two looks that see the same hold are no
// sign of a long one: frequent looks make a hold last.)
class Mutex::Contender {
public:
    explicit Contender(Word& word) : word_(word), between_looks_(t_between_looks) {}
    Contender(const Contender&) = delete;
    Contender& operator=(const Contender&) = delete;
    ~Contender() { remember(between_looks_); }

    // Spins. True: the caller has the mutex. An heir may suspend.
    bool spin() {
        began_ = arch::cycles();
        std::uint32_t losses = 0, spins = 0;
        bool briefly = true;
        while (losses < most_losses) {
            if ((briefly && fiber::spin_briefly(sees_free, this)) || fiber::spin_until(sees_free, this)) {
                if (heir_ ? word_.try_take_as_heir() : word_.try_take()) return true;
                ++losses;
            } else if (++spins >= most_spins) {
                break;
            } else if (fiber::must_give_way()) {
                if (!heir_ && (sees_long_hold() || ++turns_ > most_turns)) break;
                if (!fiber::yield()) break;
                briefly = !heir_;
                began_ = arch::cycles();
            } else if (arch::cycles() - began_ >= fiber::cycles_in(longest_spin_ns)) {
                break;
            }
        }
        return false;
    }

    // True: the caller has the mutex. False: it has slept, or the mutex has changed hands. May suspend.
    bool sleep() {
        prepared_ = word_.prepare_to_sleep(heir_);
        if (prepared_ == 0) return true;
        heir_ = true;
        fiber::wait_until(&word_, must_not_sleep, this);
        return false;
    }

private:
    static bool sees_free(const void* contender) { return static_cast<const Contender*>(contender)->asked(); }

    static bool must_not_sleep(void* contender) {
        Contender& me = *static_cast<Contender*>(contender);
        if (me.word_.may_sleep(me.prepared_)) return false;
        me.heir_ = false;  // no release has woken it
        return true;
    }

    bool sees_long_hold() const { return held_ >= long_hold_; }

    bool asked() const {
        const std::uint64_t now = arch::cycles();
        if (now - looked_ < between_looks_) return false;
        const std::uint64_t since = std::max(looked_, began_);
        looked_ = now;
        const std::uint32_t word = word_.look();
        if (Word::is_free(word)) return true;
        if (!Word::is_same_hold(word, seen_)) {
            seen_ = word;
            held_ = 0;
            between_looks_ = std::clamp(2 * between_looks_, least_, most_);
        } else {
            held_ += now - since;
            if (sees_long_hold()) between_looks_ = 0;
        }
        return false;
    }

    Word& word_;
    bool heir_ = false;
    std::uint32_t turns_ = 0;
    std::uint32_t prepared_ = 0;
    // In arch::cycles.
    const std::uint64_t least_ = std::max<std::uint64_t>(fiber::cycles_in(least_between_looks_ns), 1);  // a clock may be slow
    const std::uint64_t most_ = fiber::cycles_in(most_between_looks_ns);
    const std::uint64_t long_hold_ = fiber::cycles_in(long_hold_ns);
    mutable std::uint64_t between_looks_;
    mutable std::uint64_t looked_ = arch::cycles();
    // How long it has seen the same hold while it spun. While it let others run the holder may have been one of them, or
    // waited.
    mutable std::uint64_t held_ = 0;
    std::uint64_t began_ = 0;  // when it last began to spin
    mutable std::uint32_t seen_ = 0;
};

void Mutex::lock_contended() {
    Contender me(word_);
    while (!me.spin() && !me.sleep()) {}
}

void Mutex::unlock_contended() {
    struct Release {
        Word& word;
        bool late = false;
    } release{word_};
    fiber::notify_one_with(
        &word_,
        [](void* at, bool found, bool left) {
            Release& it = *static_cast<Release*>(at);
            it.late = it.word.release_to(found, left);
        },
        &release);
    // From here on the mutex's memory may be gone.
    const bool yields = ++t_wakes % wakes_before_yield == 0 || release.late;
    if (yields && fiber::must_give_way()) fiber::yield();
}

}  // namespace gossamer::omp
