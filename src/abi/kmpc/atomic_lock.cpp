// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/kmpc/atomic_lock.hpp"

#include "arch/arch.hpp"
#include "os/os.hpp"

namespace gossamer::abi {

namespace {

struct alignas(no_share) Slot {
    SpinLock lock;
};

constexpr unsigned slot_bits = 6;
constinit Slot slots[1U << slot_bits];

// Neighbouring elements of an array use different slots: the product with 2^64 divided by the golden ratio spreads the lowest
// bits over the highest. All addresses within the same 16 bytes share a slot.
SpinLock& slot_of(const void* address) {
    const std::uint64_t block = reinterpret_cast<std::uintptr_t>(address) >> 4;
    return slots[(block * 0x9E3779B97F4A7C15U) >> (64 - slot_bits)].lock;
}

// In the child of a fork. What a thread that is gone was updating may be half written, as it may be with any other atomic type
// of that width.
void forget_locks() {
    for (Slot& slot : slots) {
        if (slot.lock.is_held()) slot.lock.unlock();
    }
}
[[gnu::constructor]] void watch_forks() { os::set_fork_hooks(nullptr, nullptr, forget_locks); }

// Longer than any section under these locks takes, unless the holder has lost its CPU.
constexpr unsigned spins_before_yield = 200;

}  // namespace

AddressLock::AddressLock(const void* address) : lock_(slot_of(address)) {
    unsigned spins = 0;
    lock_.lock([&] {
        if (++spins % spins_before_yield == 0)
            os::yield_native();
        else
            arch::pause();
    });
}

}  // namespace gossamer::abi
