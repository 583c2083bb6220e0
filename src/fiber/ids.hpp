// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ids of fibers: small numbers, unique among those that live, and used again.
#pragma once

#include <cstdint>

namespace gossamer::fiber {

std::uint32_t take_id();
void give_id(std::uint32_t id);

// In the child of fork: only the caller's id is in use.
void forget_ids();

}  // namespace gossamer::fiber
