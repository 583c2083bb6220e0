// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threadprivate variables (OpenMP 5.2 §5.2) of programs that were compiled not to use native TLS: each fiber has a copy, which
// is found by the fiber's id and lives as long as the fiber.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gossamer::omp {

// A variable's copies by fiber id. An array that has become too short is replaced
// and stays as it is, since other threads may read it.
struct ThreadprivateCopies {
    std::size_t capacity;        // of `copy`
    ThreadprivateCopies* older;  // the array that this one has replaced
    void* copy[];
};

// How C++ objects are made. The functions for an array take the number of elements as a further argument.
struct ThreadprivateObject {
    void* make = nullptr;      // void* make(void* copy [, size_t])
    void* copy = nullptr;      // void* copy(void* copy, void* original [, size_t])
    void* destroy = nullptr;   // void destroy(void* copy [, size_t])
    std::size_t elements = 0;  // 0: a single object
};

// The calling thread's copy of the variable of `size` bytes at `original`; the process's initial thread uses the original.
// `cache`, if not null, is where compiled code remembers the array's first element. Never suspends itself, but runs the
// program's functions. Ends the program when memory is out.
void* threadprivate(void* original, std::size_t size, void*** cache);

// Tells how the copies of a variable are made. Has no effect after the first call of threadprivate for it.
void threadprivate_register(void* original, const ThreadprivateObject& object);

// Destroys the copies of the fiber with this id, which has ended; another fiber may get the id. Runs the program's functions.
void threadprivate_forget(std::uint32_t id);

// In the child of a fork, whose parent's other threads may have held the lock.
void threadprivate_forget_lock();

}  // namespace gossamer::omp
