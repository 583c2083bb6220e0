// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The switch between two stacks on AArch64.
//
// A suspended stack, growing downwards; the saved stack pointer is the address of its lowest line:
//
//          |  frames of the caller      |
//     176  +----------------------------+  <- canonical frame address, 16-byte aligned
//     160  | FPCR, unused               |
//     144  | d14, d15                   |
//     128  | d12, d13                   |
//     112  | d10, d11                   |
//      96  | d8, d9                     |  the ABI preserves the low halves of v8 to v15
//      80  | x27, x28                   |
//      64  | x25, x26                   |
//      48  | x23, x24                   |
//      32  | x21, x22                   |
//      16  | x19, x20                   |
//       0  | x29 (frame), x30 (link)    |  <- saved stack pointer; a frame record
//          +----------------------------+
//
// Both variants leave the same frame, so either may resume what the other one suspended. Both stacks hold
// that frame at the moment sp moves from one to the other, so one unwind description is true before and
// after.
//
// Writing FPCR may drain the pipeline, but nearly always both stacks agree on it: it is compared, and written
// where it differs (docs/decisions/0002-floating-point-control.md).
//
// The last step is ret, not br: a core that checks branch targets allows it wherever the link register
// points. Guarded control stacks: this object carries no mark for them, so the loader leaves them off; where
// they are on all the same, shadow_stack_active tells and no switch may be used.

#include "arch/aarch64/frame.h"

.text

.macro begin_function name
    .globl \name
    .hidden \name
    .type \name, %function
    .p2align 5
\name:
    .cfi_startproc
    hint #34                    // bti c
.endm

.macro end_function name
    .cfi_endproc
    .size \name, . - \name
.endm

.macro save_pair first, second, offset
    stp \first, \second, [sp, #\offset]
    .cfi_rel_offset \first, \offset
    .cfi_rel_offset \second, \offset + 8
.endm

.macro restore_pair first, second, offset
    ldp \first, \second, [sp, #\offset]
    .cfi_restore \first
    .cfi_restore \second
.endm

// Lays the frame and publishes its address; x5 keeps this side's FPCR.
.macro leave_stack
    sub sp, sp, #GOSSAMER_FRAME_SIZE
    .cfi_adjust_cfa_offset GOSSAMER_FRAME_SIZE
    save_pair x29, x30, GOSSAMER_FRAME_X29_X30
    save_pair x19, x20, GOSSAMER_FRAME_X19_X20
    save_pair x21, x22, GOSSAMER_FRAME_X21_X22
    save_pair x23, x24, GOSSAMER_FRAME_X23_X24
    save_pair x25, x26, GOSSAMER_FRAME_X25_X26
    save_pair x27, x28, GOSSAMER_FRAME_X27_X28
    save_pair d8, d9, GOSSAMER_FRAME_D8_D9
    save_pair d10, d11, GOSSAMER_FRAME_D10_D11
    save_pair d12, d13, GOSSAMER_FRAME_D12_D13
    save_pair d14, d15, GOSSAMER_FRAME_D14_D15
    mrs x5, fpcr
    str x5, [sp, #GOSSAMER_FRAME_FPCR]
    mov x6, sp
    str x6, [x0]
.endm

// sp is the other side's frame, x2 the payload.
.macro enter_stack
    ldr x6, [sp, #GOSSAMER_FRAME_FPCR]
    cmp x5, x6
    b.ne 2f
1:  .cfi_remember_state
    restore_pair d14, d15, GOSSAMER_FRAME_D14_D15
    restore_pair d12, d13, GOSSAMER_FRAME_D12_D13
    restore_pair d10, d11, GOSSAMER_FRAME_D10_D11
    restore_pair d8, d9, GOSSAMER_FRAME_D8_D9
    restore_pair x27, x28, GOSSAMER_FRAME_X27_X28
    restore_pair x25, x26, GOSSAMER_FRAME_X25_X26
    restore_pair x23, x24, GOSSAMER_FRAME_X23_X24
    restore_pair x21, x22, GOSSAMER_FRAME_X21_X22
    restore_pair x19, x20, GOSSAMER_FRAME_X19_X20
    restore_pair x29, x30, GOSSAMER_FRAME_X29_X30
    add sp, sp, #GOSSAMER_FRAME_SIZE
    .cfi_adjust_cfa_offset -GOSSAMER_FRAME_SIZE
    mov x0, x2                  // what the switch returns, or the first one to a stack hands to entry
    ret
    .cfi_restore_state
2:  msr fpcr, x6
    b 1b
.endm

// void* gossamer_arch_switch_stack(void** save_sp x0, void* load_sp x1, void* payload x2)
begin_function gossamer_arch_switch_stack
    leave_stack
    mov sp, x1
    enter_stack
end_function gossamer_arch_switch_stack

// void* gossamer_arch_switch_stack_and_thread(void** x0, void* x1, void* x2, void* thread x3)
// A signal between the two moves finds the new thread pointer on the old stack; both belong to this native
// thread.
begin_function gossamer_arch_switch_stack_and_thread
    leave_stack
    msr tpidr_el0, x3
    mov sp, x1
    enter_stack
end_function gossamer_arch_switch_stack_and_thread

// Where a prepared stack begins: x0 is the payload, x19 the entry. No function calls this, so unwinders stop
// here: the return address is undefined and x29 is 0. The nop belongs to the function because unwinders look
// one instruction before a return address.
    .globl gossamer_arch_start
    .hidden gossamer_arch_start
    .type gossamer_arch_start, %function
    .p2align 4
    .cfi_startproc
    .cfi_undefined x30
    nop
gossamer_arch_start:
    hint #34                    // bti c
    blr x19
    brk #1                      // entry must not return
end_function gossamer_arch_start

// void gossamer_arch_invoke(void (*fn)() x0, unsigned count w1, void* const* arguments x2)
begin_function gossamer_arch_invoke
    stp x29, x30, [sp, #-16]!
    .cfi_def_cfa_offset 16
    .cfi_offset x29, -16
    .cfi_offset x30, -8
    mov x29, sp
    .cfi_def_cfa_register x29
    mov x16, x0
    mov x17, x2
    mov w9, w1
    subs x10, x9, #8
    b.ls 2f
    add x11, x10, #1            // an even number of words keeps sp aligned
    and x11, x11, #-2
    sub sp, sp, x11, lsl #3
    add x12, x17, #64           // the ninth argument, which ends up lowest
1:  sub x10, x10, #1
    ldr x13, [x12, x10, lsl #3]
    str x13, [sp, x10, lsl #3]
    cbnz x10, 1b
    mov w9, #8
2:  cbz w9, 9f
    cmp w9, #2
    b.lo 11f
    b.eq 12f
    cmp w9, #4
    b.lo 13f
    b.eq 14f
    cmp w9, #6
    b.lo 15f
    b.eq 16f
    cmp w9, #8
    b.lo 17f
    ldr x7, [x17, #56]
17: ldr x6, [x17, #48]
16: ldr x5, [x17, #40]
15: ldr x4, [x17, #32]
14: ldr x3, [x17, #24]
13: ldr x2, [x17, #16]
12: ldr x1, [x17, #8]
11: ldr x0, [x17]
9:  blr x16
    mov sp, x29
    .cfi_def_cfa_register sp
    ldp x29, x30, [sp], #16
    .cfi_def_cfa_offset 0
    .cfi_restore x29
    .cfi_restore x30
    ret
end_function gossamer_arch_invoke

.section .note.GNU-stack, "", %progbits
