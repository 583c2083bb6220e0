// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs regions under a filter that refuses one system call, always, as containers do. Arguments: the call's number, the error.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

static int refuse(unsigned call, unsigned error) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static long fib(int n) {
    long a, b;
    if (n < 2) return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    if (!refuse((unsigned)atoi(argv[1]), (unsigned)atoi(argv[2]))) return 77;
    omp_set_max_active_levels(3);
    int flat = 0, nested = 0;
    long found = 0;
    for (int round = 0; round < 20; ++round) {
#pragma omp parallel num_threads(6) reduction(+ : flat, nested)
        {
#pragma omp barrier
            flat += 1;
#pragma omp parallel num_threads(3) reduction(+ : nested)
            {
#pragma omp critical
                nested += 1;
#pragma omp barrier
            }
        }
#pragma omp parallel num_threads(4)
#pragma omp single
        found = fib(14);
        omp_set_num_threads(3);
#pragma omp parallel for ordered schedule(dynamic)
        for (int i = 0; i < 20; ++i) {
#pragma omp ordered
            found += 1;
        }
    }
    printf("%d %d %ld\n", flat, nested, found);
    return 0;
}
