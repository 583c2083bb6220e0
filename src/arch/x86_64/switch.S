// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The switch between two stacks on x86-64.
//
// A suspended stack, growing downwards; the saved stack pointer is the address of its lowest line:
//
//          |  frames of the caller      |
//      64  +----------------------------+  <- canonical frame address, 16-byte aligned
//      56  | where to go on             |  r10
//      48  | rbp                        |
//      40  | rbx                        |
//      32  | r12                        |
//      24  | r13                        |
//      16  | r14                        |
//       8  | r15                        |
//       4  | x87 control word, 2 bytes  |
//       0  | MXCSR, 4 bytes             |  <- saved stack pointer
//          +----------------------------+
//
// All variants leave the same frame, so any of them may resume what another one suspended. Both stacks hold
// that frame at the moment rsp moves from one to the other, so one unwind description is true before and
// after.
//
// The first step is a jump, in the caller's own code (cpu.hpp), and the last one an indirect jump: a call
// whose return does not follow, or a return to the caller of another stack, would have the CPU foretell
// wrongly all returns on the stack that goes on (docs/decisions/0020-the-switch-is-jumped-to.md).
//
// Loading MXCSR and the x87 control word costs more than all the rest, but nearly always both stacks agree on
// them: they are compared, and loaded where they differ (docs/decisions/0002-floating-point-control.md).
//
// Shadow stacks (CET): this object carries no SHSTK mark, so the loader leaves them off for a process that
// links it; where they are on all the same, shadow_stack_active tells and no switch may be used. The endbr64,
// where an indirect branch may lead, serve only processes that check these.

#include "arch/x86_64/frame.h"

#define SYS_arch_prctl 158
#define ARCH_SET_FS 0x1002

.text

.macro begin_function name
    .globl \name
    .hidden \name
    .type \name, @function
    .p2align 5
\name:
    .cfi_startproc
.endm

.macro end_function name
    .cfi_endproc
    .size \name, . - \name
.endm

.macro save register
    pushq %\register
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset \register, 0
.endm

.macro restore register
    popq %\register
    .cfi_adjust_cfa_offset -8
    .cfi_restore \register
.endm

// Lays the frame and publishes its address; r8d and r9d keep this side's floating-point control state.
.macro leave_stack
    .cfi_def_cfa_offset 0       // no call has pushed a return address
    .cfi_register rip, r10
    pushq %r10
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rip, 0
    save rbp
    save rbx
    save r12
    save r13
    save r14
    save r15
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    stmxcsr GOSSAMER_FRAME_MXCSR(%rsp)
    fnstcw GOSSAMER_FRAME_X87_CONTROL(%rsp)
    movl GOSSAMER_FRAME_MXCSR(%rsp), %r8d
    movzwl GOSSAMER_FRAME_X87_CONTROL(%rsp), %r9d
    movq %rsp, (%rdi)
.endm

// rsp is the other side's frame, rax the payload.
.macro enter_stack
    cmpl %r8d, GOSSAMER_FRAME_MXCSR(%rsp)
    jne 3f
1:  cmpw %r9w, GOSSAMER_FRAME_X87_CONTROL(%rsp)
    jne 4f
2:  .cfi_remember_state
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    restore r15
    restore r14
    restore r13
    restore r12
    restore rbx
    restore rbp
    popq %rdx
    .cfi_adjust_cfa_offset -8
    .cfi_register rip, rdx
    movq %rax, %rdi             // the first switch to a stack calls entry(payload)
    jmp *%rdx
    .cfi_restore_state
3:  ldmxcsr GOSSAMER_FRAME_MXCSR(%rsp)
    jmp 1b
4:  fldcw GOSSAMER_FRAME_X87_CONTROL(%rsp)
    jmp 2b
.endm

// As void* gossamer_arch_switch_stack(void** save_sp rdi, void* load_sp rsi, void* payload rdx), jumped to with
// where to go on in r10; the others likewise
begin_function gossamer_arch_switch_stack
    leave_stack
    movq %rdx, %rax
    movq %rsi, %rsp
    enter_stack
end_function gossamer_arch_switch_stack

// void* gossamer_arch_switch_stack_and_thread(void** rdi, void* rsi, void* rdx, void* thread rcx)
// A signal between the two moves finds the new thread pointer on the old stack; both belong to this native
// thread.
begin_function gossamer_arch_switch_stack_and_thread
    leave_stack
    movq %rdx, %rax
    wrfsbase %rcx
    movq %rsi, %rsp
    enter_stack
end_function gossamer_arch_switch_stack_and_thread

// The same where FSGSBASE is missing. The one system call of this layer: made here, because between the
// change of the thread pointer and that of the stack no C code may run (its stack protector and errno would
// be another thread's).
begin_function gossamer_arch_switch_stack_and_thread_by_kernel
    leave_stack
    movq %rdx, %r12             // rbx and r12 are in the frame already
    movq %rsi, %rbx
    movq %rcx, %rsi
    movl $ARCH_SET_FS, %edi
    movl $SYS_arch_prctl, %eax
    syscall                     // keeps all but rax, rcx and r11
    testq %rax, %rax
    jnz 5f
    movq %r12, %rax
    movq %rbx, %rsp
    enter_stack
5:  ud2                         // the thread pointer was no user address
end_function gossamer_arch_switch_stack_and_thread_by_kernel

// Where a prepared stack begins: rdi is the payload, rbx the entry. No function calls this, so unwinders stop
// here: the return address is undefined and rbp is 0. The nop belongs to the function because unwinders look
// one byte before a return address.
    .globl gossamer_arch_start
    .hidden gossamer_arch_start
    .type gossamer_arch_start, @function
    .p2align 4
    .cfi_startproc
    .cfi_undefined rip
    nop
gossamer_arch_start:
    endbr64
    call *%rbx
    ud2                         // entry must not return
end_function gossamer_arch_start

// void gossamer_arch_invoke(void (*fn)() rdi, unsigned count esi, void* const* arguments rdx)
begin_function gossamer_arch_invoke
    endbr64
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register rbp
    movq %rdi, %r11
    movq %rdx, %r10
    movl %esi, %eax
    subq $6, %rax
    jbe 2f
    leaq 1(%rax), %rcx          // an even number of words keeps rsp aligned
    andq $-2, %rcx
    shlq $3, %rcx
    subq %rcx, %rsp
1:  movq 40(%r10,%rax,8), %rcx  // the seventh argument ends up lowest
    movq %rcx, -8(%rsp,%rax,8)
    decq %rax
    jnz 1b
2:  cmpl $6, %esi
    jb 3f
    movq 40(%r10), %r9
    movq 32(%r10), %r8
    movq 24(%r10), %rcx
    movq 16(%r10), %rdx
    movq 8(%r10), %rsi
    movq (%r10), %rdi
    jmp 9f
3:  cmpl $5, %esi
    je 5f
    cmpl $3, %esi
    ja 4f
    je 6f
    cmpl $1, %esi
    ja 7f
    je 8f
    jmp 9f
5:  movq 32(%r10), %r8
4:  movq 24(%r10), %rcx
6:  movq 16(%r10), %rdx
7:  movq 8(%r10), %rsi
8:  movq (%r10), %rdi
9:  xorl %eax, %eax             // no vector registers, should fn be variadic
    call *%r11
    leave
    .cfi_def_cfa rsp, 8
    .cfi_restore rbp
    ret
end_function gossamer_arch_invoke

.section .note.GNU-stack, "", @progbits
