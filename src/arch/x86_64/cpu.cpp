// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arch/x86_64/cpu.hpp"

#include <sys/auxv.h>
#include <ucontext.h>

#include <cstddef>

#include "arch/x86_64/frame.h"
#include "base/base.hpp"

namespace gossamer::arch {

namespace {

// HWCAP2_FSGSBASE of <asm/hwcap2.h>: the kernel enabled the instructions for programs.
constexpr unsigned long fsgsbase = 1ul << 1;

// What leave_stack of switch.S pushes.
struct Frame {
    std::uint32_t mxcsr;
    std::uint16_t x87_control;
    std::uint16_t unused;
    void* r15;
    void* r14;
    void* r13;
    void* r12;
    void* rbx;
    void* rbp;
    void (*return_address)() noexcept;
};

static_assert(offsetof(Frame, mxcsr) == GOSSAMER_FRAME_MXCSR);
static_assert(offsetof(Frame, x87_control) == GOSSAMER_FRAME_X87_CONTROL);
static_assert(offsetof(Frame, r15) == GOSSAMER_FRAME_R15);
static_assert(offsetof(Frame, r14) == GOSSAMER_FRAME_R14);
static_assert(offsetof(Frame, r13) == GOSSAMER_FRAME_R13);
static_assert(offsetof(Frame, r12) == GOSSAMER_FRAME_R12);
static_assert(offsetof(Frame, rbx) == GOSSAMER_FRAME_RBX);
static_assert(offsetof(Frame, rbp) == GOSSAMER_FRAME_RBP);
static_assert(offsetof(Frame, return_address) == GOSSAMER_FRAME_RETURN);
static_assert(sizeof(Frame) == GOSSAMER_FRAME_SIZE);

// Zeros above the first frame, for tools that walk frame pointers past the last one.
constexpr std::size_t headroom = 16;
static_assert((sizeof(Frame) + headroom) % 16 == 0, "gossamer_arch_start calls with an aligned stack");

}  // namespace

void* X86_64::prepare(void* stack_top, Entry entry) noexcept {
    char* top = static_cast<char*>(align_down(stack_top, 16)) - headroom;
    __builtin_memset(top, 0, headroom);
    auto* frame = reinterpret_cast<Frame*>(top - sizeof(Frame));
    *frame = Frame{};
    asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(frame->mxcsr), "=m"(frame->x87_control));
    frame->rbx = reinterpret_cast<void*>(entry);
    frame->return_address = gossamer_arch_start;
    return frame;
}

bool X86_64::can_set_thread_pointer() noexcept { return (getauxval(AT_HWCAP2) & fsgsbase) != 0; }

// rdsspq is a no-op on a CPU, or in a thread, without a shadow stack.
bool X86_64::shadow_stack_active() noexcept {
    std::uint64_t shadow_stack_pointer = 0;
    asm volatile("rdsspq %0" : "+r"(shadow_stack_pointer));
    return shadow_stack_pointer != 0;
}

const void* X86_64::interrupted_at(const void* context) noexcept {
    return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
}

}  // namespace gossamer::arch
