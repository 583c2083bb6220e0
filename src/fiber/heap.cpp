// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's own calls of libc that allocate or free.
//
// They end in the program's allocator. Many allocators, tbbmalloc and jemalloc among them, call sched_yield while they wait for
// a lock, and find ours (abi/api/sched_yield.cpp), which lets another fiber run. Where the program allocates that is right. The
// library, though, may be in the middle of anything: a carrier's loop that has no fiber at hand, a queue half changed, a lock
// of its own held. So the fiber notes that it is in such a call, and there sched_yield yields to the kernel only. If a fiber
// that has suspended itself in the allocator holds the lock, another carrier, or relief, runs it.
//
// The shared object is linked with --wrap for each of these names (src/CMakeLists.txt), so that no call is missed; unit tests,
// which use libc's allocator, are not.

#include <cstddef>

#include "fiber/context.hpp"

namespace {

using gossamer::fiber::Fiber;

// A signal's handler may make such a call inside another one.
class HeapCall {
public:
    HeapCall() : fiber_(gossamer::fiber::known_self()), before_(fiber_ != nullptr && fiber_->in_heap_call) { note(true); }
    ~HeapCall() { note(before_); }
    HeapCall(const HeapCall&) = delete;
    HeapCall& operator=(const HeapCall&) = delete;

private:
    void note(bool is) {
        if (fiber_ != nullptr) fiber_->in_heap_call = is;
    }

    Fiber* const fiber_;  // null: the caller runs no fiber, so it is not carried
    const bool before_;
};

}  // namespace

// The linker gives the library's calls of `name` to __wrap_name, and libc's function the name __real_name. Weak: where nothing
// is wrapped, in unit tests, there is none.
#define GOSSAMER_WRAP(result, name, parameters, arguments)                             \
    extern "C" __attribute__((weak)) result __real_##name parameters;                  \
    extern "C" __attribute__((visibility("hidden"))) result __wrap_##name parameters { \
        const HeapCall call;                                                           \
        return __real_##name arguments;                                                \
    }

GOSSAMER_WRAP(void*, malloc, (std::size_t size), (size))
GOSSAMER_WRAP(void*, calloc, (std::size_t count, std::size_t size), (count, size))
GOSSAMER_WRAP(void*, realloc, (void* memory, std::size_t size), (memory, size))
GOSSAMER_WRAP(void*, aligned_alloc, (std::size_t alignment, std::size_t size), (alignment, size))
GOSSAMER_WRAP(void, free, (void* memory), (memory))
GOSSAMER_WRAP(int, pthread_create, (pthread_t * thread, const pthread_attr_t* attributes, void* (*main)(void*), void* argument),
              (thread, attributes, main, argument))
GOSSAMER_WRAP(int, pthread_join, (pthread_t thread, void** result), (thread, result))
GOSSAMER_WRAP(int, pthread_attr_init, (pthread_attr_t * attributes), (attributes))
GOSSAMER_WRAP(int, pthread_attr_destroy, (pthread_attr_t * attributes), (attributes))
GOSSAMER_WRAP(int, pthread_getattr_np, (pthread_t thread, pthread_attr_t* attributes), (thread, attributes))
GOSSAMER_WRAP(int, pthread_setspecific, (pthread_key_t key, const void* value), (key, value))
GOSSAMER_WRAP(void*, dlsym, (void* handle, const char* name), (handle, name))
