// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/fault.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <thread>
#include <vector>

namespace gossamer::os {
namespace {

stack_t present() {
    stack_t seen = {};
    ::sigaltstack(nullptr, &seen);
    return seen;
}

// A thread that has none; a sanitizer gives each one.
class WithNone {
public:
    WithNone() {
        stack_t none = {};
        none.ss_flags = SS_DISABLE;
        ::sigaltstack(&none, &before_);
    }
    ~WithNone() { ::sigaltstack(&before_, nullptr); }

private:
    stack_t before_;
};

TEST(AlternateStack, GoesWithItsMemory) {
    std::thread([] {
        const WithNone none;
        std::vector<char> memory(alternate_stack_size());
        ASSERT_TRUE(use_alternate_stack(memory.data(), memory.size()));
        EXPECT_EQ(present().ss_sp, memory.data());
        EXPECT_FALSE(use_alternate_stack(memory.data(), memory.size())) << "there is one";
        EXPECT_TRUE(drop_alternate_stack(memory.data()));
        EXPECT_NE(present().ss_flags & SS_DISABLE, 0);
    }).join();
}

TEST(AlternateStack, OneThatTheProgramHasPutInItsPlaceStays) {
    std::thread([] {
        const WithNone none;
        std::vector<char> memory(alternate_stack_size()), its(alternate_stack_size());
        ASSERT_TRUE(use_alternate_stack(memory.data(), memory.size()));
        stack_t theirs = {};
        theirs.ss_sp = its.data();
        theirs.ss_size = its.size();
        ASSERT_EQ(::sigaltstack(&theirs, nullptr), 0);
        EXPECT_FALSE(drop_alternate_stack(memory.data()));
        EXPECT_EQ(present().ss_sp, its.data());
        theirs.ss_flags = SS_DISABLE;
        ASSERT_EQ(::sigaltstack(&theirs, nullptr), 0);
        EXPECT_TRUE(drop_alternate_stack(memory.data())) << "it has taken its own away again";
    }).join();
}

}  // namespace
}  // namespace gossamer::os
