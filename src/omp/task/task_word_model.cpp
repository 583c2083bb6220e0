// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No task is overlooked: there is no end at which one lies in a deque while a thread sleeps that may execute it and nobody
// searches. The steps around the word are those of idle.cpp, wake.cpp, second_look.cpp and announce_push; tasks go on for ever,
// so every one needs a thread of its own, and the wakes must pass from thread to thread.

#include <algorithm>
#include <iterator>

#include "base/model/lock.hpp"
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
    void share() {
        text_.set(text_.get() + 1);
        word_.store(shared, std::memory_order_seq_cst);
    }
    bool visible() const { return lies_in_deque() || is_shared(); }
    bool lies_in_deque() const { return word_.load(std::memory_order_relaxed) == in_deque; }
    bool is_shared() const { return word_.load(std::memory_order_seq_cst) == shared; }  // SharedQueue::count
    bool take() {
        if (!visible() || !is(word_.exchange(taken, std::memory_order_acquire))) return false;
        model::require(text_.get() != 0, "a task came without its text");
        return true;
    }
    // From the deque to the shared queue.
    bool move() {
        unsigned seen = in_deque;
        return word_.compare_exchange_strong(seen, shared, std::memory_order_seq_cst, std::memory_order_relaxed);
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
    typename Word::Slot lying[sleepers] = {};  // at the barrier
    model::Atomic<unsigned> arrived{0};
    Work work[works];
    model::Atomic<bool> look_requested{false};
    model::Var<bool> linked;
    model::Token look_soon;
    model::Lock* lock = nullptr;  // the deque's, where one is taken in passing
    model::Token taken;           // what was

    Base() { word.activate(), word.nobody_may(); }

    bool visible() const {
        for (const Work& each : work) {
            if (each.visible()) return true;
        }
        return false;
    }
    bool any_shared() const {
        for (const Work& each : work) {
            if (each.is_shared()) return true;
        }
        return false;
    }
    bool any_in_deque() const {
        for (const Work& each : work) {
            if (each.lies_in_deque()) return true;
        }
        return false;
    }
    // `busy`: another thief is at it.
    bool share_one(bool& busy) {
        busy = lock != nullptr && !lock->try_lock();
        if (busy) return false;
        const auto move = [](Work& each) { return each.lies_in_deque() && each.move(); };
        const bool moved = std::any_of(std::begin(work), std::end(work), move);
        if (lock != nullptr) lock->unlock();
        return moved;
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

    // announce_push and wake_for_task
    void tell(const Work* pushed = nullptr) {
        // The light fence orders nothing by itself.
        if (!word.after_push().only_active()) wake_for_task(pushed);
    }
    bool wake_for_task(const Work* pushed) {
        const omp::TaskCounts counts = word.after_push();
        if (counts.searching() != 0 || (counts.sleepers() != 0 && wake_sleeper(pushed))) return true;
        if (!counts.maybe()) return false;
        if (wake_others()) return true;
        word.nobody_may();
        if (!wake_others()) return false;
        word.somebody_may(std::memory_order_relaxed);
        return true;
    }
    bool wake_others() {
        if (arrived.load(std::memory_order_seq_cst) == 0) return false;
        for (auto& each : lying) {
            Thread* const sleeper = each.exchange(nullptr, std::memory_order_acquire);
            if (sleeper == nullptr) continue;
            model::require(sleeper->waits.get(), "one came from the barrier that has not arrived");
            sleeper->counted = true;
            word.begin_search();
            sleeper->resumed.give();
            return true;
        }
        return false;
    }

    void request_second_look() {
        model::Atomics::fence(std::memory_order_seq_cst);
        if (look_requested.load(std::memory_order_relaxed) || look_requested.exchange(true, std::memory_order_acquire)) return;
        linked.set(true);
        look_soon.give();
    }

    // share_task, with the task in the queue
    void tell_of_shared(const Work* pushed = nullptr) {
        model::Atomics::fence(std::memory_order_seq_cst);
        const omp::TaskCounts counts = word.counts(std::memory_order_seq_cst);
        if (counts.sleepers() != 0 && wake_sleeper(pushed)) return;
        if (counts.searching() == 0) wake_others();
    }

    // For the one that is constrained all goes to the shared queue.
    void dig() {
        for (Work& each : work) {
            if (each.move()) tell_of_shared(&each);
        }
        if (work[works - 1].is_shared()) wake_slot(slot[sleepers - 1], false);  // wake_for_shared
    }

    // The monitor, or a carrier that is about to park. It moves what it finds to the shared queue. It leaves the team anew less
    // often than second_look.cpp, which does so for members that leave, too.
    void look_again() {
        look_soon.take();
        linked.set(false);
        look_requested.store(false, std::memory_order_release);
        model::Atomics::fence(std::memory_order_seq_cst);
        if (word.counts(std::memory_order_relaxed).searching() == 0) {
            model::fence_all();
            bool busy = false;
            if (thread[sleepers - 1].constrained && slot[sleepers - 1].load(std::memory_order_relaxed) != nullptr) {
                dig();
            } else if (share_one(busy)) {
                tell_of_shared();
            } else if (any_in_deque()) {
                request_second_look();
                if (busy) taken.take();  // the next look is so much later
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
        if (!visible() || !wake_for_task(nullptr)) request_second_look();
    }

    // `gives_way`: the carrier has something else to do, which comes before others' deques.
    bool sleep(unsigned me, bool searches, bool gives_way) {
        thread[me].waits.set(true);
        const bool alone = word.fall_asleep(slot[me], &thread[me], searches);
        if (alone || gives_way) {
            request_second_look();
        } else {
            model::Atomics::fence(std::memory_order_seq_cst);
        }
        if ((gives_way ? any_shared() : visible_to(me)) && word.turn_back(slot[me], searches)) {
            model::forget(searches ? back : looks);
            return searches;
        }
        if (thread[me].constrained && visible()) request_second_look();
        thread[me].resumed.take();
        model::forget(woken);
        return false;
    }

    // At a barrier, by one that has left itself in its slot.
    void arrive(unsigned me) {
        thread[me].waits.set(true);
        lying[me].store(&thread[me], std::memory_order_release);
        arrived.fetch_add(1, std::memory_order_seq_cst);
    }

    // At a barrier, with something else ready on the carrier, up to when it is woken for a task: barrier.cpp's sleep, and
    // leave_tasks.
    void lie_down(unsigned me) {
        arrive(me);
        if (!word.counts(std::memory_order_seq_cst).maybe()) word.somebody_may(std::memory_order_seq_cst);
        request_second_look();
        if (any_shared() && lying[me].exchange(nullptr, std::memory_order_relaxed) != nullptr) return;
        thread[me].resumed.take();
        model::forget(woken);
    }

    // As lie_down, by the last to arrive: barrier.cpp's come_back.
    void come_back(unsigned me) {
        arrive(me);
        if (lying[me].exchange(nullptr, std::memory_order_relaxed) != nullptr) return;
        thread[me].resumed.take();
        if (!thread[me].counted) return;
        thread[me].counted = false;
        end_search();
    }

    // work_until, up to a task in hand. `take` may tell of what it pushes.
    template <class Take>
    void find(unsigned me, bool gives_way, Take take) {
        bool searches = false;
        for (;;) {
            if (thread[me].counted) {
                thread[me].counted = false;
                searches = true;
            }
            if (take()) break;
            if (!searches && !gives_way && !thread[me].constrained) {
                searches = true;
                word.begin_search();
            }
            model::forget(searched);
            searches = sleep(me, searches, gives_way);
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

    // Of who gives way.
    bool take_shared() {
        for (Work& each : work) {
            if (each.is_shared() && each.take()) return true;
        }
        return false;
    }

    // Threads [0, sleepers) execute.
    void finish() {
        unsigned asleep = 0;
        for (unsigned i = 0; i < sleepers; ++i) {
            if (model::finished(i)) continue;
            if (lying[i].load(std::memory_order_relaxed) == nullptr) ++asleep;
            model::require(!(thread[i].constrained ? work[works - 1].visible() : visible()),
                           "a task lies there and a thread sleeps");
        }
        const omp::TaskCounts counts = word.counts(std::memory_order_relaxed);
        model::require(counts.sleepers() == asleep, "the count of sleepers is wrong");
        model::require(counts.searching() == 0, "the count of searchers is wrong");
    }
};

// One producer that goes on, two that execute, and the monitor.
template <bool gives_way>
struct Burst : Base<2, 2> {
    static constexpr unsigned threads = 4;
    static constexpr unsigned preemptions = 1;

    void run(unsigned number) {
        if (number < 2) return find(number, gives_way, [this] { return gives_way ? take_shared() : take_any(); });
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

// Two that lie at the barrier. What is pushed goes to the shared queue, or to the pusher's deque.
template <bool shares>
struct Lying : Base<2, 2> {
    static constexpr unsigned threads = 4;
    static constexpr unsigned preemptions = 1;

    void run(unsigned number) {
        if (number == 2) return monitor();
        if (number < 2) {
            lie_down(number);
            return find(number, false, [this] { return take_any(); });
        }
        if (!shares) return produce();
        for (Work& each : work) {
            each.share();
            tell_of_shared();
        }
    }
};

// One takes a task on its way, and never was a searcher. While it is at it others find nothing to take.
struct Passing : Base<1, 2> {
    static constexpr unsigned threads = 4;
    static constexpr unsigned preemptions = 2;

    model::Lock held;

    Passing() { lock = &held; }
    void pass() {
        if (held.try_lock()) {
            take_any();
            held.unlock();
        }
        taken.give();
    }
    void run(unsigned number) {
        if (number == 0) return find(0, true, [this] { return take_shared(); });
        if (number == 1) return pass();
        if (number == 2) return monitor();
        produce();
    }
};

// One lies at the barrier, and one comes that is the last, and does not stay.
struct Last : Base<2, 1> {
    static constexpr unsigned threads = 4;
    static constexpr unsigned preemptions = 2;

    void run(unsigned number) {
        if (number == 1) return come_back(1);
        if (number == 2) return monitor();
        if (number == 3) return produce();
        lie_down(0);
        find(0, false, [this] { return take_any(); });
    }
};

// Tasks that go to the shared queue.
template <bool gives_way>
struct Shared : Base<2, 2> {
    static constexpr unsigned threads = 4;
    static constexpr unsigned preemptions = 1;

    void run(unsigned number) {
        if (number < 2) return find(number, gives_way, [this] { return take_shared(); });
        if (number == 2) return monitor();
        for (Work& each : work) {
            each.share();
            tell_of_shared();
        }
    }
};

// One waits in a task, and the only one that descends from it is pushed on another. The other thread that executes may take
// either, and never comes back.
struct Under : Base<2, 2> {
    static constexpr unsigned threads = 4;
    static constexpr unsigned preemptions = 1;

    Under() { thread[1].constrained = true; }
    void run(unsigned number) {
        if (number == 0) return find(0, false, [this] { return take_any(); });
        if (number == 1) return find(1, false, [this] { return visible_to(1) && work[1].take(); });
        if (number == 2) return monitor();
        produce();
    }
};

// Sleeping, waking and sleeping again.
struct ComeBack : Base<1, 2> {
    static constexpr unsigned threads = 3;
    static constexpr unsigned preemptions = 2;

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
    suite.add<Burst<true>>("burst, giving way");
    suite.add<Several>("several");
    suite.add<Lying<false>>("at the barrier");
    suite.add<Lying<true>>("at the barrier, shared");
    suite.add<Shared<false>>("shared");
    suite.add<Shared<true>>("shared, giving way");
    suite.add<Under>("under another task");
    suite.add<Passing>("taken in passing");
    suite.add<Last>("the last at the barrier");
    constexpr auto late =
        "a searcher that stops and finds nobody to wake leaves that to the monitor, which is later by milliseconds";
    suite.unnoticed("fall_asleep", model::Op::store, std::memory_order_seq_cst, late);
    suite.unnoticed("take_sleeper", model::Op::load, std::memory_order_seq_cst, late);
    suite.unnoticed("wake_others", model::Op::load, std::memory_order_seq_cst, late);
    suite.unnoticed("share", model::Op::store, std::memory_order_seq_cst, "tell_of_shared fences behind it");
    suite.unnoticed("move", model::Op::compare, std::memory_order_seq_cst, "tell_of_shared fences behind it");
    suite.unnoticed("tell_of_shared", model::Op::fence, std::memory_order_seq_cst, "it pairs with retire, which is not here");
    suite.unnoticed("somebody_may", model::Op::modify, std::memory_order_seq_cst, "request_second_look fences behind it");
    suite.unnoticed("arrive", model::Op::modify, std::memory_order_seq_cst,
                    "request_second_look fences behind it; where no tasks are active it pairs with the barrier's own");
    suite.unnoticed(
        "sleep", model::Op::fence, std::memory_order_seq_cst,
        "it is for the look at what the thread waits for, which is not here; another one that searches sees the task");
    constexpr auto alone = "only that nobody else takes matters here: what lies in a deque is ordered by each task's own word";
    suite.unnoticed("try_lock", model::Op::compare, std::memory_order_acquire, alone);
    suite.unnoticed("unlock", model::Op::modify, std::memory_order_release, alone);
    return suite.run(argc, argv);
}
