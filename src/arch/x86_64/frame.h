// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Where a suspended stack keeps what: byte offsets from its saved stack pointer, for assembler and C++. */
#pragma once

#define GOSSAMER_FRAME_MXCSR 0
#define GOSSAMER_FRAME_X87_CONTROL 4
#define GOSSAMER_FRAME_R15 8
#define GOSSAMER_FRAME_R14 16
#define GOSSAMER_FRAME_R13 24
#define GOSSAMER_FRAME_R12 32
#define GOSSAMER_FRAME_RBX 40
#define GOSSAMER_FRAME_RBP 48
#define GOSSAMER_FRAME_RETURN 56
#define GOSSAMER_FRAME_SIZE 64
