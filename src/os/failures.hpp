// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The seam by which tests make the system refuse: exhausted threads and memory cannot be had on demand
// otherwise.
#pragma once

#include <cstdint>

namespace gossamer::os {

enum class Failure : unsigned { thread, memory };

constexpr std::uint32_t all_further = UINT32_MAX;

// From now on the at-th call of this kind (1 is the next one) fails as if the system had run out, and so do
// the ones after it until `count` have failed. at == 0 ends it. thread: start_thread and start_thread_on,
// with EAGAIN. memory: map_stack and map_pages, with ENOMEM. Process-wide; costs each such call one relaxed
// load when off.
void inject_failures(Failure kind, std::uint32_t at, std::uint32_t count = 1);

// Whether this call has to fail; asked once by each function named above.
bool failure_due(Failure kind);

}  // namespace gossamer::os
