// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text that the user asked for (a message of our own accord goes through base's say).
#pragma once

#include <string_view>

namespace gossamer::os {

// Writes all of it to standard error, in one piece where the system takes it so. Lost output is ignored.
// Keeps errno.
void write_error(std::string_view text);

}  // namespace gossamer::os
