// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What AddressSanitizer and ThreadSanitizer are told of switches in instrumented builds; nothing in all
// others.
//
// Both sanitizers keep their state of a thread in thread-local storage, so it follows the thread pointer by itself: a
// full fiber is to them the pthread whose identity it has, with that one's stack and call history. They need
// to hear of two things only (docs/protocols/switching.md): which of the stacks that share one thread pointer
// runs now (light fibers and their carrier's home), and that a carrier's fibers run one after another.
#pragma once

#include "os/os.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GOSSAMER_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define GOSSAMER_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define GOSSAMER_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define GOSSAMER_TSAN 1
#endif

#if defined(GOSSAMER_ASAN)
#include <sanitizer/common_interface_defs.h>
#elif defined(GOSSAMER_TSAN)
#include <sanitizer/tsan_interface.h>
extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}
#endif

// Code between two fibers' calls must not be a call of its own to the sanitizer; code that runs before the sanitizer is told
// which fiber runs must not be looked at (GOSSAMER_UNCHECKED).
#define GOSSAMER_UNSEEN [[gnu::always_inline]] inline

// native_begins: on the native thread itself, before it carries anything. light_begins: when the fiber's stack is there;
// light_ends: before that is unmapped. runs: a native thread's own stack or a light fiber's, just after a switch to it.
// leaves, arrives: around each switch; the fiber that runs next.
namespace gossamer::fiber::sanitizer {

#if defined(GOSSAMER_ASAN)

struct Context {
    os::Stack stack;
};

inline void native_begins(Context& context) { os::own_stack(context.stack); }
inline void light_begins(Context& context, const os::Stack& stack) { context.stack = stack; }
inline void light_ends(Context&) {}

GOSSAMER_UNSEEN void runs(Context context) {
    void* kept = nullptr;  // frames that "use after return" moved to the heap stay where they are
    __sanitizer_start_switch_fiber(&kept, context.stack.low, context.stack.size);
    __sanitizer_finish_switch_fiber(kept, nullptr, nullptr);
}

GOSSAMER_UNSEEN void leaves(void*) {}
GOSSAMER_UNSEEN void arrives(void*) {}

#elif defined(GOSSAMER_TSAN)

struct Context {
    void* fiber = nullptr;
};

inline void native_begins(Context& context) { context.fiber = __tsan_get_current_fiber(); }
inline void light_begins(Context& context, const os::Stack&) { context.fiber = __tsan_create_fiber(0); }
inline void light_ends(Context& context) { __tsan_destroy_fiber(context.fiber); }

GOSSAMER_UNSEEN void runs(Context context) { __tsan_switch_to_fiber(context.fiber, __tsan_switch_to_fiber_no_sync); }

// Orders what the fibers of one carrier do to what belongs to that carrier alone. It also hides races of user
// code between two threads that ran one after another on one carrier; another schedule shows them.
GOSSAMER_UNSEEN void leaves(void* next) { __tsan_release(next); }
GOSSAMER_UNSEEN void arrives(void* me) { __tsan_acquire(me); }

#else

struct Context {};
inline void native_begins(Context&) {}
inline void light_begins(Context&, const os::Stack&) {}
inline void light_ends(Context&) {}
GOSSAMER_UNSEEN void runs(Context) {}
GOSSAMER_UNSEEN void leaves(void*) {}
GOSSAMER_UNSEEN void arrives(void*) {}

#endif

}  // namespace gossamer::fiber::sanitizer
