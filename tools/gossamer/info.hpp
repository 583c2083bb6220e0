// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "settings.hpp"

namespace gossamer::tool {

// Loads the library into this process and prints what it would do here: version, file, carriers, places, and each
// setting with where it came from. Returns the exit status.
int info(const Settings& settings);

}  // namespace gossamer::tool
