// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No task is overlooked: there is no end at which one lies in a deque while a thread sleeps that may execute it and nobody
// searches. The steps around the word are those of idle.cpp, second_look.cpp and tell_of_push; tasks go on for ever, so every one
// needs a thread of its own, and the wakes must pass from thread to thread.

#include "base/model/model.hpp"
#include "omp/task/task_word.hpp"

using namespace gossamer;

namespace {

// One task, pushed by one thread and taken at most once. Its orders are weaker than a deque's.
class Work {
public:
    void push() {
        text_.set(text_.get() + 1);
        word_.store(in_deque, std::memory_order_release);
    }
    bool visible() const { return is(word_.load(std::memory_order_relaxed)); }
    bool lies_in_deque() const { return word_.load(std::memory_order_relaxed) == in_deque; }
    bool is_shared() const { return word_.load(std::memory_order_relaxed) == shared; }
    bool take() {
        if (!visible() || !is(word_.exchange(taken, std::memory_order_acquire))) return false;
        model::require(text_.get() != 0, "a task came without its text");
        return true;
    }
    // From the deque to the shared queue.
    bool move() {
        unsigned seen = in_deque;
        return word_.compare_exchange_strong(seen, shared, std::memory_order_relaxed, std::memory_order_relaxed);
    }

private:
    enum : unsigned { none, in_deque, taken, shared };
    static bool is(unsigned word) { return word == in_deque || word == shared; }

    model::Atomic<unsigned> word_{none};
    model::Var<int> text_;
};

template <unsigned sleepers, unsigned works>
struct Base {
    static constexpr bool may_sleep = true;
    static constexpr bool fences_all = true;

    enum : std::uint64_t { looks = 1, searched, back, woken, found, told };  // all that a thread remembers

    struct Thread {
        model::Token resumed;
        bool counted = false;
        bool constrained = false;  // waits in a task, from which only the last work descends
        model::Var<bool> waits;    // what the slot publishes
    };
    using Word = omp::BasicTaskWord<Thread, model::Atomics>;

    Word word;
    typename Word::Slot slot[sleepers] = {};
    Thread thread[sleepers];
    Work work[works];
    model::Atomic<bool> noted{false};
    model::Var<bool> linked;
    model::Token look_soon;

    Base() { word.activate(), word.nobody_may(); }

    bool visible() const {
        for (const Work& each : work) {
            if (each.visible()) return true;
        }
        return false;
    }
    // To one that is constrained: what is shared, and the oldest in the deque.
    bool visible_to(unsigned me) const {
        if (!thread[me].constrained) return visible();
        if (work[works - 1].is_shared()) return true;
        for (unsigned i = 0; i + 1 < works; ++i) {
            if (work[i].lies_in_deque()) return false;
        }
        return work[works - 1].lies_in_deque();
    }

    bool wake_sleeper(const Work* pushed = nullptr) {
        for (auto& each : slot) {
            const bool free = !thread[&each - slot].constrained;
            if (!free && pushed != &work[works - 1]) continue;
            if (wake_slot(each, free)) return true;
        }
        return false;
    }
    bool wake_slot(typename Word::Slot& from, bool free) {
        Thread* const sleeper = word.take_sleeper(from, free);
        if (sleeper == nullptr) return false;
        model::require(sleeper->waits.get(), "a sleeper came without what it waits in");
        sleeper->counted = free;
        sleeper->resumed.give();
        return true;
    }

    // tell_of_push and wake_for_task
    void tell(const Work* pushed = nullptr) {
        // The light fence orders nothing by itself.
        if (!word.after_push().only_active()) wake_for_task(pushed);
    }
    bool wake_for_task(const Work* pushed) {
        const omp::TaskCounts counts = word.after_push();
        return counts.searching() != 0 || (counts.sleepers() != 0 && wake_sleeper(pushed));
    }

    void note_second_look() {
        model::Atomics::fence(std::memory_order_seq_cst);
        if (noted.load(std::memory_order_relaxed) || noted.exchange(true, std::memory_order_acquire)) return;
        linked.set(true);
        look_soon.give();
    }

    // share_task, with the task in the queue
    void tell_of_shared(const Work* pushed = nullptr) {
        model::Atomics::fence(std::memory_order_seq_cst);
        if (word.counts(std::memory_order_seq_cst).sleepers() != 0) wake_sleeper(pushed);
    }

    // For the one that is constrained all goes to the shared queue.
    void dig() {
        for (Work& each : work) {
            if (each.move()) tell_of_shared(&each);
        }
        if (work[works - 1].is_shared()) wake_slot(slot[sleepers - 1], false);  // wake_for_shared
    }

    // The monitor. It moves what it finds to the shared queue.
    void look_again() {
        look_soon.take();
        linked.set(false);
        noted.store(false, std::memory_order_release);
        model::Atomics::fence(std::memory_order_seq_cst);
        if (word.counts(std::memory_order_relaxed).searching() == 0) {
            model::fence_all();
            if (thread[sleepers - 1].constrained && slot[sleepers - 1].load(std::memory_order_relaxed) != nullptr) {
                dig();
            } else if (visible()) {
                tell_of_shared();
            }
        }
        model::forget(told);
    }
    void monitor() {
        for (;;) look_again();
    }

    void produce() {
        for (Work& each : work) {
            each.push();
            tell(&each);
        }
    }

    void end_search() {
        if (!word.end_search()) return;
        if (!visible() || !wake_for_task(nullptr)) note_second_look();
    }

    // `busy`: the carrier has something else to do, which comes before a heavy fence.
    bool sleep(unsigned me, bool searches, bool busy) {
        thread[me].waits.set(true);
        const bool alone = word.fall_asleep(slot[me], &thread[me], searches);
        if (!alone) {
            model::Atomics::fence(std::memory_order_seq_cst);
        } else if (!busy) {
            model::fence_all();
        } else {
            note_second_look();
        }
        if (visible_to(me) && word.turn_back(slot[me], searches)) {
            model::forget(searches ? back : looks);
            return searches;
        }
        if (thread[me].constrained && visible()) note_second_look();
        thread[me].resumed.take();
        model::forget(woken);
        return false;
    }

    // work_until, up to a task in hand. `take` may tell of what it pushes.
    template <class Take>
    void find(unsigned me, bool busy, Take take) {
        bool searches = false;
        for (;;) {
            if (thread[me].counted) {
                thread[me].counted = false;
                searches = true;
            }
            if (take()) break;
            if (!searches && !thread[me].constrained) {
                searches = true;
                word.begin_search();
            }
            model::forget(searched);
            searches = sleep(me, searches, busy);
        }
        model::forget(searches ? found : told);
        if (searches) end_search();
        model::forget(told);
    }

    bool take_any() {
        for (Work& each : work) {
            if (each.take()) return true;
        }
        return false;
    }

    // Threads [0, sleepers) execute.
    void finish() {
        unsigned asleep = 0;
        for (unsigned i = 0; i < sleepers; ++i) {
            if (model::finished(i)) continue;
            ++asleep;
            model::require(!(thread[i].constrained ? work[works - 1].visible() : visible()),
                           "a task lies there and a thread sleeps");
        }
        const omp::TaskCounts counts = word.counts(std::memory_order_relaxed);
        model::require(counts.sleepers() == asleep, "the count of sleepers is wrong");
        model::require(counts.searching() == 0, "the count of searchers is wrong");
    }
};

// One producer that goes on, two that execute, and the monitor.
template <bool busy>
struct Burst : Base<2, 2> {
    static constexpr unsigned threads = 4;
    static constexpr unsigned preemptions = busy ? 1 : 2;

    void run(unsigned number) {
        if (number < 2) return find(number, busy, [this] { return take_any(); });
        if (number == 2) return monitor();
        produce();
    }
};

// A thief takes both, and pushes the second one where it lies now: nobody has seen it in between.
struct Several : Base<2, 2> {
    static constexpr unsigned threads = 4;
    static constexpr unsigned preemptions = 1;

    bool take_both() {
        const bool first = work[0].take();
        if (!work[1].take()) return first;
        if (!first) return true;
        work[1].push();
        tell();
        return true;
    }

    void run(unsigned number) {
        if (number < 2) return find(number, false, [this] { return take_both(); });
        if (number == 2) return monitor();
        produce();
    }
};

// Tasks that go to the shared queue.
struct Shared : Base<2, 2> {
    static constexpr unsigned threads = 4;
    static constexpr unsigned preemptions = 1;

    void run(unsigned number) {
        if (number < 2) return find(number, false, [this] { return take_any(); });
        if (number == 2) return monitor();
        for (Work& each : work) {
            each.push();
            tell_of_shared();
        }
    }
};

// One waits in a task, and the only one that descends from it is pushed on another. The other thread that executes may take either, and
// never comes back.
template <bool busy>
struct Under : Base<2, 2> {
    static constexpr unsigned threads = 4;
    static constexpr unsigned preemptions = 1;

    Under() { thread[1].constrained = true; }
    void run(unsigned number) {
        if (number == 0) return find(0, busy, [this] { return take_any(); });
        if (number == 1) return find(1, busy, [this] { return visible_to(1) && work[1].take(); });
        if (number == 2) return monitor();
        produce();
    }
};

// Sleeping, waking and sleeping again.
struct ComeBack : Base<1, 2> {
    static constexpr unsigned threads = 3;

    void run(unsigned number) {
        if (number == 0) {
            for (;;) find(0, false, [this] { return take_any(); });
        }
        if (number == 1) return monitor();
        produce();
    }
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("task_word");
    suite.add<ComeBack>("come back");
    suite.add<Burst<false>>("burst");
    suite.add<Burst<true>>("burst, carriers busy");
    suite.add<Several>("several");
    suite.add<Shared>("shared");
    suite.add<Under<false>>("under another task");
    suite.add<Under<true>>("under another task, carriers busy");
    suite.unnoticed("tell_of_shared", model::Op::fence, std::memory_order_seq_cst, "it pairs with retire, which is not here");
    suite.unnoticed(
        "sleep", model::Op::fence, std::memory_order_seq_cst,
        "it is for the look at what the thread waits for, which is not here; another one that searches sees the task");
    constexpr auto late =
        "a searcher that stops and finds nobody to wake leaves that to the monitor, which is later by milliseconds";
    suite.unnoticed("counts", model::Op::load, std::memory_order_seq_cst, late);
    suite.unnoticed("end_search", model::Op::modify, std::memory_order_seq_cst, late);
    suite.unnoticed("fall_asleep", model::Op::store, std::memory_order_seq_cst, late);
    suite.unnoticed("take_sleeper", model::Op::load, std::memory_order_seq_cst, late);
    return suite.run(argc, argv);
}
