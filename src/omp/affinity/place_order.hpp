// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which KMP_AFFINITY counts places, as Intel's and LLVM's runtimes define it. A place has one coordinate for
// each level of the machine: its socket, memory node, last-level cache, core and hardware thread, each numbered within the
// level above. A level that divides nothing counts only if it is that of sockets, cores or threads. Thread i goes to place i.
#pragma once

#include <cstdint>

#include "omp/affinity/groups.hpp"
#include "omp/affinity/places.hpp"

namespace gossamer::omp {

// Puts the list into such an order. False: there is no memory, and the list is unchanged.
bool order_places(PlaceList& list, const PlaceOrder& order, GroupOf group_of);

}  // namespace gossamer::omp
