// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Displaying where a thread may run (OpenMP 5.2 §18.3.8-11, §21.2.4-5).
#pragma once

#include <string_view>

#include "omp/icv/global_icvs.hpp"
#include "omp/icv/text_sink.hpp"

namespace gossamer::omp {

struct Team;
struct Thread;

// affinity-format-var of the device. `set` keeps a copy of at most 1023 bytes.
void set_affinity_format(std::string_view format);
void get_affinity_format(TextSink& out);
void forget_affinity_format_lock();  // in the child of a fork, whose parent's other threads may have held it

// Writes a format, with its fields (table 5.2) filled in for `thread`, which is the caller; an empty format means
// affinity-format-var.
void format_affinity(TextSink& out, std::string_view format, Thread& thread);

// omp_display_affinity: one line to standard error. Never suspends.
void display_affinity(std::string_view format, Thread& thread);

// OMP_DISPLAY_AFFINITY (§21.2.4), before the threads of `team` start: whether all of them have to display their lines, because
// some thread's place or region differs from what it displayed last. Remembers the new ones. Never suspends.
bool affinity_is_new(Team& team);

}  // namespace gossamer::omp
