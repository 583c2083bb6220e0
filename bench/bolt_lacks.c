// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BOLT's last release is older than this entry, which newer compilers call after each dynamically scheduled
// loop and in which its own scheduler has nothing to do. Preloaded for BOLT's runs alone.
void __kmpc_dispatch_deinit(void* location, int thread);

void __kmpc_dispatch_deinit(void* location, int thread) {
    (void)location;
    (void)thread;
}
