// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "omp/task/task_reduction.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {
namespace {

std::uintptr_t word(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

TEST(GnuReduction, VariablesAndCopiesLeadToTheThreadsCopy) {
    long a = 0, b = 0, c = 0;
    // count, bytes, alignment, allocator, next, ours, ours; then variable, offset, ours for each
    std::uintptr_t outer[] = {2, 128, 64, UINTPTR_MAX, 0, 0, 0, word(&a), 0, 0, word(&b), 64, 0};
    std::uintptr_t inner[] = {1, 64, 64, UINTPTR_MAX, 0, 0, 0, word(&c), 0, 0};
    Thread& thread = current();
    Taskgroup& group = taskgroup_begin(thread);
    gnu_reduction_register(group, outer, 3);
    const std::uintptr_t copies = outer[2];
    EXPECT_EQ(copies % 64, 0u);
    EXPECT_EQ(outer[6], copies + 3 * 128);
    for (std::size_t i = 0; i < 3 * 128; ++i) EXPECT_EQ(reinterpret_cast<char*>(copies)[i], 0);

    Taskgroup& nested = taskgroup_begin(thread);
    gnu_reduction_register(nested, inner, 3);

    // a, another thread's copy of b, c; and the originals of the first two
    void* addresses[5] = {&a, reinterpret_cast<void*>(copies + 2 * 128 + 64), &c, nullptr, nullptr};
    gnu_reduction_remap(thread, 3, 2, addresses);
    EXPECT_EQ(word(addresses[0]), copies);
    EXPECT_EQ(word(addresses[1]), copies + 64);
    EXPECT_EQ(word(addresses[2]), inner[2]);
    EXPECT_EQ(addresses[3], &a);
    EXPECT_EQ(addresses[4], &b);

    taskgroup_end(thread);
    gnu_reduction_unregister(inner);
    taskgroup_end(thread);
    gnu_reduction_unregister(outer);
}

TEST(GnuReduction, AnUnknownVariableEndsTheProgram) {
    long a = 0;
    void* addresses[1] = {&a};
    EXPECT_DEATH(gnu_reduction_remap(current(), 1, 0, addresses), "in_reduction");
}

}  // namespace
}  // namespace gossamer::omp
