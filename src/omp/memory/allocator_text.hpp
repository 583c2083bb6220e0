// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocators as OMP_ALLOCATOR writes them.
#pragma once

#include <optional>
#include <string_view>

#include "omp/memory/allocator.hpp"

namespace gossamer::omp {

// OMP_ALLOCATOR (OpenMP 5.2 §21.5.1): a predefined allocator's name, or a memory space with traits,
// "omp_default_mem_space:alignment=64,fallback=null_fb". Nothing if the text is wrong or there is no such memory.
std::optional<AllocatorHandle> parse_allocator(std::string_view text);

}  // namespace gossamer::omp
