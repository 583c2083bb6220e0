// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock that the program may hold across anything: omp_lock_t, critical, atomic sections of old compilers. It has four bytes,
// because gcc's omp_lock_t has no more; zero bytes are a free mutex, because the names of critical sections are never
// initialised. What the bytes mean, and why no wake is lost: mutex_word.hpp.
#pragma once

#include "base/base.hpp"
#include "omp/sync/mutex_word.hpp"

namespace gossamer::omp {

class Mutex {
public:
    constexpr Mutex() = default;
    Mutex(const Mutex&) = delete;
    Mutex& operator=(const Mutex&) = delete;

    // Never suspends. Only reads a mutex that is held: its holder keeps the line.
    bool try_lock() { return is_free() && word_.try_take(); }

    // May suspend.
    void lock() {
        if (GOSSAMER_UNLIKELY(!word_.try_take())) lock_contended();
    }

    // May suspend if others waited. The next owner may free the mutex's memory.
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

// The mutex in a variable of the program.
inline Mutex& mutex_in(void* storage) { return *static_cast<Mutex*>(storage); }

}  // namespace gossamer::omp
