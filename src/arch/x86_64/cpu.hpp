// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// x86-64, System V ABI.
#pragma once

#include <asm/prctl.h>
#include <sys/syscall.h>

#include <cstdint>

#include "arch/concept.hpp"
#include "base/base.hpp"

extern "C" {
void gossamer_arch_start() noexcept;
void gossamer_arch_invoke(gossamer::arch::Outlined fn, unsigned count, void* const* arguments);
}

#ifdef __AVX512F__
#define GOSSAMER_AVX512_REGISTERS                                                                                          \
    , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", \
        "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define GOSSAMER_AVX512_REGISTERS
#endif

// Jumps to a function of switch.S, with where to go on in r10: what a call of it would do, but for the return that the CPU
// would foretell and that never comes (docs/decisions/0020-the-switch-is-jumped-to.md). It writes below the stack pointer, so
// no function that has this inlined may keep anything there: -mno-red-zone (cmake/GossamerFlags.cmake).
#define GOSSAMER_SWITCH(function, fourth)                                                                                    \
    asm volatile("leaq 1f(%%rip), %%r10\n\tjmp " function "\n1:\tendbr64"                                                    \
                 : "=a"(back), "+D"(save_sp), "+S"(load_sp), "+d"(payload), fourth                                           \
                 :                                                                                                           \
                 : "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
                   "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15" GOSSAMER_AVX512_REGISTERS, "cc", "memory")

// The address of the TLS descriptor that the loader fills in. In a program, whose own variables lie where the linker says, that
// has put the distance in its place.
#define GOSSAMER_STATIC_DISTANCE(symbol)                        \
    [] {                                                        \
        std::intptr_t word;                                     \
        asm("leaq " symbol "@tlsdesc(%%rip), %0" : "=a"(word)); \
        return gossamer::arch::X86_64::distance_in(word);       \
    }()

namespace gossamer::arch {

struct X86_64 {
    // Of a TLS descriptor: its second word is what the function in its first one goes by, the distance itself where that is one
    // and the same for all threads, which here is negative, or an address (Oliva, Thread-Local Storage Descriptors, section 3).
    static std::intptr_t distance_in(std::intptr_t word) noexcept {
        if (word > 0) word = reinterpret_cast<const volatile std::intptr_t*>(word)[1];
        return word < 0 ? word : 0;
    }

    static void* prepare(void* stack_top, Entry entry) noexcept;

    static void* switch_stack(void** save_sp, void* load_sp, void* payload) noexcept {
        void *back, *unused;
        GOSSAMER_SWITCH("gossamer_arch_switch_stack", "=c"(unused));
        return back;
    }
    static void* switch_stack_and_thread(void** save_sp, void* load_sp, void* payload, void* thread) noexcept {
        void* back;
        GOSSAMER_SWITCH("gossamer_arch_switch_stack_and_thread", "+c"(thread));
        return back;
    }
    static void* switch_stack_and_thread_by_kernel(void** save_sp, void* load_sp, void* payload, void* thread) noexcept {
        void* back;
        GOSSAMER_SWITCH("gossamer_arch_switch_stack_and_thread_by_kernel", "+c"(thread));
        return back;
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

    // By the kernel in any case, which does not need to be asked what the CPU has.
    GOSSAMER_INLINE static void set_thread_pointer_anyhow(void* thread_pointer) noexcept {
        system_call(SYS_arch_prctl, ARCH_SET_FS, reinterpret_cast<long>(thread_pointer), 0, 0);
    }

    static bool shadow_stack_active() noexcept;

    static void pause() noexcept { __builtin_ia32_pause(); }
    static std::uint64_t cycles() noexcept { return __builtin_ia32_rdtsc(); }

    static void* stack_pointer() noexcept {
        void* value;
        asm volatile("movq %%rsp, %0" : "=r"(value));
        return value;
    }

    static const void* interrupted_at(const void* context) noexcept;

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

#undef GOSSAMER_SWITCH
#undef GOSSAMER_AVX512_REGISTERS

using ThisCpu = X86_64;

}  // namespace gossamer::arch
