// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting on an address: the parking lot that locks, critical, ordered, doacross and the like stand on. A waiter that is a
// fiber suspends; a native thread that is no fiber sleeps in the kernel (docs/protocols/waiting.md).
#pragma once

#include <atomic>
#include <cstdint>

namespace gossamer::fiber {

// Suspends the caller while `word` holds `value`; returns at once if it does not. Returns after a notify, or spuriously:
// the caller looks again in a loop. A full fence stands between the caller's announcement and its last look at `word`.
void wait(const std::atomic<uint32_t>& word, uint32_t value);

// Waits until `word` differs from `value`; spins briefly first while nothing else is ready on this carrier. May suspend.
// Returns the word's value, with acquire ordering; it is `value` again only if the word came back to it meanwhile.
uint32_t wait_while(const std::atomic<uint32_t>& word, uint32_t value);

// Wakes all waiters on `word`. Call after changing `word` (any order: a full fence is inside).
// Never suspends. Costs one fence and one load while the whole bucket has no waiter.
void notify_all(const std::atomic<uint32_t>& word);

// The same keyed by any address, for words of other widths and conditions: ready(arg) runs under the bucket's lock, so it must
// not wait; the caller suspends only if it returns false.
void wait_until(const void* key, bool (*ready)(void* arg), void* arg);
void notify_all_at(const void* key);
// The same behind a change that was a seq_cst read-modify-write. Costs one load while the whole bucket has no waiter.
void notify_all_behind_change(const void* key);

// For a word that must change in one step with the queue. Takes the oldest waiter on `key`, if there is one, off the queue;
// calls change(argument, found, left) under the bucket's lock, where `found` tells whether a waiter was taken and `left`
// whether others wait on; then wakes the one. `key` is not read. Never suspends.
void notify_one_with(const void* key, void (*change)(void* argument, bool found, bool left), void* argument);

}  // namespace gossamer::fiber
