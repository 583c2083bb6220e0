// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <execinfo.h>
#include <gtest/gtest.h>

#include <cfenv>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "arch/fiber_for_test.hpp"

namespace gossamer::arch {
namespace {

void* as_payload(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

TEST(Switch, PayloadsGoBothWays) {
    TestFiber fiber([](TestFiber& self, void* payload) {
        for (;;) payload = self.leave(as_payload(reinterpret_cast<std::uintptr_t>(payload) * 2));
    });
    for (std::uintptr_t i = 1; i < 1000; ++i) EXPECT_EQ(fiber.enter(as_payload(i)), as_payload(2 * i));
}

TEST(Switch, RunsOnTheGivenStackAligned) {
    TestFiber fiber([](TestFiber& self, void*) {
        alignas(16) char aligned[16];
        EXPECT_TRUE(self.holds(stack_pointer()));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) % 16, 0u);
        EXPECT_TRUE(self.holds(aligned));
        self.leave(nullptr);
    });
    EXPECT_FALSE(fiber.holds(stack_pointer()));
    fiber.enter(nullptr);
    EXPECT_FALSE(fiber.holds(stack_pointer()));
}

TEST(Switch, PrepareTakesAnyTop) {
    alignas(64) static char memory[8192];
    static void* inside;
    static void* outside;
    for (std::size_t cut = 0; cut < 32; ++cut) {
        inside = prepare(memory + sizeof memory - cut, [](void* payload) {
            bool aligned = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) % 16 == 0;
            switch_stack(&inside, outside, aligned ? payload : nullptr);
        });
        EXPECT_EQ(switch_stack(&outside, inside, &memory), &memory) << cut;
    }
}

// Each fiber enters the next from its own stack; the way back passes through all of them.
TEST(Switch, ChainOfManyStacks) {
    constexpr std::size_t length = 500;
    std::vector<std::unique_ptr<TestFiber>> chain;
    std::size_t deepest = 0;
    for (std::size_t i = 0; i < length; ++i) {
        chain.push_back(std::make_unique<TestFiber>([&chain, &deepest, i](TestFiber& self, void* payload) {
            for (;;) {
                deepest = std::max(deepest, i);
                auto sum = reinterpret_cast<std::uintptr_t>(payload) + i;
                void* result = i + 1 < length ? chain[i + 1]->enter(as_payload(sum)) : as_payload(sum);
                payload = self.leave(result);
            }
        }));
    }
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(chain[0]->enter(as_payload(7)), as_payload(7 + length * (length - 1) / 2));
    }
    EXPECT_EQ(deepest, length - 1);
}

int suspend_at_each_level(TestFiber& self, int depth) {
    volatile int kept = depth;
    self.leave(as_payload(static_cast<std::uintptr_t>(depth)));
    int below = depth == 0 ? 0 : suspend_at_each_level(self, depth - 1);
    self.leave(as_payload(static_cast<std::uintptr_t>(depth)));
    return below + kept;
}

TEST(Switch, SuspendsAtEveryDepthOfARecursion) {
    constexpr int depth = 300;
    TestFiber fiber([](TestFiber& self, void*) {
        int sum = suspend_at_each_level(self, depth);
        self.leave(as_payload(static_cast<std::uintptr_t>(sum)));
    });
    for (int i = depth; i >= 0; --i) EXPECT_EQ(fiber.enter(nullptr), as_payload(static_cast<std::uintptr_t>(i)));
    for (int i = 0; i <= depth; ++i) EXPECT_EQ(fiber.enter(nullptr), as_payload(static_cast<std::uintptr_t>(i)));
    EXPECT_EQ(fiber.enter(nullptr), as_payload(depth * (depth + 1) / 2));
}

TEST(Switch, RoundingModeBelongsToTheStack) {
    ASSERT_EQ(std::fegetround(), FE_TONEAREST);
    TestFiber fiber([](TestFiber& self, void*) {
        EXPECT_EQ(std::fegetround(), FE_TONEAREST);
        std::fesetround(FE_UPWARD);
        self.leave(nullptr);
        EXPECT_EQ(std::fegetround(), FE_UPWARD);
        self.leave(nullptr);
        EXPECT_EQ(std::fegetround(), FE_UPWARD);
        std::fesetround(FE_DOWNWARD);
        self.leave(nullptr);
        self.leave(nullptr);
    });
    for (int i = 0; i < 3; ++i) {
        fiber.enter(nullptr);
        EXPECT_EQ(std::fegetround(), FE_TONEAREST);
        volatile double one = 1;
        volatile double three = 3;
        EXPECT_EQ(one / three, 1.0 / 3.0);
    }
    std::fesetround(FE_TOWARDZERO);
    fiber.enter(nullptr);
    EXPECT_EQ(std::fegetround(), FE_TOWARDZERO);
    std::fesetround(FE_TONEAREST);
}

TEST(Switch, FreshStackInheritsRoundingModeOfItsMaker) {
    std::fesetround(FE_UPWARD);
    TestFiber fiber([](TestFiber& self, void*) {
        EXPECT_EQ(std::fegetround(), FE_UPWARD);
        self.leave(nullptr);
    });
    std::fesetround(FE_TONEAREST);
    fiber.enter(nullptr);
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

bool within_start(void* address) {
    auto begin = reinterpret_cast<std::uintptr_t>(&gossamer_arch_start);
    auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= begin && at <= begin + 32;
}

[[gnu::noinline]] void collect_backtrace(std::vector<void*>& frames, int depth) {
    if (depth > 0) {
        collect_backtrace(frames, depth - 1);
    } else {
        frames.resize(200);
        frames.resize(static_cast<std::size_t>(backtrace(frames.data(), 200)));
    }
    asm volatile("");  // no tail call: each level has a frame
}

TEST(Switch, BacktraceEndsAtTheFirstFrame) {
    std::vector<void*> frames;
    TestFiber fiber([&frames](TestFiber& self, void*) {
        for (;;) {
            collect_backtrace(frames, 10);
            self.leave(nullptr);
        }
    });
    for (int round = 0; round < 2; ++round) {
        fiber.enter(nullptr);
        ASSERT_GT(frames.size(), 11u);
        ASSERT_LT(frames.size(), 100u);
        // Some unwinders count the frame without a caller, others stop before it.
        bool last = within_start(frames.back());
        bool last_but_one = within_start(frames[frames.size() - 2]);
        EXPECT_TRUE(last || last_but_one);
    }
}

[[gnu::noinline]] void throw_below(int depth) {
    if (depth == 0) throw std::runtime_error("thrown on a fiber");
    throw_below(depth - 1);
    asm volatile("");
}

TEST(Switch, ExceptionsStayOnTheirStack) {
    int caught = 0;
    TestFiber fiber([&caught](TestFiber& self, void*) {
        for (;;) {
            try {
                throw_below(20);
            } catch (const std::runtime_error&) {
                ++caught;
            }
            self.leave(nullptr);
        }
    });
    for (int i = 1; i <= 5; ++i) {
        try {
            fiber.enter(nullptr);
            throw 1;
        } catch (int) {}
        EXPECT_EQ(caught, i);
    }
}

TEST(ShadowStack, IsOffHere) { EXPECT_FALSE(shadow_stack_active()); }

}  // namespace
}  // namespace gossamer::arch
