// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime in the OpenMP specification's terms; what the ABI layer calls.
#pragma once

#include "omp/affinity/affinity.hpp"
#include "omp/affinity/places.hpp"
#include "omp/icv/icv.hpp"
#include "omp/icv/settings.hpp"
#include "omp/memory/allocator.hpp"
#include "omp/memory/tracked.hpp"
#include "omp/sync/barrier.hpp"
#include "omp/sync/critical.hpp"
#include "omp/sync/lock.hpp"
#include "omp/sync/nest_lock.hpp"
#include "omp/sync/reduction.hpp"
#include "omp/sync/threadprivate.hpp"
#include "omp/task/cancel.hpp"
#include "omp/task/depend.hpp"
#include "omp/task/task_reduction.hpp"
#include "omp/task/taskgroup.hpp"
#include "omp/task/tasking.hpp"
#include "omp/task/taskloop.hpp"
#include "omp/team/ancestors.hpp"
#include "omp/team/bound.hpp"
#include "omp/team/team.hpp"
#include "omp/thread/root.hpp"
#include "omp/thread/thread.hpp"
#include "omp/work/work.hpp"
