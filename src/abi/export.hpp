// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks the definition of a name that compiled programs call.
#pragma once

#define GOSSAMER_EXPORT extern "C" __attribute__((visibility("default")))
