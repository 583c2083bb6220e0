// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The public header of the CPU layer: stack switches, the thread pointer and a few single instructions.
//
// Nothing here takes a lock, allocates or calls the operating system, but for what says so.
#pragma once

#include <cstdint>

#include "arch/concept.hpp"
#include "base/base.hpp"

#if defined(__x86_64__)
#include "arch/x86_64/cpu.hpp"
#elif defined(__aarch64__)
#include "arch/aarch64/cpu.hpp"
#else
#error "Gossamer has no arch/ folder for this CPU"
#endif

// What the object file calls a variable, behind its declaration.
#define GOSSAMER_SYMBOL(name) __asm__(name)

namespace gossamer::arch {

static_assert(Cpu<ThisCpu>);

// Lays the first frame below stack_top (any alignment) and returns the stack pointer to switch to. The first
// switch there calls entry with that switch's payload, stack aligned as the ABI wants it. entry must never
// return. Unwinders end cleanly above entry. The frame inherits the floating-point control state of the
// caller of prepare.
inline void* prepare(void* stack_top, Entry entry) { return ThisCpu::prepare(stack_top, entry); }

// Suspends the caller: saves the callee-saved registers and the floating-point control state on the running
// stack and its stack pointer in *save_sp, continues at load_sp. There, payload is what the earlier switch
// away returns, or what entry receives. Returns, once another stack switches back, that switch's payload. *save_sp
// is written before the stack is left, but the frame may be resumed elsewhere only after the other side has
// been reached.
inline void* switch_stack(void** save_sp, void* load_sp, void* payload) {
    return ThisCpu::switch_stack(save_sp, load_sp, payload);
}

// As switch_stack, and the CPU's thread pointer is thread_pointer on the other side. Only where
// can_set_thread_pointer. Anything the compiler derived from thread-local storage before the call is stale
// after it.
inline void* switch_stack_and_thread(void** save_sp, void* load_sp, void* payload, void* thread_pointer) {
    return ThisCpu::switch_stack_and_thread(save_sp, load_sp, payload, thread_pointer);
}

// As switch_stack_and_thread for CPUs whose thread pointer only the kernel may set: costs one system call.
inline void* switch_stack_and_thread_by_kernel(void** save_sp, void* load_sp, void* payload, void* thread_pointer) {
    return ThisCpu::switch_stack_and_thread_by_kernel(save_sp, load_sp, payload, thread_pointer);
}

// The thread pointer as the ABI defines it: what TLS addresses are counted from. Never cached by the
// compiler.
inline void* thread_pointer() { return ThisCpu::thread_pointer(); }

// GOSSAMER_STATIC_DISTANCE("symbol"): how far from each thread's pointer the thread-local variable of that name in the object
// file, which must be of this program or shared object alone, lies; 0: not equally far from all of them, or not known (yet).

// The word that lies `offset` bytes from the thread pointer, as it is now: the compiler neither remembers it nor knows what
// it is, so a function that stores it must do so behind a call.
inline void* word_at_thread_pointer(std::intptr_t offset) { return ThisCpu::word_at_thread_pointer(offset); }

// Whether set_thread_pointer and switch_stack_and_thread may be used; asks the kernel's auxiliary vector.
inline bool can_set_thread_pointer() { return ThisCpu::can_set_thread_pointer(); }

// Only where can_set_thread_pointer. The target must be a live thread control block.
inline void set_thread_pointer(void* thread_pointer) { ThisCpu::set_thread_pointer(thread_pointer); }

// As set_thread_pointer, on any CPU: costs a system call where only the kernel may set it.
GOSSAMER_INLINE void set_thread_pointer_anyhow(void* thread_pointer) { ThisCpu::set_thread_pointer_anyhow(thread_pointer); }

// Whether the CPU checks this thread's returns against a shadow stack: then no switch above may be used.
inline bool shadow_stack_active() { return ThisCpu::shadow_stack_active(); }

// Tells the core that this is a busy loop.
inline void pause() { ThisCpu::pause(); }

// A counter that runs at a constant rate of the CPU's own choosing; not ordered with other instructions.
inline std::uint64_t cycles() { return ThisCpu::cycles(); }

inline void* stack_pointer() { return ThisCpu::stack_pointer(); }

// The address of the instruction that a signal has interrupted; `context` is the third argument of the signal's handler.
inline const void* interrupted_at(const void* context) { return ThisCpu::interrupted_at(context); }

// The operating system's function of that number (SYS_*); its result, or -code. Unlike libc's it touches nothing of the
// thread: not errno, and no sanitizer's state.
GOSSAMER_INLINE long system_call(long number, long first, long second, long third, long fourth) {
    return ThisCpu::system_call(number, first, second, third, fourth);
}

// Calls fn with count pointer-sized arguments, any count, as a C caller would. arguments is read before the
// call.
inline void invoke(Outlined fn, unsigned count, void* const* arguments) { ThisCpu::invoke(fn, count, arguments); }

}  // namespace gossamer::arch
