// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The groups of CPUs that share something: a core's, a last-level cache's, a socket's.
#pragma once

#include <cstdlib>

#include "os/os.hpp"

namespace gossamer::omp {

// A number that all CPUs of one group share, and no other group has.
using GroupOf = unsigned (*)(os::Domain domain, unsigned cpu);
inline unsigned group_of_machine(os::Domain domain, unsigned cpu) { return os::group_of(domain, cpu); }

// The groups of one domain, read once for all of `cpus`. Without memory, or where the system does not tell, see os::group_of.
class Groups {
public:
    Groups(os::Domain domain, const os::CpuMask& cpus, GroupOf group_of)
        : numbers_(static_cast<unsigned*>(std::malloc(os::CpuMask::capacity * sizeof(unsigned)))) {
        if (numbers_ == nullptr) return;
        for (unsigned cpu = cpus.next(0); cpu != os::CpuMask::none; cpu = cpus.next(cpu + 1)) {
            numbers_[cpu] = group_of(domain, cpu);
        }
    }
    Groups(const Groups&) = delete;
    Groups& operator=(const Groups&) = delete;
    ~Groups() { std::free(numbers_); }

    // False: there was no memory, and there are no groups.
    bool known() const { return numbers_ != nullptr; }

    // Calls visit(group) for those of `cpus`, which were among the ones read, in the order of the groups' first CPUs, until it
    // returns false.
    template <class Visit>
    void each(const os::CpuMask& cpus, const Visit& visit) const {
        if (!known()) return;
        os::CpuMask left = cpus;
        for (unsigned first = left.next(0); first != os::CpuMask::none; first = left.next(first)) {
            os::CpuMask group;
            for (unsigned cpu = first; cpu != os::CpuMask::none; cpu = left.next(cpu + 1)) {
                if (numbers_[cpu] == numbers_[first]) group.add(cpu);
            }
            for (unsigned cpu = first; cpu != os::CpuMask::none; cpu = group.next(cpu + 1)) left.remove(cpu);
            if (!visit(group)) return;
        }
    }

private:
    unsigned* const numbers_;
};

}  // namespace gossamer::omp
