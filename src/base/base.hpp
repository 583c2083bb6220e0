// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The public header of the lowest layer: words that need neither a CPU nor an operating system.
#pragma once

#include "base/atomics.hpp"
#include "base/bits.hpp"
#include "base/fatal.hpp"
#include "base/raised.hpp"
#include "base/random.hpp"
#include "base/renew.hpp"
#include "base/spin_lock.hpp"
#include "base/text.hpp"
