// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The method of the EPCC OpenMP microbenchmarks (Bull, 1999), flat and in the nested form of Dimakopoulos, Hadjidoukas
// and Philos (2008): time many uses of a construct around a short delay, and subtract the time of the delays alone under
// the construct's own rules.
// With outer=N each of the N threads of an outer region runs the same measurement at once, with inner teams of
// `threads`.
#pragma once

#include "measure.h"

// The threads that do the delay of one use.
enum Delays {
    delays_none,
    delays_one,    // one thread of each team
    delays_turns,  // one thread of all teams at a time
    delays_all,    // every thread of each team
};

struct Construct {
    const char* name;
    void (*use)(int threads, int parameter, long uses);
    int parameter;  // a loop's chunk; free for the program's use
    enum Delays delays;
    int delays_each;  // the number of delays that each such thread does in one use
};

// The options of every such program; read_epcc_options fills them in.
struct EpccOptions {
    int threads;
    int outer;
    struct Budget budget;
};

enum { usual_delay = 256 };  // cycles of work in a use, unless a use has many delays

// Reads threads=, outer=, delay= (cycles, by default `delay_if_not_given`) and the caller's own options.
struct EpccOptions read_epcc_options(int argc, char** argv, long delay_if_not_given, struct Option* own, int count);

// Busy work of delay= cycles.
void delay(void);

// Measures one construct and writes its line: microseconds of overhead for each use. It subtracts the longer of two
// references: the longest chain of delays in one use, and all delays of the use spread evenly over the cores.
void measure_construct(const char* benchmark, const struct Construct* construct, const struct EpccOptions* options);
