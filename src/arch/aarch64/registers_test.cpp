// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registers that the ABI preserves survive a switch; only assembly can hold values in all of them at
// once.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "arch/fiber_for_test.hpp"

using Registers = std::array<std::uint64_t, 19>;

extern "C" void gossamer_test_with_registers(void (*body)(void*), void* argument, const Registers* in, Registers* out);

// Loads x19 to x29 and d8 to d15 from in, calls body(argument), stores what they hold then to out.
asm(R"(
    .text
    .type gossamer_test_with_registers, %function
gossamer_test_with_registers:
    .cfi_startproc
    sub sp, sp, #176
    .cfi_adjust_cfa_offset 176
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    .cfi_rel_offset x30, 88
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    str x3, [sp, #160]
    mov x9, x0
    mov x0, x1
    ldp x19, x20, [x2, #0]
    ldp x21, x22, [x2, #16]
    ldp x23, x24, [x2, #32]
    ldp x25, x26, [x2, #48]
    ldp x27, x28, [x2, #64]
    ldr x29, [x2, #80]
    ldr d8, [x2, #88]
    ldr d9, [x2, #96]
    ldr d10, [x2, #104]
    ldr d11, [x2, #112]
    ldr d12, [x2, #120]
    ldr d13, [x2, #128]
    ldr d14, [x2, #136]
    ldr d15, [x2, #144]
    blr x9
    ldr x3, [sp, #160]
    stp x19, x20, [x3, #0]
    stp x21, x22, [x3, #16]
    stp x23, x24, [x3, #32]
    stp x25, x26, [x3, #48]
    stp x27, x28, [x3, #64]
    str x29, [x3, #80]
    str d8, [x3, #88]
    str d9, [x3, #96]
    str d10, [x3, #104]
    str d11, [x3, #112]
    str d12, [x3, #120]
    str d13, [x3, #128]
    str d14, [x3, #136]
    str d15, [x3, #144]
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    .cfi_restore x30
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #176
    .cfi_adjust_cfa_offset -176
    ret
    .cfi_endproc
    .size gossamer_test_with_registers, . - gossamer_test_with_registers
)");

namespace gossamer::arch {
namespace {

Registers pattern(std::uint64_t seed) {
    Registers values;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = mix64(seed * 100 + i);
    return values;
}

template <void* (TestFiber::*move)(void*)>
void go(void* fiber) {
    (static_cast<TestFiber*>(fiber)->*move)(nullptr);
}

TEST(Registers, CalleeSavedOnesSurvive) {
    TestFiber fiber([](TestFiber& self, void*) {
        for (std::uint64_t i = 1;; ++i) {
            Registers in = pattern(2 * i + 1);
            Registers out{};
            gossamer_test_with_registers(&go<&TestFiber::leave>, &self, &in, &out);
            EXPECT_EQ(in, out);
        }
    });
    for (std::uint64_t i = 1; i < 100; ++i) {
        Registers in = pattern(2 * i);
        Registers out{};
        gossamer_test_with_registers(&go<&TestFiber::enter>, &fiber, &in, &out);
        EXPECT_EQ(in, out);
    }
}

}  // namespace
}  // namespace gossamer::arch
