// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/team/initial.hpp"

namespace gossamer::omp {

namespace {

constexpr Region internal_region = {.internal = true};

}  // namespace

InitialThread::InitialThread(Thread& around, const Icvs& icvs, const League& league)
    : thread_(parallel_begin(around, 1, false, internal_region)) {
    Team& team = *thread_.team;
    team.level = team.active_level = 0;
    team.busy = &busy_;
    Icvs& own = thread_.change_icvs();
    own = icvs;
    own.place_first = around.icvs().place_first;
    own.place_count = around.icvs().place_count;
    thread_.work.league = league;
}

InitialThread::~InitialThread() {
    thread_.work.league = {};
    parallel_end(thread_);
}

}  // namespace gossamer::omp
