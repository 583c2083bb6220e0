// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a carrier without work looks at the work of others: what it remembers from look to look, and what it makes of that
// (docs/protocols/stealing.md).
//
// A keen thief takes what it sees. A wary one watches one carrier for a moment, and takes its oldest work if that carrier has
// come to no decision meanwhile. What a thief takes is judged when it looks again: long pieces make it keen, short ones wary.
//
// Only the thief's own carrier touches it. Times in arch::cycles.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gossamer::fiber {

struct Carrier;

// The times of Thief in arch::cycles, of which there are `rate` a nanosecond.
struct ThiefTimes {
    ThiefTimes() = default;
    explicit ThiefTimes(double rate)
        : watch(of(500, rate)),
          between_watches(of(500, rate)),
          between_looks(of(250, rate)),
          sixteen_victims(of(256, rate)),
          worth(of(1'000, rate)),
          backlog(of(20'000, rate)) {}

    std::uint64_t watch = 0;            // how long a wary thief watches a carrier,
    std::uint64_t between_watches = 0;  // and how long it pauses before the next; up to four times that if it finds nothing
    std::uint64_t between_looks = 0;    // how long a keen thief pauses before it looks at all others again,
    std::uint64_t sixteen_victims = 0;  // or so long for each sixteen of them, if that is more
    std::uint64_t worth = 0;            // a piece that takes so long is worth its way
    std::uint64_t backlog = 0;          // a queue that keeps its owner so long is shared, however short its pieces

private:
    static std::uint64_t of(double ns, double rate) { return static_cast<std::uint64_t>(ns * rate); }
};

class Thief {
public:
    bool is_keen() const { return keen_ != 0; }

    /// Whether a thief that has nothing else to do should look now; `victims`: at how many carriers a keen one looks.
    bool look_is_due(std::uint64_t now, std::uint32_t victims, const ThiefTimes& times) const {
        const std::uint64_t since = now - looked_;
        if (!is_keen()) return since >= (watched_ != nullptr ? times.watch : times.between_watches << misses_ / misses_a_step);
        const std::uint64_t for_all = victims * times.sixteen_victims / 16;
        return since >= (for_all > times.between_looks ? for_all : times.between_looks);
    }

    /// At the beginning of each look: the thief is out of work, so what it took last is over, or waits. `switches`: how many
    /// its carrier has come to.
    void judge(std::uint64_t now, std::uint64_t switches, const ThiefTimes& times) {
        if (!has_taken_) return;
        has_taken_ = false;
        // A call takes two switches, to the fiber that runs it and back. Each further one is of a piece that waits.
        const std::uint64_t taken = switches - switches_;
        const std::uint64_t pieces = taken > 2 ? taken - 1 : 1;
        if (!has_spun_ && now - taken_ >= pieces * times.worth) {
            if (keen_ < after_long) keen_ = after_long;
        } else if (keen_ != 0) {
            --keen_;
        }
    }

    /// A keen thief looks at all others.
    void look(std::uint64_t now) { looked_ = now; }

    /// It has taken something, which runs next.
    void take(std::uint64_t now, std::uint64_t switches) {
        has_taken_ = true;
        has_spun_ = false;
        taken_ = now;
        switches_ = switches;
        misses_ = 0;
    }

    /// A fiber spins on the thief's carrier, so the time until the next look says nothing about what was taken.
    void spin() { has_spun_ = true; }

    /// The carrier that a wary thief watches; null: none.
    const Carrier* watched() const { return watched_; }

    /// Begins to watch `victim`, which has come to `progress` decisions.
    void watch(const Carrier& victim, std::uint32_t progress, std::uint64_t now) {
        watched_ = &victim;
        progress_ = progress;
        looked_ = now;
    }

    bool has_watched(std::uint64_t now, const ThiefTimes& times) const { return now - looked_ >= times.watch; }

    struct Seen {
        std::uint64_t cycles;     // how long it has watched
        std::uint32_t decisions;  // and how many decisions the carrier has come to meanwhile
    };

    /// Ends the watch of a carrier that has come to `progress` decisions.
    Seen end_watch(std::uint32_t progress, std::uint64_t now) {
        const Seen seen{now - looked_, progress - progress_};
        watched_ = nullptr;
        looked_ = now;
        if (misses_ < most_misses) ++misses_;
        return seen;
    }

    /// Whether `queued` items keep a carrier busy for long that comes to decisions at the rate seen.
    static bool is_backlog(std::size_t queued, Seen seen, const ThiefTimes& times) {
        return queued * seen.cycles >= seen.decisions * times.backlog;
    }

    /// There is a backlog of short pieces, of which the thief should take several.
    void expect_short() { keen_ = after_backlog; }

private:
    // So many short pieces, and the thief is wary.
    static constexpr std::uint32_t after_long = 2, after_backlog = 8;
    // After so many watches in vain the pause between them doubles.
    static constexpr std::uint32_t misses_a_step = 8, most_misses = 2 * misses_a_step;

    std::uint64_t looked_ = 0;          // the last look, or when the watch began
    const Carrier* watched_ = nullptr;  // what a wary thief watches,
    std::uint32_t progress_ = 0;        // and how many decisions that had come to
    std::uint32_t misses_ = 0;          // watches in a row that were in vain
    std::uint32_t keen_ = 0;            // how many more short pieces it takes at sight
    bool has_taken_ = false;            // something that is not judged yet
    bool has_spun_ = false;             // a fiber has spun on the carrier since
    std::uint64_t taken_ = 0;           // when that was,
    std::uint64_t switches_ = 0;        // and how many switches the carrier had come to
};

}  // namespace gossamer::fiber
