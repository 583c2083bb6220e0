// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// run-sched-var (OpenMP 5.2 §18.2.11-12). omp_sched_t is the kind, and the top bit says monotonic.
#include "abi/api/fortran.hpp"
#include "omp/omp.hpp"

using gossamer::omp::current;
using gossamer::omp::Ordering;
using gossamer::omp::Schedule;
using gossamer::omp::ScheduleKind;

namespace {
constexpr std::uint32_t monotonic = 0x80000000;
}

// An unknown kind changes nothing. A chunk below 1 means the kind's default.
GOSSAMER_EXPORT void omp_set_schedule(std::uint32_t kind, int chunk) {
    std::uint32_t plain = kind & ~monotonic;
    if (plain < static_cast<std::uint32_t>(ScheduleKind::static_) || plain > static_cast<std::uint32_t>(ScheduleKind::auto_)) {
        return;
    }
    Schedule schedule;
    schedule.kind = static_cast<ScheduleKind>(plain);
    schedule.ordering = (kind & monotonic) != 0 ? Ordering::monotonic : Ordering::unsaid;
    if (schedule.kind == ScheduleKind::static_) schedule.chunk = chunk < 1 ? 0 : chunk;
    if (schedule.kind == ScheduleKind::dynamic || schedule.kind == ScheduleKind::guided) {
        schedule.chunk = chunk < 1 ? 1 : chunk;
    }
    current().change_icvs().set_run_schedule(schedule);
}
GOSSAMER_ALIAS(ompc_set_schedule, omp_set_schedule)

GOSSAMER_EXPORT void omp_get_schedule(std::uint32_t* kind, int* chunk) {
    Schedule schedule = current().icvs().run_schedule();
    *kind = static_cast<std::uint32_t>(schedule.kind) | (schedule.ordering == Ordering::monotonic ? monotonic : 0);
    *chunk = schedule.chunk;
}

GOSSAMER_EXPORT void omp_set_schedule_(const std::int32_t* kind, const std::int32_t* chunk) {
    omp_set_schedule(static_cast<std::uint32_t>(*kind), *chunk);
}
GOSSAMER_EXPORT void omp_set_schedule_8_(const std::int32_t* kind, const std::int64_t* chunk) {
    omp_set_schedule(static_cast<std::uint32_t>(*kind), gossamer::abi::to_int(*chunk));
}

GOSSAMER_EXPORT void omp_get_schedule_(std::int32_t* kind, std::int32_t* chunk) {
    std::uint32_t whole = 0;
    omp_get_schedule(&whole, chunk);
    *kind = static_cast<std::int32_t>(whole);
}
GOSSAMER_EXPORT void omp_get_schedule_8_(std::int32_t* kind, std::int64_t* chunk) {
    std::int32_t narrow = 0;
    omp_get_schedule_(kind, &narrow);
    *chunk = narrow;
}
