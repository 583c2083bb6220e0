// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The roll of all fibers that exist, mostly for debuggers (tools/gdb), so that fibers stay visible at no cost elsewhere.

#include "arch/arch.hpp"
#include "base/base.hpp"
#include "fiber/context.hpp"

namespace gossamer::fiber {

// Read by name from outside the process. Guarded by the lock.
constinit Fiber* first_on_roll = nullptr;

namespace {

constinit SpinLock roll_lock;

// Holds the lock, with all signals blocked: a handler may look for a fiber (find_on_roll), and may interrupt its holder.
class Rolled {
public:
    Rolled() : mask_(os::block_signals()) { roll_lock.lock(arch::pause); }
    Rolled(const Rolled&) = delete;
    Rolled& operator=(const Rolled&) = delete;
    ~Rolled() {
        roll_lock.unlock();
        os::set_signal_mask(mask_);
    }

private:
    const os::SignalMask mask_;
};

}  // namespace

void enrol(Fiber& fiber) {
    const Rolled guard;
    fiber.on_roll.next = first_on_roll;
    if (first_on_roll != nullptr) first_on_roll->on_roll.previous = &fiber;
    first_on_roll = &fiber;
}

void strike(Fiber& fiber) {
    const Rolled guard;
    Fiber* const previous = fiber.on_roll.previous;
    Fiber* const next = fiber.on_roll.next;
    (previous == nullptr ? first_on_roll : previous->on_roll.next) = next;
    if (next != nullptr) next->on_roll.previous = previous;
}

bool nobody_on_roll() { return first_on_roll == nullptr && !roll_lock.is_held(); }

Fiber* find_on_roll(pthread_t thread) {
    const Rolled guard;
    for (Fiber* fiber = first_on_roll; fiber != nullptr; fiber = fiber->on_roll.next) {
        if (fiber->kind == Kind::full && ::pthread_equal(fiber->thread, thread) != 0) return fiber;
    }
    return nullptr;
}

void forget_roll(Fiber* only) {
    renew(roll_lock);
    first_on_roll = only;
    if (only != nullptr) only->on_roll = {};
}

}  // namespace gossamer::fiber
