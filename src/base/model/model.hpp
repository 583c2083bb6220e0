// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exhaustive interleaving checker for lock-free cores; docs/protocols/model-checking.md says what it
// covers.
#pragma once

#include "base/model/atomics.hpp"
#include "base/model/suite.hpp"
