// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starting over in the child of fork.
#pragma once

#include <new>

namespace gossamer {

// Gives `object` its initial state: the threads that held its locks, or were in the middle of changing it, are gone. What it
// owned stays as it is, and is never freed.
template <class T>
void renew(T& object) {
    object.~T();
    ::new (static_cast<void*>(&object)) T;
}

}  // namespace gossamer
