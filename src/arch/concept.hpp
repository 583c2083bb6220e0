// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a CPU has to provide. Each folder below arch/ holds one struct that satisfies this concept; the free
// functions of arch.hpp forward to it and say what each operation means.
#pragma once

#include <concepts>
#include <cstdint>

namespace gossamer::arch {

using Entry = void (*)(void* payload);
using Outlined = void (*)();

template <class T>
concept Cpu = requires(void* address, void** save, Entry entry, Outlined fn, unsigned count, void* const* arguments) {
    { T::prepare(address, entry) } noexcept -> std::same_as<void*>;
    { T::switch_stack(save, address, address) } noexcept -> std::same_as<void*>;
    { T::switch_stack_and_thread(save, address, address, address) } noexcept -> std::same_as<void*>;
    { T::switch_stack_and_thread_by_kernel(save, address, address, address) } noexcept -> std::same_as<void*>;
    { T::thread_pointer() } noexcept -> std::same_as<void*>;
    { T::word_at_thread_pointer(std::intptr_t()) } noexcept -> std::same_as<void*>;
    { T::can_set_thread_pointer() } noexcept -> std::same_as<bool>;
    { T::set_thread_pointer(address) } noexcept -> std::same_as<void>;
    { T::set_thread_pointer_anyhow(address) } noexcept -> std::same_as<void>;
    { T::shadow_stack_active() } noexcept -> std::same_as<bool>;
    { T::pause() } noexcept -> std::same_as<void>;
    { T::cycles() } noexcept -> std::same_as<std::uint64_t>;
    { T::stack_pointer() } noexcept -> std::same_as<void*>;
    { T::interrupted_at(address) } noexcept -> std::same_as<const void*>;
    { T::system_call(0L, 0L, 0L, 0L, 0L) } noexcept -> std::same_as<long>;
    { T::invoke(fn, count, arguments) } -> std::same_as<void>;
};

}  // namespace gossamer::arch
