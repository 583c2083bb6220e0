// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/thread.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "arch/arch.hpp"
#include "base/base.hpp"
#include "os/credentials.hpp"
#include "os/failures.hpp"
#include "os/timespec.hpp"

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
// Weak, because the library also runs on a glibc older than the one it was built with; those register
// nothing.
#pragma weak __rseq_offset
#pragma weak __rseq_size
#define GOSSAMER_HAS_RSEQ 1
#else
#define GOSSAMER_HAS_RSEQ 0
#endif

namespace gossamer::os {

namespace {

using PthreadMain = void* (*)(void*);

// Both ABIs return a pointer in a register that a function without result leaves undefined, and no caller of
// pthread_join asks for it. Saves a record on the heap for each thread, and with it a malloc arena for threads
// that sleep.
PthreadMain as_pthread_main(void (*main)(void*)) { return reinterpret_cast<PthreadMain>(reinterpret_cast<void (*)()>(main)); }

int create(pthread_attr_t& attributes, void (*main)(void*), void* argument, pthread_t& out) {
    pthread_t thread;
    int code = ::pthread_create(&thread, &attributes, as_pthread_main(main), argument);
    if (code != 0) return code;
    let_threads_report_as_themselves();
    out = thread;
    return 0;
}

#if GOSSAMER_HAS_RSEQ
// The rseq area of the thread with this pointer; null: libc registers none.
struct rseq* rseq_of(void* thread_pointer) {
    if (&__rseq_size == nullptr || __rseq_size == 0) return nullptr;
    return reinterpret_cast<struct rseq*>(byte_offset(thread_pointer, __rseq_offset));
}

// Registers (0) or unregisters an area for the native thread that runs this.
bool tell_rseq(const struct rseq* area, int flags) {
    const int saved_errno = errno;
    // The kernel wants the very size that was registered, which glibc does not tell: 32 bytes at first, later
    // the kernel's feature size rounded up to its alignment (auxiliary vector entries 27 and 28).
    bool done = ::syscall(SYS_rseq, area, 32u, flags, RSEQ_SIG) == 0;
    if (!done) {
        const unsigned long alignment = ::getauxval(28);
        const unsigned long size = ::getauxval(27);
        if (is_pow2(alignment) && size > 32) {
            done = ::syscall(SYS_rseq, area, static_cast<unsigned>(align_up(size, alignment)), flags, RSEQ_SIG) == 0;
        }
    }
    errno = saved_errno;
    return done;
}
#endif

// The stack that the kernel has made for the process, if the caller runs there. It ends with the name of the program's file and
// a null pointer (fs/exec.c, bprm_stack_limits and its kin), and grows down to its limit.
bool initial_stack(Stack& out) {
    // The kernel keeps so much free below its end, whatever the limit was when the process began (mmap_base).
    constexpr rlim_t kept_free = rlim_t{128} << 20;
    const auto* const file = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
    rlimit limit;
    if (file == nullptr || ::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur > kept_free) return false;
    const auto end = align_up(reinterpret_cast<std::uintptr_t>(file) + std::strlen(file) + 1 + sizeof(void*), page_size());
    const std::size_t size = align_down(static_cast<std::size_t>(limit.rlim_cur), page_size());
    const Stack stack{reinterpret_cast<void*>(end - size), size};
    if (!stack.contains(arch::stack_pointer())) return false;  // a forked child that was a thread's, a tool that moves stacks
    out = stack;
    return true;
}

}  // namespace

std::size_t default_stack_size() {
    pthread_attr_t attributes;
    std::size_t size = 0;
    if (::pthread_attr_init(&attributes) != 0) return 0;
    ::pthread_attr_getstacksize(&attributes, &size);
    ::pthread_attr_destroy(&attributes);
    return size;
}

int start_thread(void (*main)(void*), void* argument, std::size_t stack_size, pthread_t& out) {
    if (failure_due(Failure::thread)) return EAGAIN;
    pthread_attr_t attributes;
    int code = ::pthread_attr_init(&attributes);
    if (code != 0) return code;
    ::pthread_attr_setguardsize(&attributes, guard_size());
    if (stack_size != 0) code = ::pthread_attr_setstacksize(&attributes, align_up(stack_size, page_size()));
    if (code == 0) code = create(attributes, main, argument, out);
    ::pthread_attr_destroy(&attributes);
    return code;
}

int start_thread_on(const Stack& stack, void (*main)(void*), void* argument, pthread_t& out) {
    if (failure_due(Failure::thread)) return EAGAIN;
    pthread_attr_t attributes;
    int code = ::pthread_attr_init(&attributes);
    if (code != 0) return code;
    code = ::pthread_attr_setstack(&attributes, stack.low, stack.size);
    if (code == 0) {
        // A new thread inherits its creator's mask. glibc leaves its own two signals out of a full set.
        sigset_t all;
        sigset_t before;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before);
        code = create(attributes, main, argument, out);
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    ::pthread_attr_destroy(&attributes);
    return code;
}

int join_thread(pthread_t thread) { return ::pthread_join(thread, nullptr); }

void name_thread(const char* name) {
    char kept[16] = {};
    std::strncpy(kept, name, sizeof kept - 1);
    ::pthread_setname_np(::pthread_self(), kept);
}

bool leave_rseq() {
#if GOSSAMER_HAS_RSEQ
    const auto* const area = rseq_of(arch::thread_pointer());
    return area == nullptr || tell_rseq(area, RSEQ_FLAG_UNREGISTER) ||
           static_cast<std::int32_t>(__atomic_load_n(&area->cpu_id, __ATOMIC_RELAXED)) < 0;
#else
    return true;
#endif
}

void move_rseq([[maybe_unused]] void* thread_pointer) {
#if GOSSAMER_HAS_RSEQ
    const auto* const area = rseq_of(thread_pointer);
    if (area != nullptr && tell_rseq(area, RSEQ_FLAG_UNREGISTER)) tell_rseq(rseq_of(arch::thread_pointer()), 0);
#endif
}

pid_t kernel_thread_id() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

bool is_initial_thread() { return kernel_thread_id() == ::getpid(); }

int stack_of(pthread_t thread, Stack& out) {
    pthread_attr_t attributes;
    int code = ::pthread_getattr_np(thread, &attributes);
    if (code != 0) return code;
    Stack stack;
    code = ::pthread_attr_getstack(&attributes, &stack.low, &stack.size);
    ::pthread_attr_destroy(&attributes);
    if (code == 0) out = stack;
    return code;
}

int own_stack(Stack& out) { return is_initial_thread() && initial_stack(out) ? 0 : stack_of(::pthread_self(), out); }

void yield_native() {
    // Not libc's, whose name this library takes over (abi/api/sched_yield.cpp). A filter may refuse it, and errno is the
    // caller's.
    arch::system_call(SYS_sched_yield, 0, 0, 0, 0);
}

void sleep_native(std::uint64_t nanoseconds) {
    // Not libc's, which is a cancellation point (small_file.hpp).
    timespec rest = to_timespec(nanoseconds);
    const long at = reinterpret_cast<long>(&rest);
    while (arch::system_call(SYS_nanosleep, at, at, 0, 0) == -EINTR) {}
}

void end_sleeps_on_time() { ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

}  // namespace gossamer::os
