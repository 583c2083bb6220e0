// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Worksharing as the ABI layer sees it: one header for each construct.
#pragma once

#include "omp/work/doacross.hpp"
#include "omp/work/ordered.hpp"
#include "omp/work/sections.hpp"
#include "omp/work/share.hpp"
#include "omp/work/single.hpp"
#include "omp/work/teams.hpp"
#include "omp/work/worksharing_loop.hpp"
