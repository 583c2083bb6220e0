// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threadprivate variables (OpenMP 5.2 §5.2) of programs that were compiled not to use native TLS: each
// fiber's copy is found by the fiber's id, and lives as long as the fiber.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gossamer::omp {

// A variable's copies by fiber id, and how long that array is. An array that has become too short stays as it
// is, since others may be reading it.
struct ThreadprivateCopies {
    std::size_t capacity;
    ThreadprivateCopies* older;  // the one it has replaced
    void* copy[];
};

// How C++ objects are made. Arrays have the functions with a second or third argument, the number of
// elements.
struct ThreadprivateObject {
    void* make = nullptr;      // void* make(void* copy [, size_t])
    void* copy = nullptr;      // void* copy(void* copy, void* original [, size_t])
    void* destroy = nullptr;   // void destroy(void* copy [, size_t])
    std::size_t elements = 0;  // 0: a single object
};

// The calling thread's copy of the variable of `size` bytes at `original`; the process's initial thread has
// that one itself. `cache`, if not null, is the compiler's place to remember the array's first element. Never
// suspends itself, but runs the program's functions.
void* threadprivate(void* original, std::size_t size, void*** cache);

// Says how the copies of a variable are made. The first word counts.
void threadprivate_register(void* original, const ThreadprivateObject& object);

// The fiber with this id has ended: another one may get it. Destroys its copies.
void threadprivate_forget(std::uint32_t id);

}  // namespace gossamer::omp
