// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPUs that the process may use, and binding.
#pragma once

#include <pthread.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace gossamer::os {

// A set of CPU numbers below `capacity`, laid out as the kernel's affinity masks are.
class CpuMask {
public:
    static constexpr unsigned capacity = 8192;
    static constexpr unsigned none = ~0u;

    constexpr bool contains(unsigned cpu) const { return cpu < capacity && (words_[cpu / 64] >> (cpu % 64) & 1) != 0; }
    constexpr void add(unsigned cpu) {
        if (cpu < capacity) words_[cpu / 64] |= std::uint64_t{1} << (cpu % 64);
    }
    constexpr void remove(unsigned cpu) {
        if (cpu < capacity) words_[cpu / 64] &= ~(std::uint64_t{1} << (cpu % 64));
    }
    constexpr void clear() { words_ = {}; }

    constexpr unsigned count() const {
        unsigned sum = 0;
        for (std::uint64_t word : words_) sum += static_cast<unsigned>(std::popcount(word));
        return sum;
    }

    // The smallest member >= from, or none: for (c = m.next(0); c != CpuMask::none; c = m.next(c + 1)).
    constexpr unsigned next(unsigned from) const {
        for (unsigned index = from / 64; index < words_.size(); ++index) {
            std::uint64_t word = words_[index];
            if (index == from / 64) word &= ~std::uint64_t{0} << (from % 64);
            if (word != 0) return index * 64 + static_cast<unsigned>(std::countr_zero(word));
        }
        return none;
    }

    bool operator==(const CpuMask&) const = default;

    void* data() { return words_.data(); }
    const void* data() const { return words_.data(); }
    static constexpr std::size_t bytes() { return capacity / 8; }

private:
    std::array<std::uint64_t, capacity / 64> words_{};
};

// The CPUs that are in both.
constexpr CpuMask common(const CpuMask& left, const CpuMask& right) {
    CpuMask both;
    for (unsigned cpu = left.next(0); cpu != CpuMask::none; cpu = left.next(cpu + 1)) {
        if (right.contains(cpu)) both.add(cpu);
    }
    return both;
}

// The calling native thread's mask. 0, or an errno code and out untouched.
int affinity(CpuMask& out);

// The same for the calling native thread and the process's initial thread together: the program may have bound either to less
// than it lets the process have.
int affinity_of_process(CpuMask& out);

// Binds the calling native thread. 0, or EINVAL where the kernel lets it have none of these.
int bind_affinity(const CpuMask& cpus);

// Another native thread, which lives: its mask, and binding it. 0, or the code of pthread_getaffinity_np and _setaffinity_np.
int affinity_of(pthread_t thread, CpuMask& out);
int bind_thread(pthread_t thread, const CpuMask& cpus);

// Moves the calling native thread once to `cpu` and gives it `mask` again, which is its own: where it runs from then on is the
// kernel's choice. False: it was not moved.
bool move_to(unsigned cpu, const CpuMask& mask);

// Moves the calling native thread once to the number-th CPU (from 0, round and round) of its own mask that is not `taken`,
// and leaves the mask as it was. Without such a CPU nothing happens.
void move_away_from(unsigned taken, unsigned number);

// The process's mask when this was first called, or what it was narrowed to; call it before anything is bound. Never empty.
const CpuMask& startup_cpus();

// Makes startup_cpus these, which are some of them: what the user has named of the machine. Before another thread may look.
void narrow_startup_cpus(const CpuMask& cpus);

// In the child of a fork: the next call of startup_cpus reads the mask again, because a thread that is gone was in the middle
// of reading or narrowing it.
void forget_startup_cpus();

// The mask of the thread that loaded this library, as it was before any library's constructor ran. Empty: unknown.
const CpuMask& cpus_at_load();

// How many CPUs startup_cpus has, at least 1.
unsigned cpu_count();

// The CPU that runs this now, by the kernel's word (never by an rseq area that may be another thread's).
unsigned current_cpu();

}  // namespace gossamer::os
