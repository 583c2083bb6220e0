// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much CPU time the process's control groups grant it.
#pragma once

#include <optional>

namespace gossamer::os {

// The tightest quota, in CPUs (1.5 is 150 ms of CPU time each 100 ms), over the process's group and all its
// ancestors, of version 2 (cpu.max) and version 1 (cpu.cfs_quota_us, cpu.cfs_period_us). nullopt: no limit,
// or no control groups. Where the group's path is not visible below mount_root (a container without its own
// namespace), the mount's root stands for it.
std::optional<double> cpu_quota(const char* proc_self_cgroup = "/proc/self/cgroup", const char* mount_root = "/sys/fs/cgroup");

}  // namespace gossamer::os
