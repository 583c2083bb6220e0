// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The public header of the operating-system layer: the only place that calls the kernel or pthreads.
// Functions return errno codes (0 is success) and never print; none of them suspends a fiber.
#pragma once

#include "os/cgroup.hpp"
#include "os/clock.hpp"
#include "os/console.hpp"
#include "os/cpus.hpp"
#include "os/credentials.hpp"
#include "os/env.hpp"
#include "os/failures.hpp"
#include "os/fault.hpp"
#include "os/fence.hpp"
#include "os/futex.hpp"
#include "os/hooks.hpp"
#include "os/memory.hpp"
#include "os/signals.hpp"
#include "os/symbols.hpp"
#include "os/thread.hpp"
#include "os/thread_state.hpp"
#include "os/topology.hpp"
