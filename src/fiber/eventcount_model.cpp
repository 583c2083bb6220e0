// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No wake is lost: no execution ends with work queued, a carrier asleep that could take it, and no wake on the way.

#include "base/model/model.hpp"
#include "fiber/eventcount.hpp"

using namespace gossamer;

namespace {

/// One piece of work, pushed once and taken at most once. Its orders are the weakest that a real queue has,
/// so that nothing but the event count's own fences makes it visible.
class Work {
public:
    void push() {
        data_.set(1);
        word_.store(1, std::memory_order_release);
    }

    bool visible() const { return word_.load(std::memory_order_relaxed) == 1; }

    bool take() {
        if (!visible() || word_.exchange(2, std::memory_order_acquire) != 1) return false;
        model::require(data_.get() == 1, "work came without its data");
        return true;
    }

    bool left() const { return word_.load(std::memory_order_relaxed) == 1; }

private:
    model::Atomic<unsigned> word_{0};
    model::Var<int> data_;
};

/// Carriers that search, sleep and take work, and producers.
template <unsigned carriers, unsigned works>
struct Base {
    static constexpr bool may_sleep = true;

    enum : std::uint64_t { searching = 1, asleep, found, running };  // all that a carrier remembers

    fiber::BasicEventCount<carriers, model::Atomics> idle;
    Work work[works];
    model::Token unparked[carriers];

    void wake(int carrier) {
        if (carrier >= 0) unparked[carrier].give();
    }

    void produce(unsigned number) {
        work[number].push();
        wake(idle.publish());
    }

    /// From running, with nothing to do, to running with work in hand: false when it is never woken any more.
    template <class Visible, class Take>
    void find(unsigned me, Visible visible, Take take) {
        idle.begin_search();
        do {  // The first search is left out: it found nothing.
            idle.announce(me);
            model::forget(asleep);
            if (!visible() || !idle.cancel(me)) unparked[me].take();
            model::forget(searching);
        } while (!take());
        model::forget(found);
        wake(idle.end_search(me));
        model::forget(running);
    }

    void find_work(unsigned me) {
        find(
            me,
            [this] {
                for (const Work& each : work) {
                    if (each.visible()) return true;
                }
                return false;
            },
            [this] {
                for (Work& each : work) {
                    if (each.take()) return true;
                }
                return false;
            });
    }

    /// Carriers are threads [0, carriers).
    void finish() {
        unsigned sleepers = 0;
        for (unsigned i = 0; i < carriers; ++i) {
            sleepers += !model::finished(i);
            model::require(unparked[i].left() == 0, "a carrier was unparked twice");
        }
        for (const Work& each : work) {
            model::require(!each.left() || sleepers == 0, "work is queued and a carrier sleeps");
        }
        model::require(idle.counts().sleeping() == sleepers, "the count of sleepers is wrong");
        model::require(idle.counts().searching() == 0, "the count of searchers is wrong");
    }
};

/// A carrier that takes work is kept by it for good, so each piece needs a carrier of its own: the wakes must pass from
/// carrier to carrier when one producer pushes twice.
struct TwoCarriers : Base<2, 2> {
    static constexpr unsigned threads = 3;
    static constexpr unsigned preemptions = 3;

    void run(unsigned thread) {
        if (thread < 2) return find_work(thread);
        produce(0);
        produce(1);
    }
};

/// The same with two producers.
struct TwoProducers : Base<2, 2> {
    static constexpr unsigned threads = 4;
    static constexpr unsigned preemptions = 2;

    void run(unsigned thread) {
        if (thread < 2) return find_work(thread);
        produce(thread - 2);
    }
};

/// The same with three carriers, so that one may sleep while two are on the way.
struct Burst : Base<3, 2> {
    static constexpr unsigned threads = 4;
    static constexpr unsigned preemptions = 1;

    void run(unsigned thread) {
        if (thread < 3) return find_work(thread);
        produce(0);
        produce(1);
    }
};

/// A carrier comes back for more: sleeping, waking and sleeping again.
struct ComeBack : Base<1, 2> {
    static constexpr unsigned threads = 3;

    void run(unsigned thread) {
        if (thread > 0) return produce(thread - 1);
        for (;;) find_work(0);
    }
};

/// What only carrier 0 can take is sent while others publish: claim reaches it, and does not swallow their
/// wake.
struct Sent : Base<2, 1> {
    static constexpr unsigned threads = 4;
    static constexpr unsigned preemptions = 2;

    Work sent;

    void run(unsigned thread) {
        if (thread == 0) {
            find(0, [this] { return sent.visible() || work[0].visible(); }, [this] { return sent.take() || work[0].take(); });
        } else if (thread == 1) {
            find_work(1);
        } else if (thread == 2) {
            produce(0);
        } else {
            sent.push();
            if (idle.claim(0)) unparked[0].give();
        }
    }

    void finish() {
        Base::finish();
        model::require(!sent.left() || model::finished(0), "a carrier sleeps over what was sent to it");
    }
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("eventcount");
    suite.add<ComeBack>("come back");
    suite.add<TwoCarriers>("two carriers");
    suite.add<TwoProducers>("two producers");
    suite.add<Sent>("sent");
    suite.add<Burst>("burst");
    constexpr std::string_view in_step = "the machine lets a thread's atomic steps take effect in program order";
    suite.unnoticed("announce", model::Op::modify, std::memory_order_release, in_step);
    suite.unnoticed("take", model::Op::modify, std::memory_order_acquire, in_step);
    return suite.run(argc, argv);
}
