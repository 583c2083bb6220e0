// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AArch64, AAPCS64.
#pragma once

#include <cstdint>

#include "arch/concept.hpp"
#include "base/base.hpp"

extern "C" {
void* gossamer_arch_switch_stack(void** save_sp, void* load_sp, void* payload) noexcept;
void* gossamer_arch_switch_stack_and_thread(void** save_sp, void* load_sp, void* payload, void* thread) noexcept;
void gossamer_arch_start() noexcept;
void gossamer_arch_invoke(gossamer::arch::Outlined fn, unsigned count, void* const* arguments);
}

// Here a distance is positive, and so does not differ from an address.
#define GOSSAMER_STATIC_DISTANCE(symbol) std::intptr_t(0)

namespace gossamer::arch {

struct Aarch64 {
    static void* prepare(void* stack_top, Entry entry) noexcept;

    static void* switch_stack(void** save_sp, void* load_sp, void* payload) noexcept {
        return gossamer_arch_switch_stack(save_sp, load_sp, payload);
    }
    static void* switch_stack_and_thread(void** save_sp, void* load_sp, void* payload, void* thread) noexcept {
        return gossamer_arch_switch_stack_and_thread(save_sp, load_sp, payload, thread);
    }
    static void* switch_stack_and_thread_by_kernel(void** save_sp, void* load_sp, void* payload, void* thread) noexcept {
        // The register is always ours to write here.
        return gossamer_arch_switch_stack_and_thread(save_sp, load_sp, payload, thread);
    }

    // Volatile, because the compiler takes the thread pointer for a constant of the function.
    static void* thread_pointer() noexcept {
        void* value;
        asm volatile("mrs %0, tpidr_el0" : "=r"(value));
        return value;
    }

    static void* word_at_thread_pointer(std::intptr_t offset) noexcept {
        void* value;
        asm volatile("ldr %0, [%1]" : "=r"(value) : "r"(static_cast<char*>(thread_pointer()) + offset));
        return value;
    }

    static bool can_set_thread_pointer() noexcept { return true; }

    static void set_thread_pointer(void* thread_pointer) noexcept {
        asm volatile("msr tpidr_el0, %0" : : "r"(thread_pointer) : "memory");
    }

    GOSSAMER_INLINE static void set_thread_pointer_anyhow(void* thread_pointer) noexcept { set_thread_pointer(thread_pointer); }

    static bool shadow_stack_active() noexcept;

    // isb rather than yield: most cores execute yield as a no-op, so the loop would not back off at all.
    static void pause() noexcept { asm volatile("isb" : : : "memory"); }

    static std::uint64_t cycles() noexcept {
        std::uint64_t value;
        asm volatile("mrs %0, cntvct_el0" : "=r"(value));
        return value;
    }

    static void* stack_pointer() noexcept {
        void* value;
        asm volatile("mov %0, sp" : "=r"(value));
        return value;
    }

    static const void* interrupted_at(const void* context) noexcept;

    GOSSAMER_INLINE static long system_call(long number, long first, long second, long third, long fourth) noexcept {
        register long number_register asm("x8") = number;
        register long first_and_result asm("x0") = first;
        register long second_register asm("x1") = second;
        register long third_register asm("x2") = third;
        register long fourth_register asm("x3") = fourth;
        asm volatile("svc #0"
                     : "+r"(first_and_result)
                     : "r"(number_register), "r"(second_register), "r"(third_register), "r"(fourth_register)
                     : "memory", "cc");
        return first_and_result;
    }

    static void invoke(Outlined fn, unsigned count, void* const* arguments) { gossamer_arch_invoke(fn, count, arguments); }
};

using ThisCpu = Aarch64;

}  // namespace gossamer::arch
