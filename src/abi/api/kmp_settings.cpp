// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intel's and LLVM's routines for settings. kmp_x and kmpc_x take values, kmp_x_ addresses.
#include <atomic>
#include <utility>

#include "abi/api/fortran.hpp"
#include "omp/omp.hpp"

using gossamer::omp::current;
using gossamer::omp::GlobalIcvs;
using gossamer::omp::globals;
using gossamer::omp::Library;
using gossamer::omp::Waiting;

// Sets the size in bytes for threads that are made from now on. 0 changes nothing.
// relaxed, in this file: no value depends on another.
GOSSAMER_EXPORT void kmp_set_stacksize_s(std::size_t size) {
    if (size > 0) globals().stack_size.store(gossamer::omp::fitting_stack_size(size), std::memory_order_relaxed);
}
GOSSAMER_EXPORT void kmp_set_stacksize_s_(const std::size_t* size) { kmp_set_stacksize_s(*size); }
GOSSAMER_ALIAS(kmpc_set_stacksize_s, kmp_set_stacksize_s)
GOSSAMER_EXPORT void kmp_set_stacksize(int size) {
    if (size > 0) kmp_set_stacksize_s(static_cast<std::size_t>(size));
}
GOSSAMER_EXPORT void kmp_set_stacksize_(const std::int32_t* size) { kmp_set_stacksize(*size); }
GOSSAMER_ALIAS(kmpc_set_stacksize, kmp_set_stacksize)

GOSSAMER_EXPORT std::size_t kmp_get_stacksize_s() {
    return static_cast<std::size_t>(globals().stack_size.load(std::memory_order_relaxed));
}
GOSSAMER_FORTRAN_ALIAS(kmp_get_stacksize_s)
GOSSAMER_EXPORT int kmp_get_stacksize() { return gossamer::abi::to_int(static_cast<std::int64_t>(kmp_get_stacksize_s())); }
GOSSAMER_FORTRAN_ALIAS(kmp_get_stacksize)

// Sets the time in milliseconds; INT_MAX is for ever, a negative number counts as 0.
GOSSAMER_EXPORT void kmp_set_blocktime(int time) {
    Waiting& waiting = globals().waiting;
    std::uint64_t us = time < 0 ? 0 : time == INT_MAX ? Waiting::for_ever : static_cast<std::uint64_t>(time) * 1000;
    waiting.blocktime_us.store(us, std::memory_order_relaxed);
    waiting.blocktime_set.store(true, std::memory_order_relaxed);
    gossamer::omp::apply_waiting();
}
GOSSAMER_EXPORT void kmp_set_blocktime_(const std::int32_t* time) { kmp_set_blocktime(*time); }
GOSSAMER_ALIAS(kmpc_set_blocktime, kmp_set_blocktime)

GOSSAMER_EXPORT int kmp_get_blocktime() {
    std::uint64_t us = globals().waiting.blocktime_us.load(std::memory_order_relaxed);
    return us == Waiting::for_ever ? INT_MAX : gossamer::abi::to_int(static_cast<std::int64_t>(us / 1000));
}
GOSSAMER_FORTRAN_ALIAS(kmp_get_blocktime)

namespace {

// Of the task that has chosen serial.
std::atomic<std::uint32_t> levels_before_serial{gossamer::omp::max_levels};

// As in libomp, throughput ends endless waiting.
void sleep_again() {
    Waiting& waiting = globals().waiting;
    if (waiting.blocktime_us.load(std::memory_order_relaxed) != Waiting::for_ever) return;
    waiting.blocktime_us.store(Waiting().blocktime_us.load(std::memory_order_relaxed), std::memory_order_relaxed);
    waiting.blocktime_set.store(false, std::memory_order_relaxed);
    gossamer::omp::apply_waiting();
}

}  // namespace

// serial: regions that the calling task meets from now on have one thread; turnaround: waiters never sleep.
GOSSAMER_EXPORT void kmp_set_library(int library) {
    if (library < 1 || library > 3) return;
    GlobalIcvs& all = globals();
    auto now = static_cast<Library>(library);
    Library before = all.library.exchange(now, std::memory_order_relaxed);
    if (now == before) return;
    std::uint32_t& levels = current().change_icvs().max_active_levels;
    if (before == Library::serial) levels = levels_before_serial.load(std::memory_order_relaxed);
    if (now == Library::serial) levels_before_serial.store(std::exchange(levels, 0), std::memory_order_relaxed);
    if (now == Library::turnaround) kmp_set_blocktime(INT_MAX);
    if (now == Library::throughput) sleep_again();
}
GOSSAMER_EXPORT void kmp_set_library_(const std::int32_t* library) { kmp_set_library(*library); }
GOSSAMER_ALIAS(kmpc_set_library, kmp_set_library)
GOSSAMER_EXPORT void kmp_set_library_serial() { kmp_set_library(1); }
GOSSAMER_FORTRAN_ALIAS(kmp_set_library_serial)
GOSSAMER_EXPORT void kmp_set_library_turnaround() { kmp_set_library(2); }
GOSSAMER_FORTRAN_ALIAS(kmp_set_library_turnaround)
GOSSAMER_EXPORT void kmp_set_library_throughput() { kmp_set_library(3); }
GOSSAMER_FORTRAN_ALIAS(kmp_set_library_throughput)
GOSSAMER_EXPORT int kmp_get_library() { return static_cast<int>(globals().library.load(std::memory_order_relaxed)); }
GOSSAMER_FORTRAN_ALIAS(kmp_get_library)

GOSSAMER_EXPORT void kmp_set_warnings_on() { globals().warnings.store(true, std::memory_order_relaxed); }
GOSSAMER_FORTRAN_ALIAS(kmp_set_warnings_on)
GOSSAMER_EXPORT void kmp_set_warnings_off() { globals().warnings.store(false, std::memory_order_relaxed); }
GOSSAMER_FORTRAN_ALIAS(kmp_set_warnings_off)

// "NAME=VALUE|NAME=VALUE"; has an effect only before any other call.
GOSSAMER_EXPORT void kmp_set_defaults(const char* text) {
    if (text != nullptr) gossamer::omp::set_defaults(text);
}
GOSSAMER_ALIAS(kmpc_set_defaults, kmp_set_defaults)
GOSSAMER_EXPORT void kmp_set_defaults_(const char* text, int length) {
    if (length > 0) gossamer::omp::set_defaults({text, static_cast<std::size_t>(length)});
}

// In libomp, how many loops a thread may run ahead of its team; here the user cannot set that.
GOSSAMER_EXPORT void kmp_set_disp_num_buffers(int) {}
GOSSAMER_EXPORT void kmp_set_disp_num_buffers_(const std::int32_t*) {}
GOSSAMER_ALIAS(kmpc_set_disp_num_buffers, kmp_set_disp_num_buffers)
