// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places and binding (OpenMP 5.2 §18.3.1-7). A place whose number is out of range has no processors.
#include "abi/api/fortran.hpp"
#include "omp/omp.hpp"

using gossamer::abi::to_int;
using gossamer::omp::Bind;
using gossamer::omp::current;
using gossamer::omp::places;

namespace {

std::span<const std::uint16_t> cpus_of(int place) {
    if (place < 0 || static_cast<std::uint32_t>(place) >= places().size()) return {};
    return places().cpus(static_cast<std::uint32_t>(place));
}

template <class Integer>
void write_proc_ids(int place, Integer* ids) {
    for (std::uint16_t cpu : cpus_of(place)) *ids++ = cpu;
}

template <class Integer>
void write_place_nums(Integer* nums) {
    gossamer::omp::PlacePartition partition = gossamer::omp::place_partition(current().icvs());
    for (std::uint32_t at = 0; at < partition.count; ++at) *nums++ = static_cast<Integer>(partition.first + at);
}

}  // namespace

GOSSAMER_EXPORT int omp_get_proc_bind() {
    Bind bind = current().icvs().bind;
    return bind == Bind::unset ? 0 : static_cast<int>(bind);
}
GOSSAMER_FORTRAN_ALIAS(omp_get_proc_bind)

GOSSAMER_EXPORT int omp_get_num_places() { return static_cast<int>(places().size()); }
GOSSAMER_FORTRAN_ALIAS(omp_get_num_places)

GOSSAMER_EXPORT int omp_get_place_num_procs(int place) { return static_cast<int>(cpus_of(place).size()); }
GOSSAMER_FORTRAN_INT(omp_get_place_num_procs)

GOSSAMER_EXPORT void omp_get_place_proc_ids(int place, int* ids) { write_proc_ids(place, ids); }
GOSSAMER_EXPORT void omp_get_place_proc_ids_(const std::int32_t* place, std::int32_t* ids) { write_proc_ids(*place, ids); }
GOSSAMER_EXPORT void omp_get_place_proc_ids_8_(const std::int64_t* place, std::int64_t* ids) {
    write_proc_ids(to_int(*place), ids);
}

GOSSAMER_EXPORT int omp_get_place_num() { return gossamer::omp::place_num(current()); }
GOSSAMER_FORTRAN_ALIAS(omp_get_place_num)

GOSSAMER_EXPORT int omp_get_partition_num_places() {
    return static_cast<int>(gossamer::omp::place_partition(current().icvs()).count);
}
GOSSAMER_FORTRAN_ALIAS(omp_get_partition_num_places)

GOSSAMER_EXPORT void omp_get_partition_place_nums(int* nums) { write_place_nums(nums); }
GOSSAMER_FORTRAN_ALIAS(omp_get_partition_place_nums)
GOSSAMER_EXPORT void omp_get_partition_place_nums_8_(std::int64_t* nums) { write_place_nums(nums); }
