// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where roots' descriptors lie that no native thread has (root_stock.cpp).
#pragma once

#include "omp/thread/root.hpp"

namespace gossamer::omp {

// A root whose tasks, if it has had any, are all gone; its initial thread is to be set up. Null: out of memory. Never suspends.
Root* take_root();

// The root's native thread ends. The root is in no region, and has no crew.
void give_root(Root& root);

// In the child of a fork.
void forget_spare_roots();

}  // namespace gossamer::omp
