// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The internal control variables (OpenMP 5.2 §2), by scope. Those of a data environment or an implicit task belong to the task
// (Icvs); those of the device or the whole program exist once (GlobalIcvs, global_icvs.hpp).
#pragma once

#include <cstdint>
#include <type_traits>

#include "omp/icv/global_icvs.hpp"

namespace gossamer::omp {

// The ICVs of table 2.3 whose scope is a data environment or an implicit task.
// Small, because every implicit task of a region gets a copy.
struct Icvs {
    std::uintptr_t default_allocator = 1;  // def-allocator-var: a handle, 1 is omp_default_mem_alloc
    std::uint32_t nthreads = 1;            // nthreads-var, first element
    std::uint32_t max_active_levels = max_levels;
    std::uint32_t thread_limit = no_limit;
    std::int32_t default_device = 0;
    std::int32_t schedule_chunk = 0;  // run-sched-var, with the next two; see run_schedule()
    ScheduleKind schedule_kind = ScheduleKind::static_;
    Ordering schedule_ordering = Ordering::unsaid;
    bool dynamic = false;             // dyn-var
    bool final = false;               // final-task-var: omp_in_final
    std::uint16_t nthreads_next = 0;  // index of nthreads-var's second element in GlobalIcvs::nthreads, or in a clause's list
                                      // (thread_lists.hpp); 0: there is none
    std::uint8_t bind_next = 0;       // likewise for bind-var
    Bind bind = Bind::no;             // bind-var, first element
    std::uint16_t place_first = 0;    // place-partition-var: consecutive places of the list (affinity/places.hpp)
    std::uint16_t place_count = 0;    // 0: all of them

    // By words, because every thread of every region compares.
    bool operator==(const Icvs& other) const { return __builtin_memcmp(this, &other, sizeof other) == 0; }

    Schedule run_schedule() const { return {schedule_kind, schedule_ordering, schedule_chunk}; }
    void set_run_schedule(Schedule schedule) {
        schedule_kind = schedule.kind;
        schedule_ordering = schedule.ordering;
        schedule_chunk = schedule.chunk;
    }
};

static_assert(std::is_trivially_copyable_v<Icvs> && std::has_unique_object_representations_v<Icvs>);
static_assert(sizeof(Icvs) == 40, "every implicit task of a region is given a copy");

// `inherited`, where a list has a second element: its first is dropped.
Icvs inherited_by_list(const Icvs& parent);
Icvs inherited_by_list(const Icvs& parent, const GlobalIcvs& all);

// The ICVs of the implicit tasks of a region that a task with ICVs `parent` meets (§2.4, §10.1). Never suspends.
inline Icvs inherited(const Icvs& parent) {
    if (GOSSAMER_UNLIKELY((parent.nthreads_next | parent.bind_next) != 0)) return inherited_by_list(parent);
    Icvs child = parent;
    child.final = false;
    return child;
}

// Whether `child` is what `inherited` would return for `parent`; mostly found without making that copy, since each region asks.
inline bool is_inherited(const Icvs& child, const Icvs& parent) {
    if (GOSSAMER_UNLIKELY((parent.nthreads_next | parent.bind_next) != 0 || parent.final)) return child == inherited(parent);
    return child == parent;
}

// The ICVs with which each initial task starts (§2.2): defaults and the environment.
Icvs initial_icvs();
Icvs initial_icvs(const GlobalIcvs& all);

}  // namespace gossamer::omp
