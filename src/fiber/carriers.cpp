// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of carriers: which native thread serves which slot. Slot 0 and those behind the workers' are for roots and for
// relief; a slot that its native thread has left serves the next one, so the table grows only to the most that are in use at
// once.

#include "fiber/carriers.hpp"

#include <cstdlib>
#include <new>
#include <utility>

#include "fiber/ids.hpp"
#include "fiber/one_to_one.hpp"
#include "fiber/ready.hpp"
#include "fiber/stock.hpp"

namespace gossamer::fiber {

namespace {

constinit std::atomic<bool> said_full{false};

// A carrier's home lies at the end of its page, since what the carrier itself uses all the time lies at the beginning of
// another one, and the two would meet in the same sets of the first-level cache.
constexpr std::size_t home_begins = no_prefetch - align_up(sizeof(Fiber), alignof(Fiber));

}  // namespace

Fiber* new_home() {
    void* const page = std::aligned_alloc(no_prefetch, no_prefetch);
    if (page == nullptr) return nullptr;
    Fiber* const home = ::new (static_cast<char*>(page) + home_begins) Fiber;
    home->memory = page;
    home->id = take_id();
    return home;
}

void delete_home(Fiber& home) {
    give_id(home.id);
    void* const memory = home.memory;  // a forked child's only fiber ends here, too, whatever it was made as
    home.~Fiber();
    std::free(memory);
}

Carrier* new_carrier(std::uint32_t index) {
    void* const memory = std::aligned_alloc(no_prefetch, align_up(sizeof(Carrier), no_prefetch));
    if (memory == nullptr) return nullptr;
    Carrier* const carrier = ::new (memory) Carrier;
    carrier->index = index;
    carrier->random = Random(g.config.chaos + index + 1);
    if (g.zones != nullptr && g.config.distance != nullptr && index < g.config.carriers) {
        carrier->nearest = Nearest::make(index, g.config.carriers, g.config.distance);
    }
    return carrier;
}

void delete_carrier(Carrier& carrier) {
    if (carrier.duty.lender != nullptr) delete_home(*carrier.duty.lender);
    std::free(const_cast<Nearest*>(carrier.nearest));
    std::free(carrier.sleep);
    carrier.~Carrier();
    std::free(&carrier);
}

void publish_carrier(Carrier& carrier) {
    g.carriers[carrier.index].store(&carrier, std::memory_order_release);  // pairs with carrier_at and Carriers
    if (g.slots.load(std::memory_order_relaxed) <= carrier.index) {
        g.slots.store(carrier.index + 1, std::memory_order_release);  // pairs with all_carriers, steal and glance
    }
}

Carrier* vacant_carrier() {
    for (std::uint32_t index = 0; index < max_carriers; ++index) {
        if (is_worker(index)) continue;
        Carrier* carrier = g.carriers[index].load(std::memory_order_relaxed);
        if (carrier == nullptr) {
            carrier = new_carrier(index);
            if (carrier != nullptr) publish_carrier(*carrier);
            return carrier;
        }
        // What relief has left in the slot is another root's; thieves find it.
        if (carrier->home == nullptr && carrier->nothing_queued_here()) return carrier;
    }
    return nullptr;
}

bool all_taken() { return g.carriers[max_carriers - 1].load(std::memory_order_relaxed) != nullptr; }

void occupy(Carrier& carrier, Fiber& home, Serves serves) {
    carrier.home = carrier.running = &home;
    carrier.relief = serves == Serves::one;
    carrier.bound = 0;  // the native thread that had the slot before may have been bound
    home.carrier = &carrier;
    if (serves == Serves::all) home.own = &carrier;
    carrier.serves.store(serves, std::memory_order_relaxed);
}

void vacate(Carrier& carrier) {
    carrier.home = carrier.running = nullptr;
    carrier.root.store(nullptr, std::memory_order_relaxed);
    carrier.serves.store(Serves::nobody, std::memory_order_relaxed);  // a hint: thieves find what comes late
}

namespace {

// A vacant carrier for relief, with a lender; takes what is missing from `made` and `lender`. Null: something is. Native
// threads of fibers take this lock, so the caller's signals are held, and nothing is allocated meanwhile.
Carrier* open_vacant(Carrier*& made, Fiber*& lender) {
    const HeldSignals held;
    SpinGuard guard(g.lock, os::yield_native);
    for (std::uint32_t index = g.workers.load(std::memory_order_relaxed); index < max_carriers; ++index) {
        Carrier* carrier = g.carriers[index].load(std::memory_order_relaxed);
        if (carrier == nullptr) {
            carrier = std::exchange(made, nullptr);
            if (carrier == nullptr) return nullptr;
            carrier->index = index;
            carrier->random = Random(g.config.chaos + index + 1);
            publish_carrier(*carrier);
        }
        if (carrier->home != nullptr) continue;
        if (carrier->duty.lender == nullptr && (carrier->duty.lender = std::exchange(lender, nullptr)) == nullptr)
            return nullptr;
        carrier->duty.lender->set_kind(Kind::lender);
        occupy(*carrier, *carrier->duty.lender, Serves::one);
        g.apart.open.store(g.apart.open.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return carrier;
    }
    return nullptr;
}

}  // namespace

Carrier* open_relief_carrier() {
    Carrier* made = nullptr;
    Fiber* lender = nullptr;
    Carrier* carrier = open_vacant(made, lender);
    if (carrier != nullptr) return carrier;
    made = new_carrier(max_carriers);
    lender = new_home();
    carrier = open_vacant(made, lender);
    if (made != nullptr) delete_carrier(*made);
    if (lender != nullptr) delete_home(*lender);
    if (carrier == nullptr && g.slots.load(std::memory_order_relaxed) == max_carriers) {
        say_once(said_full,
                 "%u native threads run OpenMP threads already: a thread that waits by its own means may wait for ever",
                 max_carriers);
    }
    return carrier;
}

void close_relief_carrier(Carrier& carrier) {
    give_spares(carrier);
    carrier.serves.store(Serves::nobody, std::memory_order_relaxed);  // a hint: thieves find what comes late
    if (!carrier.nothing_queued()) published_here(carrier);
    SpinGuard guard(g.lock, os::yield_native);
    vacate(carrier);
    g.apart.open.store(g.apart.open.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
}

}  // namespace gossamer::fiber
