// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ancestors of a thread, by nesting level: the thread itself at its own level, the thread that met its team's construct one
// level further out, and so on to the initial thread at level 0.
#pragma once

#include <cstdint>

#include "omp/team/team.hpp"

namespace gossamer::omp {

// The ancestor at a level; nullptr where there is no such level.
inline const Thread* ancestor(const Thread& thread, std::int32_t level) {
    if (level < 0 || level > static_cast<std::int32_t>(thread.team->level)) return nullptr;
    const Thread* at = &thread;
    while (static_cast<std::int32_t>(at->team->level) > level) at = at->team->parent;
    return at;
}

// omp_get_ancestor_thread_num (OpenMP 5.2 §18.2.18) and omp_get_team_size (§18.2.19): -1 where there is no
// such level.
inline std::int32_t ancestor_num(const Thread& thread, std::int32_t level) {
    const Thread* at = ancestor(thread, level);
    return at == nullptr ? -1 : static_cast<std::int32_t>(at->num);
}

inline std::int32_t ancestor_team_size(const Thread& thread, std::int32_t level) {
    const Thread* at = ancestor(thread, level);
    return at == nullptr ? -1 : static_cast<std::int32_t>(at->team->size);
}

// The league that the thread's contention group belongs to; its size is 0 outside of a teams region.
inline League league_of(const Thread& thread) {
    for (const Thread* at = &thread; at != nullptr; at = at->team->parent) {
        if (at->work.league.size != 0) return at->work.league;
    }
    return {};
}

// omp_get_team_num and omp_get_num_teams (§18.4.1-2).
inline std::uint32_t team_num(const Thread& thread) { return league_of(thread).num; }
inline std::uint32_t num_teams(const Thread& thread) {
    std::uint32_t size = league_of(thread).size;
    return size == 0 ? 1 : size;
}

}  // namespace gossamer::omp
