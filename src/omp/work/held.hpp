// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chunks of a loop that a thread has taken and not begun (ahead.hpp): one after the other, and few. Their owner takes the
// first one without a read-modify-write. A thief, which comes hardly ever, takes the first one as well, and pays for both.
//
// Word, which only the owner writes: how many chunks, slot of the loop in the team's ring, first iteration.
//
//     owner takes                              thief takes
//     -----------                              -----------
//     word = one chunk less                    lock; asked = 1
//     light fence                              heavy fence
//     asked 0: it is the owner's               word as it was seen before: the first one behind those stolen, from there on
//     otherwise, under the lock: behind                                   it is stolen; asked stays
//         those stolen; none is stolen now     otherwise: nothing; asked = 0 unless some are stolen. Unlock
//
// Each chunk is taken once: the heavy fence is a fence in every thread, so either the owner sees that it is asked, or the thief
// sees the owner's word. In the latter case the word has changed, or the owner has not come since it was seen. In the former
// the owner goes through the lock. If the thief was first, its chunks are those at the front of the word that it saw, which is
// the one before the owner's last store or that one itself: `from_` tells. If the owner was first, the word has changed.
//
// Invariant, outside the lock: `asked_` is 1 exactly if some are stolen. The word is the one that the thief saw, until the
// owner comes.
#pragma once

#include <atomic>
#include <cstdint>

#include "arch/arch.hpp"
#include "base/base.hpp"
#include "os/os.hpp"

namespace gossamer::omp {

// A supplies Atomic, light() and heavy(), the fences, and pause(), for the lock.
template <class A, class Lock>
class BasicHeldChunks {
public:
    using Word = uint64_t;
    static constexpr uint32_t some = (1u << 4) - 1;      // so many held: the owner is about to take a few
    static constexpr uint64_t most = uint64_t{1} << 55;  // iterations of a loop, and of a chunk

    // Owner, holding none: holds `count` chunks from iteration `first`. Its stores here and in `take` pair with look.
    void hold(uint32_t slot, uint64_t first, uint32_t count) {
        word_.store(Word{count} << count_bit | Word{slot} << slot_bit | first, std::memory_order_release);
    }

    // Owner, which holds none or leaves the loop with them.
    void hold_none() {
        word_.store(0, std::memory_order_relaxed);
        A::light();  // pairs with steal's heavy fence
        if (GOSSAMER_LIKELY(asked_.load(std::memory_order_relaxed) == 0)) return;
        SpinGuard guard(lock_, A::pause);
        forget_stolen();
    }

    // Owner. Takes the first chunk, of `size`; false: none is left.
    bool take(uint64_t size, uint64_t& first) {
        const Word word = word_.load(std::memory_order_relaxed);
        if (count_of(word) == 0) return false;
        first = first_of(word);
        word_.store(word + size - one, std::memory_order_release);
        A::light();  // pairs with steal's heavy fence
        return GOSSAMER_LIKELY(asked_.load(std::memory_order_relaxed) == 0) || take_behind_stolen(size, first);
    }

    // Sibling. The word, and how many chunks of the loop in `slot` are left here; `some`: that will be known soon.
    Word look() const { return word_.load(std::memory_order_acquire); }  // pairs with the owner's stores, for `stolen_`
    uint32_t left(Word word, uint32_t slot) const {
        if (count_of(word) == 0 || slot_of(word) != slot) return 0;
        const uint32_t stolen = stolen_.load(std::memory_order_relaxed);
        return count_of(word) > stolen ? count_of(word) - stolen : 0;
    }

    // Thief. Takes the first chunk that is left, if the word is still `word`, which is not `some`.
    bool steal(Word word, uint64_t size, uint64_t& first) {
        SpinGuard guard(lock_, A::pause);
        const uint32_t stolen = stolen_.load(std::memory_order_relaxed);
        asked_.store(1, std::memory_order_relaxed);
        A::heavy();  // pairs with the owner's light fences
        const bool same = word_.load(std::memory_order_relaxed) == word;
        // Where some are stolen and the word is another one, the owner waits for the lock.
        if (!same || stolen >= count_of(word) || (stolen != 0 && from_ != first_of(word))) {
            if (stolen == 0) asked_.store(0, std::memory_order_relaxed);
            return false;
        }
        from_ = first_of(word);
        first = from_ + stolen * size;
        stolen_.store(stolen + 1, std::memory_order_relaxed);  // the heavy fence lies before it, for take_from_siblings
        return true;
    }

    // In the child of a fork, where a thief may have held the lock.
    void forget_thief() { renew(lock_); }

private:
    static constexpr uint32_t count_bit = 60;
    static constexpr uint32_t slot_bit = 56;
    static constexpr Word one = Word{1} << count_bit;

    static constexpr uint32_t count_of(Word word) { return static_cast<uint32_t>(word >> count_bit); }
    static constexpr uint32_t slot_of(Word word) { return static_cast<uint32_t>(word >> slot_bit) & 15; }
    static constexpr uint64_t first_of(Word word) { return word & ((Word{1} << slot_bit) - 1); }

    // Owner, which has taken `first` off its word. Some are stolen, or a thief looked whether it might steal any.
    GOSSAMER_COLD bool take_behind_stolen(uint64_t size, uint64_t& first) {
        SpinGuard guard(lock_, A::pause);
        const uint64_t stolen = forget_stolen();
        if (stolen == 0) return true;
        Word word = word_.load(std::memory_order_relaxed);
        const bool first_too = from_ == first;
        if (first_too) word -= size - one;
        word += stolen * (size - one);
        const bool any = !first_too || count_of(word) != 0;
        if (first_too && any) {
            first = first_of(word);
            word += size - one;
        }
        word_.store(word, std::memory_order_release);  // pairs with look: who sees it sees that none of these are stolen
        return any;
    }

    // Under the lock.
    uint32_t forget_stolen() {
        const uint32_t stolen = stolen_.load(std::memory_order_relaxed);
        asked_.store(0, std::memory_order_relaxed);
        stolen_.store(0, std::memory_order_relaxed);
        return stolen;
    }

    typename A::template Atomic<Word> word_{0};
    typename A::template Atomic<uint32_t> asked_{0};
    typename A::template Atomic<uint32_t> stolen_{0};
    uint64_t from_ = 0;  // where those stolen begin
    Lock lock_;
};

// The owner's fence is a compiler's, so where the system refuses to fence all threads nobody may hold any chunks.
struct HeldFences : StdAtomics {
    static void light() { std::atomic_signal_fence(std::memory_order_seq_cst); }
    static void heavy() { os::heavy_fence(); }
    static void pause() { arch::pause(); }
};

using HeldChunks = BasicHeldChunks<HeldFences, SpinLock>;

}  // namespace gossamer::omp
