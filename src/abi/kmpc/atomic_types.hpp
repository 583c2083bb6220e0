// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types behind the numbers in the entries' names; complex ones are twice their number wide.
#pragma once

namespace gossamer::abi {

using Float4 = float;
using Float8 = double;
// What the CPU calls long double: 10 bytes of value in 16 on x86-64, of which the last 6 mean nothing.
using Float10 = long double;
using Complex4 = _Complex float;
using Complex8 = _Complex double;
using Complex10 = _Complex long double;

// Where __float128 is a type of its own (x86-64), so are the entries for it.
#ifdef __SIZEOF_FLOAT128__
using Float16 = __float128;
typedef _Complex float Complex16 __attribute__((mode(TC)));
#endif

}  // namespace gossamer::abi
