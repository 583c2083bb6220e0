// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/team/initial.hpp"

namespace gossamer::omp {

namespace {

constexpr Region internal_region = {.internal = true};

}  // namespace

InitialThread::InitialThread(Thread& around, const Icvs& icvs, const League& league)
    : thread_(around.team->level == 0 ? around : parallel_begin(around, 1, false, internal_region)),
      outside_{around.icvs(), around.work.league},
      own_(&thread_ != &around) {
    if (own_) {
        Team& team = *thread_.team;
        team.level = team.active_level = 0;
        team.busy = &busy_;
    }
    Icvs& inside = thread_.change_icvs();
    inside = icvs;
    inside.place_first = outside_.icvs.place_first;
    inside.place_count = outside_.icvs.place_count;
    thread_.work.league = league;
}

InitialThread::~InitialThread() {
    if (own_) {
        thread_.work.league = {};
        parallel_end(thread_);
        return;
    }
    thread_.work.league = outside_.league;
    thread_.change_icvs() = outside_.icvs;
}

}  // namespace gossamer::omp
