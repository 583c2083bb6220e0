// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three levels of regions, with no call or setting that asks for nesting. Prints the number of threads at each
// level.
#include <omp.h>
#include <stdio.h>

int main(void) {
    int one = 0, two = 0, three = 0;
#pragma omp parallel num_threads(3) reduction(+ : one, two, three)
    {
        one += 1;
#pragma omp parallel num_threads(4) reduction(+ : two, three)
        {
            two += 1;
#pragma omp parallel num_threads(4) reduction(+ : three)
            three += 1;
        }
    }
    printf("%d %d %d\n", one, two, three);
    return 0;
}
