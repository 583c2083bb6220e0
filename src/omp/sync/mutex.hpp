// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock that user code can hold across anything: omp_lock_t, critical, atomic sections of old compilers.
// Four bytes, because gcc's omp_lock_t has no more; zero bytes are a free one, because critical sections'
// names are never initialised. What they mean, and why no wake is lost: mutex_word.hpp.
#pragma once

#include "base/base.hpp"
#include "omp/sync/mutex_word.hpp"

namespace gossamer::omp {

class Mutex {
public:
    constexpr Mutex() = default;
    Mutex(const Mutex&) = delete;
    Mutex& operator=(const Mutex&) = delete;

    // Never suspends.
    bool try_lock() { return word_.try_take(); }

    // May suspend.
    void lock() {
        if (GOSSAMER_UNLIKELY(!try_lock())) lock_contended();
    }

    // May suspend where others waited. Whoever gets the lock next may free its memory.
    void unlock() {
        if (GOSSAMER_UNLIKELY(!word_.release())) unlock_contended();
    }

    bool is_free() const { return Word::is_free(word_.look()); }

private:
    using Word = BasicMutexWord<>;
    class Contender;

    void lock_contended();
    void unlock_contended();

    Word word_;
};

static_assert(sizeof(Mutex) == 4 && alignof(Mutex) == 4, "gcc's omp_lock_t");

// The mutex that lies in a variable of the user's.
inline Mutex& mutex_in(void* storage) { return *static_cast<Mutex*>(storage); }

}  // namespace gossamer::omp
