// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An outlined region of the kmpc ABI: void microtask(int32_t* global_id, int32_t* bound_id, void* argument…), with any
// number of arguments.
#pragma once

#include <cstdarg>

#include "abi/kmpc/kmpc.hpp"

namespace gossamer::abi {

using Microtask = void (*)(int32_t* global_id, int32_t* bound_id, ...);

struct Outlined {
    Microtask microtask;
    uint32_t count;
    void* const* arguments;
};

// Calls the outlined region as the thread with number bound_id. May suspend.
void call(const Outlined& outlined, int32_t bound_id);

}  // namespace gossamer::abi

// Names `count` variadic arguments in an Outlined on the caller's stack, where they live until the caller returns.
#define GOSSAMER_OUTLINED(name, microtask, count, last_parameter)                                              \
    va_list name##_list;                                                                                       \
    va_start(name##_list, last_parameter);                                                                     \
    const uint32_t name##_count = (count) > 0 ? static_cast<uint32_t>(count) : 0;                              \
    void** const name##_arguments = static_cast<void**>(__builtin_alloca((name##_count + 1) * sizeof(void*))); \
    for (uint32_t at = 0; at < name##_count; ++at) name##_arguments[at] = va_arg(name##_list, void*);          \
    va_end(name##_list);                                                                                       \
    ::gossamer::abi::Outlined name { microtask, name##_count, name##_arguments }
