// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types behind the numbers in the entries' names: bytes of a real, or of each part of a complex number.
#pragma once

namespace gossamer::abi {

using Float4 = float;
using Float8 = double;
// The CPU's long double: on x86-64, 10 bytes of value and 6 of padding.
using Float10 = long double;
using Complex4 = _Complex float;
using Complex8 = _Complex double;
using Complex10 = _Complex long double;

// The entries for __float128 exist where that is a type of its own (x86-64).
#ifdef __SIZEOF_FLOAT128__
using Float16 = __float128;
typedef _Complex float Complex16 __attribute__((mode(TC)));
#endif

}  // namespace gossamer::abi
