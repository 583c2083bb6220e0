// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where idle fibers lie, beyond the few that each carrier has at hand.
//
// A carrier keeps at most `spares_kept` fibers to itself. It puts the surplus on its shelf, and when it has none left it
// takes from there, `spares_moved` at a time, so that it pays for the lock once in so many. A carrier that finds its own
// shelf empty looks at the common one, then at the other carriers' shelves, and only then makes a fiber. So there are never
// more fibers than ever ran or waited at once, plus spares_kept for each carrier, whichever carrier needs them next.
#pragma once

#include <atomic>
#include <cstdint>

#include "arch/arch.hpp"
#include "base/base.hpp"
#include "fiber/inbox.hpp"

namespace gossamer::fiber {

constexpr std::uint32_t spares_kept = 16;
constexpr std::uint32_t spares_moved = 8;
static_assert(spares_moved < spares_kept);

class Shelf {
public:
    // Takes over the list of `count` fibers from `first` to `last`.
    void put(Link* first, Link* last, std::uint32_t count) {
        SpinGuard guard(lock_, arch::pause);
        last->next = first_.load(std::memory_order_relaxed);
        first_.store(first, std::memory_order_relaxed);
        add(count);
    }

    // The newest fibers, at most `most`, as a list; their number in `count`. Null: the shelf is empty.
    Link* take(std::uint32_t most, std::uint32_t& count) {
        count = 0;
        if (empty_hint()) return nullptr;
        SpinGuard guard(lock_, arch::pause);
        Link* const first = first_.load(std::memory_order_relaxed);
        if (first == nullptr) return nullptr;
        Link* last = first;
        for (count = 1; count < most && last->next != nullptr; ++count) last = last->next;
        first_.store(last->next, std::memory_order_relaxed);
        add(0u - count);
        last->next = nullptr;
        return first;
    }

    // The newest fiber for which `fits(link)` holds; null: there is none.
    template <class Fits>
    Link* take_if(const Fits& fits) {
        SpinGuard guard(lock_, arch::pause);
        Link* before = nullptr;
        for (Link* at = first_.load(std::memory_order_relaxed); at != nullptr; before = at, at = at->next) {
            if (!fits(*at)) continue;
            if (before == nullptr) {
                first_.store(at->next, std::memory_order_relaxed);
            } else {
                before->next = at->next;
            }
            add(0u - 1);
            return at;
        }
        return nullptr;
    }

    // Any thread. Relaxed: how many fibers lay there at some moment during the call.
    std::uint32_t size_hint() const { return count_.load(std::memory_order_relaxed); }

    // Relaxed: the caller may miss a fiber that was put there a moment ago, and then makes one more.
    bool empty_hint() const { return first_.load(std::memory_order_relaxed) == nullptr; }

private:
    void add(std::uint32_t count) { count_.store(count_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed); }

    SpinLock lock_;
    std::atomic<std::uint32_t> count_{0};  // both are changed under the lock
    std::atomic<Link*> first_{nullptr};
};

}  // namespace gossamer::fiber
