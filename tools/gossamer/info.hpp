// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "settings.hpp"

namespace gossamer::tool {

// Loads the library into this process and prints its version, its file, the carriers and places that it would use here,
// and each setting with its source. Returns the exit status.
int info(const Settings& settings);

}  // namespace gossamer::tool
