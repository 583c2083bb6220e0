// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Newer compilers call this entry after each dynamically scheduled loop. BOLT's last release is older and lacks it; its
// scheduler has nothing to do there. Only BOLT's runs preload this file.
void __kmpc_dispatch_deinit(void* location, int thread);

void __kmpc_dispatch_deinit(void* location, int thread) {
    (void)location;
    (void)thread;
}
