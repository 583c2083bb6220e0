// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KMP_HW_SUBSET, as libomp and libiomp5 define it: the part of the machine that the process keeps to. "1s,4c@2,1t" selects one
// socket, skips two of its cores, takes the next four, and one hardware thread of each.
#pragma once

#include <string_view>

#include "omp/affinity/groups.hpp"

namespace gossamer::omp {

// Whether `text` follows the grammar, each layer at most once:
//
//     subset = [ ":" ] item { "," item }       item = [ number | "*" ] layer [ "@" number ]
//
// The layers are s (socket), n (numa_domain), ll or l3 (ll_cache), c (core) and t (thread), or their long names, in any order
// and case.
bool valid_hw_subset(std::string_view text);

// The CPUs of `allowed` that a valid text selects. A number counts units within each unit of the next larger layer: threads of
// a core, cores of a socket (of a memory node or cache only if that layer is named too). A layer that is not named is kept
// whole. After ":" a number counts units within each unit of the next larger layer that is named, or of the whole machine:
// ":3t" selects three hardware threads.
// Empty if no unit of the machine has as many as the text asks for, or there is no memory.
os::CpuMask hw_subset(std::string_view text, const os::CpuMask& allowed, GroupOf group_of = group_of_machine);

}  // namespace gossamer::omp
