// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fortran's view of the routines: the name ends in an underscore (in _8_ for default integers of eight bytes), and arguments
// are passed by reference.
#pragma once

#include <climits>
#include <cstdint>

#include "abi/export.hpp"

// Another name for a function that has no arguments, or takes them in the same way under both names.
#define GOSSAMER_ALIAS(alias_name, name) \
    extern "C" __attribute__((visibility("default"), alias(#name), copy(name))) decltype(name) alias_name;
#define GOSSAMER_FORTRAN_ALIAS(name) GOSSAMER_ALIAS(name##_, name)

// name_(const int32_t*) and name_8_(const int64_t*) for name(int).
#define GOSSAMER_FORTRAN_INT(name)                                                                \
    GOSSAMER_EXPORT decltype(name(0)) name##_(const std::int32_t* value) { return name(*value); } \
    GOSSAMER_EXPORT decltype(name(0)) name##_8_(const std::int64_t* value) { return name(::gossamer::abi::to_int(*value)); }

namespace gossamer::abi {

constexpr int to_int(std::int64_t value) {
    return value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : static_cast<int>(value);
}

}  // namespace gossamer::abi
