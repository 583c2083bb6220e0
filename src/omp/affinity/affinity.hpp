// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Telling where a thread may run (OpenMP 5.2 §18.3.8-11, §21.2.4-5).
#pragma once

#include <string_view>

#include "omp/icv/global_icvs.hpp"
#include "omp/icv/text_sink.hpp"

namespace gossamer::omp {

struct Team;
struct Thread;

// affinity-format-var of the device: a copy of at most 1023 bytes of what it was set to.
void set_affinity_format(std::string_view format);
void get_affinity_format(TextSink& out);

// Writes the fields of a format (table 5.2) for a thread that runs this; an empty one means
// affinity-format-var.
void format_affinity(TextSink& out, std::string_view format, Thread& thread);

// omp_display_affinity: one line to standard error. Does not suspend.
void display_affinity(std::string_view format, Thread& thread);

// OMP_DISPLAY_AFFINITY (§21.2.4): before the threads of `team` start, whether they are to display their lines, all of them: what
// some of them would tell, where it is and in which region, is not what it was to tell last. Takes that for told. Does not suspend.
bool affinity_is_new(Team& team);

}  // namespace gossamer::omp
