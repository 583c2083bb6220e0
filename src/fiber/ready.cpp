// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a fiber goes that has become ready, and which carrier hears of it: resume, and the announcements that follow it.

#include "fiber/ready.hpp"

#include "fiber/apart.hpp"
#include "fiber/company.hpp"
#include "fiber/relief.hpp"
#include "fiber/roots.hpp"
#include "fiber/zone.hpp"

namespace gossamer::fiber {

namespace {

// Whether `fiber` must not go back to `last`, on which it last ran. A slot that served relief then may be a root's by now.
bool must_leave(const Carrier& last, const Fiber& fiber) {
    return keeps_to_its_own(last) && !is_own(last, fiber.next_record());
}

// Returns the caller's carrier if the fiber lies in its deque now and no carrier has been told; else null.
Carrier* make_ready_quietly(Fiber& fiber) {
    if (fiber.kind == Kind::native) {
        fiber.native_word.store(1, std::memory_order_release);  // pairs with native_wait
        os::futex_wake(fiber.native_word, 1);
        return nullptr;
    }
    if (GOSSAMER_UNLIKELY(relief_was_needed.load(std::memory_order_relaxed)) && go_on_apart(fiber)) return nullptr;
    if (GOSSAMER_UNLIKELY(fiber.zone != 0) && fiber.kind != Kind::light) {
        put_in_zone(fiber);
        return nullptr;
    }
    Fiber* const me = known_self();
    Carrier* carrier = fiber.carrier;
    if (GOSSAMER_UNLIKELY(carrier->serves.load(std::memory_order_relaxed) != Serves::all || must_leave(*carrier, fiber))) {
        if (stays_apart(fiber)) return nullptr;
        carrier = &another_carrier_for(fiber);
    }
    Carrier& target = *carrier;
    if (fiber.kind == Kind::light) {
        target.pinned.push(&fiber);
        wake_if_asleep(target);
        return nullptr;
    }
    if (me != nullptr && me->carrier == &target && target.running == me) {
        if (target.takes_in_hand && !target.home_wants()) {
            target.takes_in_hand = false;
            target.in_hand = Item(&fiber);
            return nullptr;  // no other carrier need know
        }
        if (target.deque.push(Item(&fiber))) return &target;
    }
    target.inbox.push(&fiber);
    published(target);
    return nullptr;
}

// Whether the caller runs on the native thread of `carrier`. That carrier sees the caller's stores at its next decision, and
// behind the fence of `announce` before it parks; or the monitor does, which is awake while a home is out and its carrier is
// not parked.
bool runs_on(const Carrier& carrier) {
    const Fiber* const me = known_self();
    return me != nullptr && me->carrier == &carrier && carrier.running == me;
}

Carrier* resume_quietly(Fiber* fiber) {
    // A home is never parked by its permit, so only this call can tell that its native thread may sleep. Read first what is
    // needed of the fiber: once notified it may be gone.
    Carrier* const home_of = fiber->kind == Kind::native ? fiber->own : nullptr;
    if (fiber->permit.notify()) return make_ready_quietly(*fiber);
    if (home_of != nullptr && !runs_on(*home_of)) call_home(*home_of);
    return nullptr;
}

}  // namespace

void resume(Fiber* fiber) {
    if (Carrier* const here = resume_quietly(fiber)) published_here(*here);
}

Resuming::Resuming() {
    const Fiber* const me = known_self();
    if (me == nullptr || me->carrier == nullptr || me->carrier->running != me || me->carrier->takes_in_hand) return;
    if (GOSSAMER_UNLIKELY(me->carrier->relief)) return;  // no carrier takes from its queue by itself
    if (GOSSAMER_LIKELY(!relief_was_needed.load(std::memory_order_relaxed))) here_ = me->carrier;
}

void Resuming::resume(Fiber* fiber) {
    if (GOSSAMER_UNLIKELY(here_ == nullptr || fiber->kind != Kind::full)) return resume_any(fiber);
    // As resume_quietly does for any kind of fiber.
    if (!fiber->permit.notify()) return;
    if (GOSSAMER_UNLIKELY(fiber->carrier != here_ || fiber->zone != 0 || here_->deque.full() || must_leave(*here_, *fiber))) {
        return make_ready(*fiber);
    }
    here_->deque.push_in_room(Item(fiber));
    unannounced_ = here_;
}

void Resuming::resume_any(Fiber* fiber) {
    if (Carrier* const here = resume_quietly(fiber)) unannounced_ = here;
}

void Resuming::make_ready(Fiber& fiber) {
    if (Carrier* const here = make_ready_quietly(fiber)) unannounced_ = here;
}

Resuming::~Resuming() {
    if (unannounced_ != nullptr) published_here(*unannounced_);
}

void make_ready(Fiber& fiber) {
    if (Carrier* const here = make_ready_quietly(fiber)) published_here(*here);
}

void published(Carrier& carrier) {
    if (GOSSAMER_UNLIKELY(crowded())) {
        note_work();
        return;
    }
    // The same carrier, if it is asleep, finds the fiber's data in its cache; else any free carrier will do.
    if (!wake_if_asleep(carrier)) published_here(carrier);
}

void published_here(Carrier& carrier) {
    if (GOSSAMER_UNLIKELY(crowded())) {
        note_work();
        return;
    }
    unpark_claimed(g.idle.publish(carrier.index));
    note_work();
}

void call_home(Carrier& own) {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with announce, and with HomePlace::leave
    if (GOSSAMER_UNLIKELY(left_to_others(own))) {
        note_work();
    } else {
        wake_if_asleep(own);
    }
}

void unpark(Carrier& carrier) {
    carrier.company.woken_when = arch::cycles();
    before_wake(carrier);
    carrier.asleep.store(0, std::memory_order_release);  // pairs with the wait in search_and_park
    os::futex_wake(carrier.asleep, 1);
}

}  // namespace gossamer::fiber
