// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fib.h"

long fib_serially(long k) { return k < 2 ? k : fib_serially(k - 1) + fib_serially(k - 2); }
