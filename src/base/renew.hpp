// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starting over in the child of fork, and writing only what is new.
#pragma once

#include <new>

#include "base/bits.hpp"

namespace gossamer {

// Gives `object` its initial state: the threads that held its locks, or were in the middle of changing it, are gone. What it
// owned stays as it is, and is never freed.
template <class T>
void renew(T& object) {
    object.~T();
    ::new (static_cast<void*>(&object)) T;
}

// The same for what its own `lock` covers, if a thread was in the middle of changing it. Otherwise it is sound, and stays.
template <class T>
void renew_if_locked(T& object) {
    if (object.lock.is_held()) renew(object);
}

// Writes a value that other threads read only if it is new: otherwise they would have to fetch its line again.
template <class T>
void set_if_new(T& value, const T& now) {
    if (GOSSAMER_UNLIKELY(!(value == now))) value = now;
}

}  // namespace gossamer
