// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting on an address: the parking lot that locks, critical, ordered, doacross and the like stand on.
// It suspends a fiber, or puts a native thread that is no fiber to sleep (docs/protocols/waiting.md).
#pragma once

#include <atomic>
#include <cstdint>

namespace gossamer::fiber {

// Suspends the caller while `word` holds `value`; returns at once if it does not. Returns after a notify, or spuriously:
// callers re-check in a loop. Full barrier between the caller's announcement and its last look at `word`.
void wait(const std::atomic<uint32_t>& word, uint32_t value);

// Loops `wait` until `word` differs from `value`; spins briefly first while nothing else is ready on this carrier.
// Returns the value seen, with acquire ordering.
uint32_t wait_while(const std::atomic<uint32_t>& word, uint32_t value);

// Wakes all that wait on `word`. Call after changing `word` (any order: a full fence is inside).
// Never suspends. When nobody waits in the whole bucket, costs one fence and one load.
void notify_all(const std::atomic<uint32_t>& word);

// The same keyed by any address, for words of other widths and conditions: `ready(arg)` is evaluated under the bucket's
// lock, so it must not wait, and the caller suspends only if it returns false.
void wait_until(const void* key, bool (*ready)(void* arg), void* arg);
void notify_all_at(const void* key);

// For a word that is to change in one step with the queue: takes the one that has waited longest on `key` off it, if one was
// `found`, calls change(argument, found, left) under the bucket's lock, where `left` says whether others wait on, and wakes the one.
// `key` is not read; never suspends.
void notify_one_with(const void* key, void (*change)(void* argument, bool found, bool left), void* argument);

}  // namespace gossamer::fiber
