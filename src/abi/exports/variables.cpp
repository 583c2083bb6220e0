// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables that libomp and libiomp5 export. A program may hold a copy of a variable (a copy relocation), so each has the
// type and size that their headers declare.
#include <cstdint>

#pragma GCC visibility push(default)
extern "C" {

// Handles of the predefined allocators and memory spaces, OpenMP 5.2, tables 6.1 and 6.3. The numbers are those in LLVM's and
// Intel's omp.h; where the two differ (omp_default_mem_space is 99 in libiomp5), LLVM's.
extern const std::uintptr_t omp_null_allocator = 0;
extern const std::uintptr_t omp_default_mem_alloc = 1;
extern const std::uintptr_t omp_large_cap_mem_alloc = 2;
extern const std::uintptr_t omp_const_mem_alloc = 3;
extern const std::uintptr_t omp_high_bw_mem_alloc = 4;
extern const std::uintptr_t omp_low_lat_mem_alloc = 5;
extern const std::uintptr_t omp_cgroup_mem_alloc = 6;
extern const std::uintptr_t omp_pteam_mem_alloc = 7;
extern const std::uintptr_t omp_thread_mem_alloc = 8;
extern const std::uintptr_t omp_target_host_mem_alloc = 100;
extern const std::uintptr_t omp_target_shared_mem_alloc = 101;
extern const std::uintptr_t omp_target_device_mem_alloc = 102;
extern const std::uintptr_t kmp_max_mem_alloc = 1024;

extern const std::uintptr_t omp_null_mem_space = 0;
extern const std::uintptr_t omp_default_mem_space = 0;
extern const std::uintptr_t omp_large_cap_mem_space = 1;
extern const std::uintptr_t omp_const_mem_space = 2;
extern const std::uintptr_t omp_high_bw_mem_space = 3;
extern const std::uintptr_t omp_low_lat_mem_space = 4;
extern const std::uintptr_t omp_target_host_mem_space = 100;
extern const std::uintptr_t omp_target_shared_mem_space = 101;
extern const std::uintptr_t omp_target_device_mem_space = 102;
extern const std::uintptr_t kmp_max_mem_space = 1024;

// Intel's compilers refer to these so that a program which finds no runtime, or two, fails to link.
int _You_must_link_with_exactly_one_OpenMP_library = 1;
int _You_must_link_with_Intel_OpenMP_library = 1;

// The kinds of mutex that an OMPT tool can ask for, OpenMP 5.2, section 19.6.5 (ompt_enumerate_mutex_impls).
struct MutexKind {
    const char* name;
    int id;
};
MutexKind kmp_mutex_impl_info[4] = {
    {"kmp_mutex_impl_none", 0},
    {"kmp_mutex_impl_spin", 1},
    {"kmp_mutex_impl_queuing", 2},
    {"kmp_mutex_impl_speculative", 3},
};

// A debugger's view of libomp's own structures. Zero: there is nothing to look at.
int __kmp_debugging = 0;
char __kmp_omp_debug_struct_info[944] = {};
void* __kmp_thread_pool = nullptr;

// Switches of libomp's debug output; all are off.
int kmp_a_debug = 0;
int kmp_b_debug = 0;
int kmp_c_debug = 0;
int kmp_d_debug = 0;
int kmp_e_debug = 0;
int kmp_f_debug = 0;
int kmp_diag = 0;

// Hooks that Intel's libraries may set; libiomp5 starts with all of them null.
void* kmp_ext_alloc = nullptr;
void* kmp_ext_free = nullptr;
void* kmp_ext_interleave_part_alloc = nullptr;
void* kmp_ext_interleave_part_free = nullptr;
void* kmp_ext_set_interleave_part_size = nullptr;
void* kmp_target_sync_cb = nullptr;
void* kmp_target_task_completed_cb = nullptr;
void* kmpc_aligned_alloc_ptr = nullptr;
void* kmpc_alloc_ptr = nullptr;
void* kmpc_free_ptr = nullptr;
void* kmpc_global_thread_num_ptr = nullptr;

}  // extern "C"
#pragma GCC visibility pop
