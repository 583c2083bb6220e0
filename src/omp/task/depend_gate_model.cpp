// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who adds looks at the gate without the lock. A task that is let in finds everything done by those before it, the last of
// which opened the gate, and a yes is never taken back by the others.

#include "base/model/lock.hpp"
#include "base/model/model.hpp"
#include "omp/task/depend_gate.hpp"

using namespace gossamer;
using omp::DependKind;

namespace {

struct Base {
    static constexpr bool may_sleep = false;

    omp::BasicDependGate<model::Atomics> gate;
    model::Lock lock;
    model::Var<int> left;  // tasks of the first rank, under the lock
    model::Var<int> cell;  // what the tasks depend on

    // One of the first rank is complete. True: it was the last.
    template <class Then>
    void complete(const Then& then) {
        lock.lock();
        left.set(left.get() - 1);
        if (left.get() == 0) then();
        lock.unlock();
    }
};

// Two readers; a writer comes.
struct WriterAfterReaders : Base {
    static constexpr unsigned threads = 3;

    WriterAfterReaders() {
        left.set(2);
        gate.set_running(DependKind::in);
    }

    void run(unsigned thread) {
        if (thread != 0) {
            model::require(cell.get() == 0, "the writer came before a reader");
            return complete([this] { gate.set_idle(); });
        }
        model::require(gate.lets_begin(DependKind::in), "a reader waits for readers");
        if (gate.lets_begin(DependKind::exclusive)) {
            cell.set(1);
            model::require(gate.lets_begin(DependKind::exclusive), "the gate has closed");
        }
    }
    void finish() {}
};

// A writer, and a reader behind it; another reader comes.
struct ReaderAfterWriter : Base {
    static constexpr unsigned threads = 2;

    ReaderAfterWriter() {
        left.set(1);
        gate.set_waiting();
    }

    void run(unsigned thread) {
        if (thread != 0) {
            cell.set(1);
            complete([this] { gate.set_running(DependKind::in); });  // the waiting one's turn
            complete_reader();
            return;
        }
        model::require(!gate.lets_begin(DependKind::inoutset) || idle_seen(), "a set begins beside a reader");
        if (gate.lets_begin(DependKind::in)) model::require(cell.get() == 1, "the reader came before the writer");
        if (gate.lets_begin(DependKind::exclusive)) cell.set(2);
    }

    void complete_reader() {
        model::require(cell.get() == 1, "a writer came before the reader");
        lock.lock();
        gate.set_idle();
        lock.unlock();
    }
    bool idle_seen() const { return gate.lets_begin(DependKind::exclusive); }
    void finish() {}
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("depend_gate");
    suite.add<WriterAfterReaders>("a writer after readers");
    suite.add<ReaderAfterWriter>("a reader after a writer");
    return suite.run(argc, argv);
}
