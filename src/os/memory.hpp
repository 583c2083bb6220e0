// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pages and guarded stacks.
#pragma once

#include <cstddef>

namespace gossamer::os {

struct Mapping {
    void* base = nullptr;
    std::size_t size = 0;
};

// The usable part; the guard lies directly below low.
struct Stack {
    void* low = nullptr;
    std::size_t size = 0;

    void* top() const { return static_cast<char*>(low) + size; }
    bool contains(const void* address) const { return address >= low && address < static_cast<const char*>(low) + size; }
};

std::size_t page_size();

// Bytes of address space below each stack that no access survives. More than a page, so that a frame with a
// large array, compiled without stack probes, still hits it.
std::size_t guard_size();

// Bytes that a signal frame of this CPU and a modest handler need; at least 16 KiB.
std::size_t signal_reserve();

// A stack of at least usable bytes (rounded up to pages), committed page by page as it is touched, never in huge pages, with
// its guard. Executable if the program's objects want such stacks. 0, or EAGAIN/ENOMEM/EINVAL and out untouched. ENOMEM too
// where the process's address space is limited (`ulimit -v`) and less than 16 MiB of it would be left: a program with fewer
// threads still needs memory.
int map_stack(std::size_t usable, Stack& out);
void unmap_stack(const Stack& stack);

// Gives readable and writable pages of the caller's, which are to serve as a stack, the rights that map_stack gives.
void open_own_stack(void* low, std::size_t size);

// In the child of a fork: whether objects want executable stacks is not asked before the first stack, for another thread may
// have been asking, and the loader's lock is not free then. What was known at the load holds.
void keep_answer_about_stacks();

// Makes a stack of map_stack executable, if an object that was loaded since wants such stacks; stacks that are mapped later are
// so as well. False: no object does, or the system refuses. Waits for the loader's lock.
bool execute_stack(const Stack& stack);

// From now on no access to the whole pages in [low, low + size) survives, if the system grants even that.
void forbid(void* low, std::size_t size);

// Tells Valgrind that [low, high) is a stack of its own, so that a switch to it is not taken for a frame of enormous size.
// Nothing outside Valgrind; nothing at all where its headers were missing when this was built.
void tell_stack(const void* low, const void* high);

// Zeroed read-write pages, size rounded up; committed when touched. 0, or ENOMEM/EINVAL and out untouched.
int map_pages(std::size_t size, Mapping& out);
void unmap_pages(const Mapping& mapping);

}  // namespace gossamer::os
