// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Target regions (OpenMP 5.2 §13). The host is the only device, so a target region is executed at once, by the caller, on the
// program's own data; mapping has nothing to do.
#include <cstring>
#include <new>

#include "abi/gomp/task.hpp"

using namespace gossamer;
using abi::Function;

// task_depend.cpp: returns when the dependences are satisfied; nowait: makes a task of that.
extern "C" void GOMP_taskwait_depend(void** depend);
extern "C" void GOMP_taskwait_depend_nowait(void** depend);
// task.cpp
extern "C" void GOMP_task(Function function, void* data, abi::CopyArguments copy, long size, long alignment, bool if_clause,
                          unsigned flags, void** depend, int priority, void* detach);

namespace {

constexpr unsigned flag_nowait = 1;

// Values of an entry's device argument besides device numbers.
constexpr int device_by_icv = -1;
constexpr int host_by_if_clause = -2;

// GOMP_target_ext's last argument: clauses, each a number and a value, which is the next word or the upper bits.
constexpr intptr_t clause_value_follows = 0x80;
constexpr intptr_t clause_mask = 0x7f00;
constexpr intptr_t clause_thread_limit = 2 << 8;
constexpr int clause_value_shift = 16;

// The low byte of an entry of `kinds` is the map kind; the rest is the logarithm of the alignment.
constexpr unsigned kind_mask = 0xff;
constexpr unsigned kind_firstprivate = 0xc;

// Ends the program under OMP_TARGET_OFFLOAD=mandatory (§21.2.8), unless the
// construct asks for the host by its number or by an if clause.
void check_offload(int device) {
    if (omp::globals().offload != omp::Offload::mandatory || device == host_by_if_clause) return;
    if (device == device_by_icv) device = omp::current().icvs().default_device;
    if (device != 0) fatal("OMP_TARGET_OFFLOAD=mandatory, but there is no device other than the host");
}

// Executes a target region: a task with the ICVs that a program starts with, executed by the initial thread of a league
// of one team (§13.8), which is in no parallel region.
void run(Function function, void** addresses, uint32_t thread_limit = 0) {
    omp::Icvs icvs = omp::initial_icvs();
    if (thread_limit != 0) icvs.thread_limit = thread_limit;
    const omp::InitialThread initial(omp::current(), icvs, {0, 1});
    function(addresses);
}

// The value of the thread_limit clause; 0: there is none.
uint32_t thread_limit_of(void** clauses) {
    if (clauses == nullptr) return 0;
    while (*clauses != nullptr) {
        const auto head = reinterpret_cast<intptr_t>(*clauses++);
        const bool follows = (head & clause_value_follows) != 0;
        const intptr_t value = follows ? reinterpret_cast<intptr_t>(*clauses++) : head >> clause_value_shift;
        if ((head & clause_mask) == clause_thread_limit && value > 0) {
            return static_cast<uint32_t>(value < INT32_MAX ? value : INT32_MAX);
        }
    }
    return 0;
}

// Whether a variable is firstprivate. An absent optional argument of a Fortran procedure has no address.
bool is_copied(const void* address, unsigned short kind) {
    return address != nullptr && (kind & kind_mask) == kind_firstprivate;
}

size_t alignment_of(unsigned short kind) { return size_t{1} << (kind >> 8); }

// What a target region is given, as the entry's arguments. Firstprivate variables are copied, since the region may change them.
struct Region {
    Function function;
    size_t count;
    void** addresses;
    const size_t* sizes;
    const unsigned short* kinds;
    uint32_t thread_limit;

    // Bytes that the copies take at any address.
    size_t bytes_of_copies() const {
        size_t bytes = 0;
        for (size_t i = 0; i < count; ++i) {
            if (is_copied(addresses[i], kinds[i])) bytes += sizes[i] + alignment_of(kinds[i]);
        }
        return bytes;
    }

    // Copies them to `memory`, and makes `mapped`, which may be `addresses` itself, the addresses that the region is to use.
    void copy(void** mapped, char* memory) const {
        for (size_t i = 0; i < count; ++i) {
            void* const original = addresses[i];
            mapped[i] = original;
            if (!is_copied(original, kinds[i])) continue;
            mapped[i] = align_up(memory, alignment_of(kinds[i]));
            std::memcpy(mapped[i], original, sizes[i]);
            memory = static_cast<char*>(mapped[i]) + sizes[i];
        }
    }
};

// A target region that its encountering thread does not wait for (nowait). Its addresses and the copies lie behind it.
struct DeferredRegion {
    Function function;
    uint32_t thread_limit;

    void** addresses() { return reinterpret_cast<void**>(this + 1); }

    static void make(void* memory, void* from) {
        const Region& region = *static_cast<const Region*>(from);
        auto& deferred = *::new (memory) DeferredRegion{region.function, region.thread_limit};
        region.copy(deferred.addresses(), reinterpret_cast<char*>(deferred.addresses() + region.count));
    }
    static void execute(void* memory) {
        auto& deferred = *static_cast<DeferredRegion*>(memory);
        run(deferred.function, deferred.addresses(), deferred.thread_limit);
    }
};
static_assert(sizeof(DeferredRegion) % alignof(void*) == 0, "the addresses lie behind it");

// As a target task with dependences (§13.8): the encountering task goes on at once.
void defer(Region& region, void** depend) {
    const size_t size = sizeof(DeferredRegion) + region.count * sizeof(void*) + region.bytes_of_copies();
    GOMP_task(DeferredRegion::execute, &region, DeferredRegion::make, static_cast<long>(size), alignof(DeferredRegion), true,
              abi::task_depend, depend, 0, nullptr);
}

// The dependences of a construct that has nothing else to do here.
void wait_for(void** depend, unsigned flags) {
    if (depend == nullptr) return;
    (flags & flag_nowait) != 0 ? GOMP_taskwait_depend_nowait(depend) : GOMP_taskwait_depend(depend);
}

}  // namespace

GOSSAMER_EXPORT void GOMP_target(int device, Function function, const void*, size_t, void** addresses, size_t*,
                                 unsigned char*) {
    check_offload(device);
    run(function, addresses);
}

GOSSAMER_EXPORT void GOMP_target_ext(int device, Function function, size_t count, void** addresses, size_t* sizes,
                                     unsigned short* kinds, unsigned flags, void** depend, void** clauses) {
    check_offload(device);
    Region region{function, count, addresses, sizes, kinds, thread_limit_of(clauses)};
    if (depend != nullptr && (flags & flag_nowait) != 0) return defer(region, depend);
    if (depend != nullptr) GOMP_taskwait_depend(depend);
    char* const copies = static_cast<char*>(__builtin_alloca(region.bytes_of_copies() + 1));
    region.copy(addresses, copies);
    run(function, addresses, region.thread_limit);
}

GOSSAMER_EXPORT void GOMP_target_data(int device, const void*, size_t, void**, size_t*, unsigned char*) {
    check_offload(device);
}

GOSSAMER_EXPORT void GOMP_target_data_ext(int device, size_t, void**, size_t*, unsigned short*) { check_offload(device); }

GOSSAMER_EXPORT void GOMP_target_end_data() {}

GOSSAMER_EXPORT void GOMP_target_update(int device, const void*, size_t, void**, size_t*, unsigned char*) {
    check_offload(device);
}

GOSSAMER_EXPORT void GOMP_target_update_ext(int device, size_t, void**, size_t*, unsigned short*, unsigned flags,
                                            void** depend) {
    check_offload(device);
    wait_for(depend, flags);
}

GOSSAMER_EXPORT void GOMP_target_enter_exit_data(int device, size_t, void**, size_t*, unsigned short*, unsigned flags,
                                                 void** depend) {
    check_offload(device);
    wait_for(depend, flags);
}

// Programs announce their device code; there is no device for it.
GOSSAMER_EXPORT void GOMP_offload_register(const void*, int, const void*) {}
GOSSAMER_EXPORT void GOMP_offload_register_ver(unsigned, const void*, int, const void*) {}
GOSSAMER_EXPORT void GOMP_offload_unregister(const void*, int, const void*) {}
GOSSAMER_EXPORT void GOMP_offload_unregister_ver(unsigned, const void*, int, const void*) {}
