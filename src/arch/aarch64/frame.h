// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Where a suspended stack keeps what: byte offsets from its saved stack pointer, for assembler and C++. */
#pragma once

#define GOSSAMER_FRAME_X29_X30 0
#define GOSSAMER_FRAME_X19_X20 16
#define GOSSAMER_FRAME_X21_X22 32
#define GOSSAMER_FRAME_X23_X24 48
#define GOSSAMER_FRAME_X25_X26 64
#define GOSSAMER_FRAME_X27_X28 80
#define GOSSAMER_FRAME_D8_D9 96
#define GOSSAMER_FRAME_D10_D11 112
#define GOSSAMER_FRAME_D12_D13 128
#define GOSSAMER_FRAME_D14_D15 144
#define GOSSAMER_FRAME_FPCR 160
#define GOSSAMER_FRAME_SIZE 176
