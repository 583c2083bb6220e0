// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A root's memory is a root's for ever, as a team's is a team's: its native thread may end while others still refer to it. A
// thread that fulfils an event counts the task off in the children of the initial task, whose taskwait may then be over, and
// only then in the family; the monitor may have been asked for a second look at the initial team; a thief may read what a task
// that is gone had for its parent.
//
// It is another native thread's as soon as no task refers to it: its family is settled. One whose events nobody fulfils stays
// here, and so does one whose native thread has left in the middle of a construct.

#include "omp/thread/root_stock.hpp"

#include <cstdlib>
#include <new>

#include "omp/task/depend.hpp"

namespace gossamer::omp {

namespace {

struct SpareRoots {
    SpinLock lock;
    Root* first = nullptr;
};
constinit SpareRoots spare;

// Whether no task refers to the root any more; then what its tasks have left goes back.
bool is_settled(Root& root) {
    Task& implicit = root.initial.implicit;
    if (implicit.taskgroup != nullptr || root.initial.work.share != nullptr || !implicit.family.settle()) return false;
    implicit.children.settle();
    if (implicit.depends != nullptr) DependTable::give(*implicit.depends);
    implicit.depends = nullptr;
    root.initial.tasks.give_back();
    return true;
}

Root* take_settled() {
    SpinGuard guard(spare.lock, os::yield_native);
    for (Root** at = &spare.first; *at != nullptr; at = &(*at)->next_spare) {
        Root& root = **at;
        if (!is_settled(root)) continue;
        *at = root.next_spare;
        return &root;
    }
    return nullptr;
}

}  // namespace

Root* take_root() {
    if (Root* const root = take_settled()) {
        root->initial.affinity_digest = 0;
        root->initial.work.league = {};
        root->initial.work.pushed = {};
        root->team.cancelled.store(0, std::memory_order_relaxed);  // no other thread looks at it yet
        root->busy.store(1, std::memory_order_relaxed);            // as above
        return root;
    }
    void* const memory = std::aligned_alloc(alignof(Root), sizeof(Root));
    return memory != nullptr ? ::new (memory) Root : nullptr;
}

void give_root(Root& root) {
    is_settled(root);  // else when it is taken
    SpinGuard guard(spare.lock, os::yield_native);
    root.next_spare = spare.first;
    spare.first = &root;
}

void forget_spare_roots() { renew_if_locked(spare); }

}  // namespace gossamer::omp
