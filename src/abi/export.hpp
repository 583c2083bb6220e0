// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Marks the definition of a name that compilers and users call.
#define GOSSAMER_EXPORT extern "C" __attribute__((visibility("default")))
