// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An exception that the region does not catch. Argument: primary, other or nested.
#include <omp.h>
#include <cstring>
#include <stdexcept>

int main(int argc, char** argv) {
    const char* where = argc > 1 ? argv[1] : "";
    int who = std::strcmp(where, "primary") == 0 ? 0 : 4;
    omp_set_max_active_levels(4);
    if (std::strcmp(where, "nested") == 0) {
#pragma omp parallel num_threads(3)
        {
#pragma omp parallel num_threads(3)
            {
#pragma omp barrier
                if (omp_get_ancestor_thread_num(1) == 2 && omp_get_thread_num() == 1)
                    throw std::runtime_error("left the region");
#pragma omp barrier
            }
        }
    } else {
#pragma omp parallel num_threads(6)
        {
            if (omp_get_thread_num() == who) throw std::runtime_error("left the region");
#pragma omp barrier
        }
    }
    return 2;
}
