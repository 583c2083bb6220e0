// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/hooks.hpp"

#include <errno.h>
#include <pthread.h>

namespace gossamer::os {

namespace {

pthread_key_t key;
bool have_key = false;

}  // namespace

int set_thread_exit_hook(void (*hook)(void* argument)) {
    if (have_key) return 0;
    const int code = pthread_key_create(&key, hook);
    have_key = code == 0;
    return code;
}

int at_thread_exit(void* argument) { return have_key ? pthread_setspecific(key, argument) : EAGAIN; }

int set_fork_hooks(void (*prepare)(), void (*parent)(), void (*child)()) { return pthread_atfork(prepare, parent, child); }

}  // namespace gossamer::os
