// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

#include "arch/arch.hpp"

namespace gossamer::arch {
namespace {

TEST(SystemCall, TellsTheResult) { EXPECT_EQ(system_call(SYS_getpid, 0, 0, 0, 0), ::getpid()); }

TEST(SystemCall, TellsTheCodeOfAFailureAndKeepsErrno) {
    errno = 42;
    EXPECT_EQ(system_call(SYS_close, -1, 0, 0, 0), -EBADF);
    EXPECT_EQ(errno, 42);
}

TEST(SystemCall, PassesEveryArgument) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const char sent[] = "passed";
    char received[sizeof sent] = {};
    iovec from{const_cast<char*>(sent), sizeof sent};
    // vmsplice(file, pieces, how many, flags): with a wrong one of them nothing, or something else, arrives.
    EXPECT_EQ(system_call(SYS_vmsplice, ends[1], reinterpret_cast<long>(&from), 1, 0), static_cast<long>(sizeof sent));
    EXPECT_EQ(::read(ends[0], received, sizeof received), static_cast<ssize_t>(sizeof sent));
    EXPECT_STREQ(received, sent);
    EXPECT_EQ(system_call(SYS_vmsplice, ends[1], reinterpret_cast<long>(&from), 1, -1), -EINVAL) << "the fourth one counts";
    ::close(ends[0]);
    ::close(ends[1]);
}

}  // namespace
}  // namespace gossamer::arch
