// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/work/single.hpp"

#include "arch/arch.hpp"

namespace gossamer::omp {

void let_lead(Thread& thread, const std::atomic<uint64_t>& singles, uint64_t claimed) {
    constexpr int looks = 16;  // about two transfers of a line
    thread.work.took_copyprivate = false;
    for (int i = 0; i < looks && !fiber::must_give_way() && singles.load(std::memory_order_relaxed) == claimed; ++i)
        arch::pause();
}

}  // namespace gossamer::omp
