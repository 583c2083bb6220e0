// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After fork the child has one native thread, and with it one fiber: the one that forked. It keeps that fiber's identity and
// becomes an ordinary native thread; all carriers, all other fibers and all waiters are gone. Their memory is never freed,
// because the threads that owned it may have been in the middle of a change. What the child starts is new.

#include "fiber/beat.hpp"
#include "fiber/ids.hpp"
#include "fiber/last_stacks.hpp"
#include "fiber/scheduler.hpp"
#include "fiber/stock.hpp"

namespace gossamer::fiber {

void forked_child() {
    Fiber* const me = known_self();
    if (me == nullptr && nobody_on_roll()) return;
    // The kernel knows the restartable sequences of the native thread that carried the caller: libc takes that thread's stack
    // for free in the child.
    if (me != nullptr && me->carrier != nullptr && me->carrier->home != nullptr && me->carrier->home != me) {
        os::move_rseq(me->carrier->home->thread_pointer);
    }
    const Config config = g.config;
    renew(g);
    g.config = config;
    modes_on.store(0, std::memory_order_relaxed);
    forget_stock();
    forget_ids();
    forget_waiters();
    forget_beat();
    forget_roll(me);
    forget_last_stacks(me);
    if (me == nullptr) return;
    me->set_kind(Kind::native);
    me->carrier = me->own = nullptr;
    me->reserved = false;
    me->alternate_stack = nullptr;  // a carrier's: that native thread is gone, or is this one and keeps it
    me->thread_pointer = arch::thread_pointer();
}

}  // namespace gossamer::fiber
