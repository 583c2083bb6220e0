// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registers that the ABI preserves survive a switch; only assembly can hold values in all of them at
// once.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "arch/fiber_for_test.hpp"

using Registers = std::array<std::uint64_t, 6>;

extern "C" void gossamer_test_with_registers(void (*body)(void*), void* argument, const Registers* in, Registers* out);

// Loads rbx, rbp, r12 to r15 from in, calls body(argument), stores what they hold then to out.
asm(R"(
    .text
    .type gossamer_test_with_registers, @function
gossamer_test_with_registers:
    .cfi_startproc
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    subq $24, %rsp
    .cfi_adjust_cfa_offset 72
    movq %rcx, (%rsp)
    movq %rdi, %rax
    movq %rsi, %rdi
    movq 0(%rdx), %rbx
    movq 8(%rdx), %rbp
    movq 16(%rdx), %r12
    movq 24(%rdx), %r13
    movq 32(%rdx), %r14
    movq 40(%rdx), %r15
    call *%rax
    movq (%rsp), %rcx
    movq %rbx, 0(%rcx)
    movq %rbp, 8(%rcx)
    movq %r12, 16(%rcx)
    movq %r13, 24(%rcx)
    movq %r14, 32(%rcx)
    movq %r15, 40(%rcx)
    addq $24, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    .cfi_adjust_cfa_offset -72
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

TEST(Registers, X87ControlWordBelongsToTheStack) {
    auto control = [] {
        std::uint16_t word;
        asm volatile("fnstcw %0" : "=m"(word));
        return word;
    };
    auto set_control = [](std::uint16_t word) { asm volatile("fldcw %0" : : "m"(word)); };
    std::uint16_t outside = control();
    std::uint16_t single_precision = outside & static_cast<std::uint16_t>(~0x300);
    ASSERT_NE(outside, single_precision);
    TestFiber fiber([&](TestFiber& self, void*) {
        EXPECT_EQ(control(), outside);
        set_control(single_precision);
        for (;;) {
            self.leave(nullptr);
            EXPECT_EQ(control(), single_precision);
        }
    });
    for (int i = 0; i < 3; ++i) {
        fiber.enter(nullptr);
        EXPECT_EQ(control(), outside);
    }
}

TEST(Registers, FlushToZeroBelongsToTheStack) {
    constexpr unsigned flush_to_zero = 1u << 15;
    unsigned outside = __builtin_ia32_stmxcsr();
    ASSERT_EQ(outside & flush_to_zero, 0u);
    TestFiber fiber([](TestFiber& self, void*) {
        __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | flush_to_zero);
        for (;;) {
            self.leave(nullptr);
            EXPECT_NE(__builtin_ia32_stmxcsr() & flush_to_zero, 0u);
        }
    });
    for (int i = 0; i < 3; ++i) {
        fiber.enter(nullptr);
        EXPECT_EQ(__builtin_ia32_stmxcsr() & flush_to_zero, 0u);
    }
}

}  // namespace
}  // namespace gossamer::arch
