// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fiber layer's public face: fibers over carriers, waiting, and work that starts as a plain call.
// Words: docs/glossary.md. Nothing here knows OpenMP.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "arch/arch.hpp"
#include "base/base.hpp"
#include "os/os.hpp"

#include "fiber/context.hpp"
#include "fiber/counters.hpp"
#include "fiber/schedule.hpp"
#include "fiber/wait.hpp"
