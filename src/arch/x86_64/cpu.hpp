// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// x86-64, System V ABI.
#pragma once

#include <cstdint>

#include "arch/concept.hpp"
#include "base/base.hpp"

extern "C" {
void* gossamer_arch_switch_stack(void** save_sp, void* load_sp, void* payload) noexcept;
void* gossamer_arch_switch_stack_and_thread(void** save_sp, void* load_sp, void* payload, void* thread) noexcept;
void* gossamer_arch_switch_stack_and_thread_by_kernel(void** save_sp, void* load_sp, void* payload, void* thread) noexcept;
void gossamer_arch_start() noexcept;
void gossamer_arch_invoke(gossamer::arch::Outlined fn, unsigned count, void* const* arguments);
}

namespace gossamer::arch {

struct X86_64 {
    static void* prepare(void* stack_top, Entry entry) noexcept;

    static void* switch_stack(void** save_sp, void* load_sp, void* payload) noexcept {
        return gossamer_arch_switch_stack(save_sp, load_sp, payload);
    }
    static void* switch_stack_and_thread(void** save_sp, void* load_sp, void* payload, void* thread) noexcept {
        return gossamer_arch_switch_stack_and_thread(save_sp, load_sp, payload, thread);
    }
    static void* switch_stack_and_thread_by_kernel(void** save_sp, void* load_sp, void* payload, void* thread) noexcept {
        return gossamer_arch_switch_stack_and_thread_by_kernel(save_sp, load_sp, payload, thread);
    }

    // The ABI keeps the thread pointer's own value at %fs:0, so reading it needs no FSGSBASE. Volatile,
    // because the compiler takes the thread pointer for a constant of the function.
    static void* thread_pointer() noexcept {
        void* value;
        asm volatile("movq %%fs:0, %0" : "=r"(value));
        return value;
    }

    static void* word_at_thread_pointer(std::intptr_t offset) noexcept {
        void* value;
        asm volatile("movq %%fs:(%1), %0" : "=r"(value) : "r"(offset));
        return value;
    }

    static bool can_set_thread_pointer() noexcept;

    // The mnemonic, not _writefsbase_u64: that would ask for -mfsgsbase in every file that includes this.
    static void set_thread_pointer(void* thread_pointer) noexcept {
        asm volatile("wrfsbase %0" : : "r"(thread_pointer) : "memory");
    }

    static bool shadow_stack_active() noexcept;

    static void pause() noexcept { __builtin_ia32_pause(); }
    static std::uint64_t cycles() noexcept { return __builtin_ia32_rdtsc(); }

    static void* stack_pointer() noexcept {
        void* value;
        asm volatile("movq %%rsp, %0" : "=r"(value));
        return value;
    }

    GOSSAMER_INLINE static long system_call(long number, long first, long second, long third, long fourth) noexcept {
        register long fourth_register asm("r10") = fourth;
        long result;
        asm volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(fourth_register)
                     : "rcx", "r11", "memory");
        return result;
    }

    static void invoke(Outlined fn, unsigned count, void* const* arguments) { gossamer_arch_invoke(fn, count, arguments); }
};

using ThisCpu = X86_64;

}  // namespace gossamer::arch
