// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a thread has come in its team's worksharing constructs, and in the
// current one. Only the thread itself reads or writes it, until it has departed.
#pragma once

#include <atomic>
#include <cstdint>

#include "omp/work/held.hpp"
#include "omp/work/loop.hpp"
#include "omp/work/portion.hpp"

namespace gossamer::omp {

struct Doacross;
struct Share;

// Of which team of a league the thread is the initial thread (OpenMP 5.2 §10.2); size 0: of none.
struct League {
    uint32_t num = 0;
    uint32_t size = 0;
};

// Clauses of the next parallel or teams construct that the thread meets: the kmpc ABI passes them by calls of their own. 0: no
// such clause. That construct takes and clears them.
struct Pushed {
    uint32_t num_threads = 0;
    uint32_t bind = 0;               // proc_bind as the ABI numbers it
    uint16_t num_threads_below = 0;  // the rest of num_threads' list, for the levels below (icv/thread_lists.hpp)
    uint32_t num_teams_lower = 0;
    uint32_t num_teams_upper = 0;
    uint32_t thread_limit = 0;
};

// What a thread has last read in a word of posts (doacross.cpp): it need not take the line from the poster again for these.
struct SeenPosts {
    const void* word = nullptr;
    uint64_t value = 0;
};

// Where a thread takes chunks that come in any order.
struct Stealing {
    Portion* portion = nullptr;  // its own
    uint32_t victim = 0;         // the thread from which it steals next
};

// dynamic_ahead (ahead.hpp).
struct Ahead {
    HeldChunks* held;  // the chunks that the thread holds
    uint64_t since;    // when it took them, in arch::cycles
    uint64_t busy;     // the word of the sibling from which it has taken a chunk; 0: it took none
};

struct ThreadWork {
    uint32_t met = 0;                   // constructs with a share that the thread has met in this region, or others left for it
    std::atomic<bool> departed{false};  // see share_depart; reset with the team's count
    uint32_t singles = 0;               // single constructs that it has met in this region
    bool counted_holder = false;        // of its share's `ahead`
    bool took_copyprivate = false;      // it has copied another thread's data since it last met a single construct
    uint16_t even = 0;                  // dynamic_ahead: loops met since the last of the team's `uneven` ones; may begin anew
    Share* share = nullptr;             // of the construct it is in; null outside, and in constructs that need none
    Loop loop;                          // the loop it is in
    Chunk chunk;                        // the iterations that it was given last
    uint64_t round = 0;                 // static schedules: chunks that it has been given; ..._stealing: chunks of the loop;
                                        // dynamic_ahead: chunks that it took last; 0: none yet
    union {
        Stealing stealing = {};  // ..._stealing
        Ahead ahead;             // dynamic_ahead
    };
    uint64_t ordered = 0;             // the iteration it is in, if the ABI tells; otherwise the first of its chunk
    uint64_t passed = 0;              // the first iteration of an ordered loop that it does not know to be passed
    Doacross* doacross = nullptr;     // the doacross nest it is in
    Share* doacross_share = nullptr;  // the share that owns the nest, if that is not `share`
    SeenPosts seen_posts[2];          // of the nest's outer iterations with even and with odd numbers
    League league;
    Pushed pushed;

    // At the start of each region.
    void reset() {
        met = 0;
        singles = 0;
        took_copyprivate = false;
        share = nullptr;
        doacross_share = nullptr;
    }
};

}  // namespace gossamer::omp
