// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which CPUs share what, and the machine's name.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gossamer::os {

// What CPUs of one group have in common, from the smallest group to the largest.
enum class Domain : std::uint8_t { thread, core, last_cache, numa_node, socket };

// A number that all CPUs of one group share and no other group has. Reads a file or two at each call. Where
// the system does not tell: each CPU is a core of its own, and all are in one group of each larger kind.
unsigned group_of(Domain domain, unsigned cpu, const char* root = "/sys/devices/system");

// The machine's name, cut to fit, with a terminating zero; "localhost" where there is none. size > 0.
void host_name(char* buffer, std::size_t size);

}  // namespace gossamer::os
