// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Native threads.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "os/memory.hpp"

namespace gossamer::os {

// Bytes of stack that pthread_create gives where its caller does not say how many: `ulimit -s` as the process found it, or the
// C library's own default where that is unlimited.
std::size_t default_stack_size();

// Starts a native thread that inherits the caller's signal mask and affinity, with a guard of guard_size(). stack_size 0: the
// system's default. 0, or pthread_create's code (EAGAIN, EPERM, EINVAL) and out untouched.
int start_thread(void (*main)(void*), void* argument, std::size_t stack_size, pthread_t& out);

// Starts a native thread on a stack of ours, with every signal blocked but the ones glibc keeps for itself:
// its frames share the stack with a fiber's, so no handler may run there. 0, or pthread_create's code and out
// untouched. The stack may be unmapped only after the thread was joined.
int start_thread_on(const Stack& stack, void (*main)(void*), void* argument, pthread_t& out);

int join_thread(pthread_t thread);

// At most 15 bytes are kept; shown by ps, gdb and /proc.
void name_thread(const char* name);

// Ends the kernel's updates of the calling thread's rseq area (glibc registers one for each thread and
// sched_getcpu reads it). A thread that lends its thread pointer to fibers sleeps itself, so the area would
// go on naming the CPU on which it fell asleep; once unregistered it says "not known" and sched_getcpu asks
// the kernel. True if the area says so now, or there is none.
bool leave_rseq();

// In the child of a fork by a thread whose native thread had registered the rseq area of `thread_pointer`, another's: the
// kernel updates the caller's own area from now on. Nothing, where `thread_pointer` has no registered area.
void move_rseq(void* thread_pointer);

// The kernel's id of the native thread that runs this, whatever the thread pointer says.
pid_t kernel_thread_id();

// Whether this runs on the thread that the process began with.
bool is_initial_thread();

// The stack of a thread that has not ended, as pthread_getattr_np tells it. 0, or its code. Allocates for a moment.
int stack_of(pthread_t thread, Stack& out);

// The same of the calling thread; mostly without reading all of /proc/self/maps, as libc does for the initial thread, and with
// the program's arguments, which libc leaves out.
int own_stack(Stack& out);

// Lets another native thread have this CPU.
void yield_native();

void sleep_native(std::uint64_t nanoseconds);

// Lets the calling native thread's timers end on time, where the kernel may otherwise add 50 microseconds to save power.
void end_sleeps_on_time();

}  // namespace gossamer::os
