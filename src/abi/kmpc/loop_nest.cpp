// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collapsed loop nests (OpenMP 5.2 §4.4.2): a rectangular one becomes one loop, any other is dealt out here, static and
// without chunks.
#include "abi/kmpc/loop_nest.hpp"
#include "abi/kmpc/kmpc.hpp"

using namespace gossamer;
using abi::Ident;
using abi::LoopBounds;

// Fills in the trip counts; returns their product.
GOSSAMER_EXPORT uint64_t __kmpc_process_loop_nest_rectang(Ident*, int32_t, LoopBounds* loops, int32_t depth) {
    uint64_t total = 1;
    for (int32_t level = 0; level < depth; ++level) {
        // Both bounds depend on the outer variable alike, so any value of it gives the number of iterations.
        loops[level].trips = abi::trips_of(loops[level], 0);
        abi::canonicalize(loops[level]);
        total *= loops[level].trips;
    }
    return total;
}

// The variables of iteration `at` of such a nest.
GOSSAMER_EXPORT void __kmpc_calc_original_ivs_rectang(Ident*, uint64_t at, const LoopBounds* loops, uint64_t* variables,
                                                      int32_t depth) {
    for (int32_t level = depth; level-- > 0;) {
        variables[level] = at % loops[level].trips;
        at /= loops[level].trips;
    }
    for (int32_t level = 0; level < depth; ++level) {
        const LoopBounds& loop = loops[level];
        // The outermost loop names its own variable as the outer one, with the factor zero.
        variables[level] = abi::variable_at(loop, variables[loop.outer], variables[level]);
    }
}

// Deals out a nest: returns 0 if this thread has no iteration. Otherwise the lower_0 of all loops in `chunk` are the variables
// of its first iteration, and the upper_0 those of its last.
GOSSAMER_EXPORT int32_t __kmpc_for_collapsed_init(Ident*, int32_t, LoopBounds* loops, LoopBounds* chunk, int32_t depth,
                                                  int32_t* last) {
    fiber::scheduling_point();
    const omp::Thread& thread = omp::current();
    auto* const variables = static_cast<uint64_t*>(__builtin_alloca(static_cast<size_t>(depth) * sizeof(uint64_t)));
    abi::LoopNest nest(loops, static_cast<uint32_t>(depth), variables);
    const uint64_t count = nest.count();
    const omp::Chunk mine = omp::static_block(count, thread.team->size, thread.num);
    if (last != nullptr) *last = !mine.empty() && mine.end == count;
    if (!mine.empty()) {
        nest.seek(mine.begin);
        for (int32_t level = 0; level < depth; ++level) chunk[level].lower_0 = variables[level];
        nest.seek(mine.end - 1);
        for (int32_t level = 0; level < depth; ++level) chunk[level].upper_0 = variables[level];
    }
    for (int32_t level = 0; level < depth; ++level) {
        LoopBounds& loop = loops[level];
        abi::canonicalize(loop);
        if (mine.empty()) continue;
        const uint64_t first = chunk[level].lower_0;
        const uint64_t end = chunk[level].upper_0;
        chunk[level] = loop;
        chunk[level].lower_0 = first;
        chunk[level].upper_0 = end;
        chunk[level].lower_1 = chunk[level].upper_1 = 0;
    }
    return !mine.empty();
}
