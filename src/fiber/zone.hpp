// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Zones: sets of processors that some fibers must not leave. Only the layer above knows what they are; here they are numbers
// from 1, and 0 is no zone. A fiber of a zone runs on a native thread that is bound to it, on any carrier: `switch_to` and
// `enter_zone` bind that thread, so nothing else here decides where a fiber may run, only which carriers come for it.
//
// Ready work of a zone lies in the zone's queue, which only that zone's carriers read; not in a deque, where thieves could
// not look past it. A zone that no carrier serves at the moment (there are more zones than carriers, or its only carrier was
// a root that has left its region) sends its work to the commons, the queue of number 0, which every carrier reads that
// serves any zone: a carrier that takes work from there binds itself anew. So does, while there are several roots, a zone that
// no worker serves, or whose workers make way: a root's carrier leaves what is of other roots where it lies (roots.cpp). If the
// workers are stuck the monitor sees to that, however much of its own such a root takes meanwhile: the oldest item does not
// move.
//
// The queue is a list under a lock: bound work moves rarely. Why no wake is lost: `put` makes the item visible, passes a full
// fence and looks which carriers are asleep; a carrier that parks announces it, passes a full fence and looks at the counts of
// its zone and of the commons (docs/protocols/idle.md).
#pragma once

#include <atomic>
#include <cstdint>

#include "fiber/carrier.hpp"

namespace gossamer::fiber {

struct alignas(no_share) Zone {
    SpinLock lock;
    std::uint32_t servers = 0;  // carriers that read the queue; under the lock. The commons does not count its readers.
    std::uint32_t roots = 0;    // those of them that are roots', which take nothing of other roots
    Link* first = nullptr;      // fibers and ranges, oldest first; under the lock
    Link* last = nullptr;
    std::atomic<std::uint32_t> count{0};  // items in the queue; written under the lock
    std::atomic<std::uint32_t> taken{0};  // how often the oldest item was taken, ever; written under the lock

    // The monitor's, from its last look.
    std::uint32_t seen_taken = 0;
    std::uint64_t seen_ns = 0;  // when it first saw that count while the queue held something; 0: the queue was empty

    bool empty_hint() const { return count.load(std::memory_order_relaxed) == 0; }
};

// Called once, by the first root. Without memory nothing will be bound (`zoned`).
void make_zones();

// A carrier begins, and ends, to read the queue of a zone. stop_serving moves what is left in it to the commons.
enum class Server : bool { worker, root };
void serve_zone(Carrier& carrier, std::uint32_t zone, Server server);
void stop_serving(Carrier& carrier);

// Puts a ready fiber of a zone where the zone's carriers find it, and wakes one of them.
void put_in_zone(Fiber& fiber);

// The oldest item of the carrier's zone, or of the commons: a fiber, or a range of one number. Null: both are empty.
Item take_zoned(Carrier& carrier);
// ranges: false: takes fibers only; reader: not null: takes what belongs to that carrier's root only.
Item take_from_zone(Zone& zone, bool ranges = true, const Carrier* reader = nullptr);
bool nothing_zoned(const Zone& zone);
// Whether these queues hold something of the root whose carrier this is.
bool holds_own_zoned(const Carrier& carrier);

// Binds the carrier's native thread, which must be the caller's, to the zone of `fiber`. For a fiber of no zone that is the
// carrier's own zone: those cover the machine evenly, where bound fibers left the thread does not.
void settle_for(Carrier& carrier, const Fiber& fiber);

// Binds that native thread to a zone.
GOSSAMER_COLD void settle(Carrier& carrier, std::uint32_t zone);

}  // namespace gossamer::fiber
