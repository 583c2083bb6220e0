// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The place list as the scheduler sees it: each place is a zone (fiber/zone.hpp), numbered one higher, and each carrier's home
// lies in one of them. Set up only if the user names places or a binding.
#pragma once

#include "fiber/fiber.hpp"
#include "omp/affinity/posts.hpp"
#include "omp/icv/icv.hpp"

namespace gossamer::omp {

// Whether a binding policy names places: primary, close, spread, or true.
constexpr bool binds(Bind bind) { return bind != Bind::no && bind != Bind::unset; }

// Fills in what the scheduler needs to know of places; leaves the configuration as it is where nothing is to be bound.
// `carriers` becomes no more than the places have processors. Once, before the first carrier starts.
void configure_zones(fiber::Config& config, const GlobalIcvs& icvs);

// The workers' homes by zones; `first` is null before configure_zones, where nothing is bound, and where there was no memory.
const ZoneHomes& zone_homes();

}  // namespace gossamer::omp
