// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arch/aarch64/cpu.hpp"

#include <sys/auxv.h>
#include <ucontext.h>

#include <cstddef>

#include "arch/aarch64/frame.h"
#include "base/base.hpp"

namespace gossamer::arch {

namespace {

// What leave_stack of switch.S stores.
struct Frame {
    void* x29;
    void (*x30)() noexcept;
    void* x19;
    void* x20;
    void* x21_to_x28[8];
    double d8_to_d15[8];
    std::uint64_t fpcr;
    std::uint64_t unused;
};

static_assert(offsetof(Frame, x29) == GOSSAMER_FRAME_X29_X30);
static_assert(offsetof(Frame, x19) == GOSSAMER_FRAME_X19_X20);
static_assert(offsetof(Frame, x21_to_x28) == GOSSAMER_FRAME_X21_X22);
static_assert(offsetof(Frame, x21_to_x28[2]) == GOSSAMER_FRAME_X23_X24);
static_assert(offsetof(Frame, x21_to_x28[4]) == GOSSAMER_FRAME_X25_X26);
static_assert(offsetof(Frame, x21_to_x28[6]) == GOSSAMER_FRAME_X27_X28);
static_assert(offsetof(Frame, d8_to_d15) == GOSSAMER_FRAME_D8_D9);
static_assert(offsetof(Frame, d8_to_d15[2]) == GOSSAMER_FRAME_D10_D11);
static_assert(offsetof(Frame, d8_to_d15[4]) == GOSSAMER_FRAME_D12_D13);
static_assert(offsetof(Frame, d8_to_d15[6]) == GOSSAMER_FRAME_D14_D15);
static_assert(offsetof(Frame, fpcr) == GOSSAMER_FRAME_FPCR);
static_assert(sizeof(Frame) == GOSSAMER_FRAME_SIZE && sizeof(Frame) % 16 == 0);

// HWCAP_GCS of <asm/hwcap.h>: the kernel lets programs use guarded control stacks.
constexpr unsigned long guarded_control_stack = 1ul << 32;

}  // namespace

void* Aarch64::prepare(void* stack_top, Entry entry) noexcept {
    auto* frame = reinterpret_cast<Frame*>(static_cast<char*>(align_down(stack_top, 16)) - sizeof(Frame));
    *frame = Frame{};
    asm volatile("mrs %0, fpcr" : "=r"(frame->fpcr));
    frame->x19 = reinterpret_cast<void*>(entry);
    frame->x30 = gossamer_arch_start;
    return frame;
}

// chkfeat x16 (hint #40) clears bit 0 of x16 where a guarded control stack is on, and is a no-op elsewhere.
bool Aarch64::shadow_stack_active() noexcept {
    if ((getauxval(AT_HWCAP) & guarded_control_stack) == 0) return false;
    register std::uint64_t features asm("x16") = 1;
    asm volatile("hint #40" : "+r"(features));
    return (features & 1) == 0;
}

const void* Aarch64::interrupted_at(const void* context) noexcept {
    return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
}

}  // namespace gossamer::arch
