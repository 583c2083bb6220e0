// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

long fib_serially(long k);
