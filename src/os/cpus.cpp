// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/cpus.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "arch/arch.hpp"
#include "base/base.hpp"
#include "os/thread.hpp"

namespace gossamer::os {

namespace {

// Written by the thread that turns unread into reading; the release of ready pairs with the acquire of startup_cpus.
enum class Startup : unsigned char { unread, reading, ready };
constinit std::atomic<Startup> startup_state{Startup::unread};
constinit CpuMask startup_mask;

// The loader relocates all libraries before it runs the first constructor, and to relocate an indirect function it asks the
// function's resolver. That may call nothing outside this library, and no sanitizer knows of it yet.
constinit CpuMask load_mask;
void is_loaded() {}
extern "C" [[gnu::used]] GOSSAMER_UNCHECKED void (*gossamer_note_load_mask())() {
    arch::system_call(SYS_sched_getaffinity, 0, CpuMask::bytes(), reinterpret_cast<long>(&load_mask), 0);
    return is_loaded;
}
[[gnu::ifunc("gossamer_note_load_mask")]] void note_load_mask();

// 0: the caller's.
int affinity_of_native(pid_t thread, CpuMask& out) {
    CpuMask mask;
    int saved_errno = errno;
    // The raw call: it writes only the bytes that the kernel has, the rest of the mask is already zero.
    long written = ::syscall(SYS_sched_getaffinity, thread, CpuMask::bytes(), mask.data());
    int code = written < 0 ? errno : 0;
    errno = saved_errno;
    if (code == 0) out = mask;
    return code;
}

}  // namespace

int affinity(CpuMask& out) { return affinity_of_native(0, out); }

int affinity_of_process(CpuMask& out) {
    CpuMask initial;
    const int code = affinity(out);
    if (code != 0 || is_initial_thread() || affinity_of_native(::getpid(), initial) != 0) return code;
    for (unsigned cpu = initial.next(0); cpu != CpuMask::none; cpu = initial.next(cpu + 1)) out.add(cpu);
    return 0;
}

int bind_affinity(const CpuMask& cpus) {
    int saved_errno = errno;
    int code = ::syscall(SYS_sched_setaffinity, 0, CpuMask::bytes(), cpus.data()) != 0 ? errno : 0;
    errno = saved_errno;
    return code;
}

bool move_to(unsigned cpu, const CpuMask& mask) {
    CpuMask only;
    only.add(cpu);
    return bind_affinity(only) == 0 && bind_affinity(mask) == 0;
}

void move_away_from(unsigned taken, unsigned number) {
    CpuMask mask;
    if (affinity(mask) != 0) return;
    CpuMask others = mask;
    others.remove(taken);
    unsigned count = others.count();
    if (count == 0) return;
    unsigned cpu = others.next(0);
    for (unsigned left = number % count; left > 0; --left) cpu = others.next(cpu + 1);
    if (current_cpu() != cpu) move_to(cpu, mask);
}

int affinity_of(pthread_t thread, CpuMask& out) {
    return ::pthread_getaffinity_np(thread, CpuMask::bytes(), static_cast<cpu_set_t*>(out.data()));
}

int bind_thread(pthread_t thread, const CpuMask& cpus) {
    return ::pthread_setaffinity_np(thread, CpuMask::bytes(), static_cast<const cpu_set_t*>(cpus.data()));
}

const CpuMask& startup_cpus() {
    Startup seen = startup_state.load(std::memory_order_acquire);
    if (GOSSAMER_LIKELY(seen == Startup::ready)) return startup_mask;
    if (seen == Startup::unread && startup_state.compare_exchange_strong(seen, Startup::reading)) {
        if (affinity_of_process(startup_mask) != 0 || startup_mask.count() == 0) {
            // More than `capacity` CPUs, or a sandbox that forbids the question.
            long online = ::sysconf(_SC_NPROCESSORS_ONLN);
            for (long cpu = 0; cpu < (online > 0 ? online : 1); ++cpu) startup_mask.add(static_cast<unsigned>(cpu));
        }
        startup_state.store(Startup::ready, std::memory_order_release);
        return startup_mask;
    }
    while (startup_state.load(std::memory_order_acquire) != Startup::ready) yield_native();
    return startup_mask;
}

void narrow_startup_cpus(const CpuMask& cpus) {
    startup_cpus();
    startup_mask = cpus;
}

void forget_startup_cpus() {
    startup_mask = CpuMask();
    startup_state.store(Startup::unread, std::memory_order_relaxed);
}

const CpuMask& cpus_at_load() {
    note_load_mask();  // keeps the function, which does nothing itself
    return load_mask;
}

unsigned cpu_count() { return startup_cpus().count(); }

unsigned current_cpu() {
    unsigned cpu = 0;
    arch::system_call(SYS_getcpu, reinterpret_cast<long>(&cpu), 0, 0, 0);  // a filter may refuse it: errno stays
    return cpu;
}

}  // namespace gossamer::os
