// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An allocator that yields at every call, as those do that wait for a lock of their own. To be preloaded.
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);

void* malloc(size_t size) {
    sched_yield();
    return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
    sched_yield();
    return __libc_calloc(count, size);
}

void* realloc(void* memory, size_t size) {
    sched_yield();
    return __libc_realloc(memory, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
    sched_yield();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) {
    sched_yield();
    return (*memory = __libc_memalign(alignment, size)) != NULL ? 0 : ENOMEM;
}

void free(void* memory) {
    sched_yield();
    __libc_free(memory);
}
