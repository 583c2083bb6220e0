// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intel's and LLVM's affinity masks. A mask is made, filled and read as in their runtimes, and kmp_get_affinity returns the
// mask of the native thread. kmp_set_affinity fails: an OpenMP thread may run on any carrier, so a mask cannot bind it.
// Routines that return an int return 0, or a negative number for a CPU or mask that does not exist; ..._get_affinity_mask_proc
// returns 1 or 0.
#include <cstdlib>
#include <new>

#include "abi/api/fortran.hpp"
#include "os/os.hpp"

using gossamer::os::CpuMask;

namespace {

CpuMask* mask_of(void* const* mask) { return mask == nullptr ? nullptr : static_cast<CpuMask*>(*mask); }

bool known(int cpu) { return cpu >= 0 && static_cast<unsigned>(cpu) < CpuMask::capacity; }

}  // namespace

GOSSAMER_EXPORT void kmp_create_affinity_mask(void** mask) {
    void* room = std::malloc(sizeof(CpuMask));
    *mask = room == nullptr ? nullptr : ::new (room) CpuMask;
}
GOSSAMER_FORTRAN_ALIAS(kmp_create_affinity_mask)

GOSSAMER_EXPORT void kmp_destroy_affinity_mask(void** mask) {
    std::free(*mask);
    *mask = nullptr;
}
GOSSAMER_FORTRAN_ALIAS(kmp_destroy_affinity_mask)

GOSSAMER_EXPORT int kmp_set_affinity(void**) { return -1; }
GOSSAMER_FORTRAN_ALIAS(kmp_set_affinity)

GOSSAMER_EXPORT int kmp_get_affinity(void** mask) {
    CpuMask* out = mask_of(mask);
    return out == nullptr ? -1 : gossamer::os::affinity(*out);
}
GOSSAMER_FORTRAN_ALIAS(kmp_get_affinity)

// One more than the largest CPU number that the process may use.
GOSSAMER_EXPORT int kmp_get_affinity_max_proc() {
    const CpuMask& cpus = gossamer::os::startup_cpus();
    unsigned largest = 0;
    for (unsigned cpu = cpus.next(0); cpu != CpuMask::none; cpu = cpus.next(cpu + 1)) largest = cpu;
    return static_cast<int>(largest + 1);
}
GOSSAMER_FORTRAN_ALIAS(kmp_get_affinity_max_proc)

GOSSAMER_EXPORT int kmp_set_affinity_mask_proc(int cpu, void** mask) {
    CpuMask* out = mask_of(mask);
    if (out == nullptr || !known(cpu)) return -1;
    if (!gossamer::os::startup_cpus().contains(static_cast<unsigned>(cpu))) return -2;
    out->add(static_cast<unsigned>(cpu));
    return 0;
}
GOSSAMER_EXPORT int kmp_set_affinity_mask_proc_(const std::int32_t* cpu, void** mask) {
    return kmp_set_affinity_mask_proc(*cpu, mask);
}
GOSSAMER_ALIAS(kmpc_set_affinity_mask_proc, kmp_set_affinity_mask_proc)

GOSSAMER_EXPORT int kmp_unset_affinity_mask_proc(int cpu, void** mask) {
    CpuMask* out = mask_of(mask);
    if (out == nullptr || !known(cpu)) return -1;
    if (!gossamer::os::startup_cpus().contains(static_cast<unsigned>(cpu))) return -2;
    out->remove(static_cast<unsigned>(cpu));
    return 0;
}
GOSSAMER_EXPORT int kmp_unset_affinity_mask_proc_(const std::int32_t* cpu, void** mask) {
    return kmp_unset_affinity_mask_proc(*cpu, mask);
}
GOSSAMER_ALIAS(kmpc_unset_affinity_mask_proc, kmp_unset_affinity_mask_proc)

GOSSAMER_EXPORT int kmp_get_affinity_mask_proc(int cpu, void** mask) {
    CpuMask* out = mask_of(mask);
    if (out == nullptr || !known(cpu)) return -1;
    return out->contains(static_cast<unsigned>(cpu));
}
GOSSAMER_EXPORT int kmp_get_affinity_mask_proc_(const std::int32_t* cpu, void** mask) {
    return kmp_get_affinity_mask_proc(*cpu, mask);
}
GOSSAMER_ALIAS(kmpc_get_affinity_mask_proc, kmp_get_affinity_mask_proc)

// The calling thread's mask is the one it began with; there is nothing to set.
GOSSAMER_EXPORT int kmp_set_thread_affinity_mask_initial() { return 0; }
