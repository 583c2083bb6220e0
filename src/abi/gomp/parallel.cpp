// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parallel construct, alone and combined with a loop or sections (OpenMP 5.2 §10.1, §17).
//
// Programs of old compilers call a _start entry, execute the primary thread's part themselves and call GOMP_parallel_end. Then
// the Call has to outlive the entry, so it lies in memory that GOMP_parallel_end frees.
#include <cstdlib>

#include "abi/bind_clause.hpp"
#include "abi/gomp/loop.hpp"
#include "abi/gomp/sections.hpp"

using namespace gossamer;
using abi::Function;

namespace {

// What a thread of the region does before it calls the function.
enum class With : uint8_t { nothing, loop, sections };

struct Call {
    Function function;
    void* data;
    With with = With::nothing;
    omp::Loop loop = {};  // count only, for sections
};

// Begins the combined construct: the outlined function starts with a request for the next chunk or section.
void enter(omp::Thread& thread, const Call& call) {
    if (call.with == With::loop) omp::loop_start(thread, call.loop);
    if (call.with == With::sections) abi::start_sections(thread, static_cast<unsigned>(call.loop.count));
}

// A combined construct in words that the team keeps: they are written only where they differ from the last region's, and so
// stay in the caches of its threads. All but the function, which comes with a thread's start.
class KeptCall {
public:
    explicit KeptCall(const Call& call)
        : words_{call.data,
                 word(call.loop.base),
                 word(call.loop.step),
                 word(call.loop.bound),
                 word(call.loop.count),
                 word(call.loop.chunk),
                 word(static_cast<uint64_t>(call.with) | static_cast<uint64_t>(call.loop.partition) << 8 |
                      uint64_t{call.loop.monotonic} << 16 | uint64_t{call.loop.merged} << 17 |
                      uint64_t{call.loop.ordered} << 18 | uint64_t{call.loop.site} << 24)} {}

    void** words() { return words_; }

    static Call call(void* function, void* const* words) {
        const auto number = [words](int at) { return reinterpret_cast<uintptr_t>(words[at]); };
        const uint64_t how = number(6);
        const omp::Loop loop{number(1),
                             number(2),
                             number(3),
                             number(4),
                             number(5),
                             static_cast<omp::Partition>(how >> 8 & 0xff),
                             (how >> 16 & 1) != 0,
                             (how >> 17 & 1) != 0,
                             (how >> 18 & 1) != 0,
                             static_cast<uint8_t>(how >> 24)};
        return {reinterpret_cast<Function>(function), words[0], static_cast<With>(how & 0xff), loop};
    }

    static constexpr uint32_t count = 7;

private:
    static void* word(uint64_t number) { return reinterpret_cast<void*>(number); }

    void* words_[count];
};
static_assert(KeptCall::count <= omp::Team::most_words);

void run(omp::Thread& thread, const Call& call) {
    enter(thread, call);
    call.function(call.data);
}

void run_kept(omp::Thread& thread, void* function, void* data) {
    run(thread, KeptCall::call(function, static_cast<void* const*>(data)));
}

// For a region that a _start entry has begun.
void run_started(omp::Thread& thread, void*, void* data) { run(thread, *static_cast<const Call*>(data)); }

// For a region that is no combined construct: all that a thread needs comes with its start.
void run_function(omp::Thread&, void* function, void* data) { reinterpret_cast<Function>(function)(data); }

void parallel(unsigned threads, const Call& call, unsigned flags) {
    KeptCall kept(call);
    omp::parallel(
        omp::current(), threads, true,
        {run_kept, kept.words(), abi::bind_clause(flags & 7), KeptCall::count, reinterpret_cast<void*>(call.function)});
}

void parallel_start(unsigned threads, const Call& call) {
    auto* const kept = static_cast<Call*>(std::malloc(sizeof(Call)));
    if (kept == nullptr) fatal("no memory left to start a parallel region");
    *kept = call;
    enter(omp::parallel_begin(omp::current(), threads, true, {run_started, kept}), *kept);
}

Call loop_call(Function function, void* data, long lower, long upper, long step, long sched, long chunk) {
    Call call{function, data, With::loop, abi::make_loop(lower, upper, step)};
    call.loop.site = omp::loop_site(reinterpret_cast<const void*>(function));
    abi::choose(call.loop, omp::current().icvs(), sched, abi::given_chunk(chunk));
    return call;
}

Call sections_call(Function function, void* data, unsigned count) {
    Call call{function, data, With::sections};
    call.loop.count = count;
    return call;
}

}  // namespace

// threads 0: no num_threads clause; 1 also means that the if clause is false. The flags hold the proc_bind clause.
GOSSAMER_EXPORT void GOMP_parallel(Function function, void* data, unsigned threads, unsigned flags) {
    omp::parallel(omp::current(), threads, true,
                  {run_function, data, abi::bind_clause(flags & 7), 0, reinterpret_cast<void*>(function)});
}

GOSSAMER_EXPORT void GOMP_parallel_start(Function function, void* data, unsigned threads) {
    parallel_start(threads, {function, data});
}

GOSSAMER_EXPORT void GOMP_parallel_end() {
    omp::Thread& thread = omp::current();
    void* const kept = thread.team->region.data;
    omp::parallel_end(thread);
    std::free(kept);
}

#define LOOP(name, sched)                                                                                                   \
    GOSSAMER_EXPORT void GOMP_parallel_loop_##name(Function function, void* data, unsigned threads, long lower, long upper, \
                                                   long step, long chunk, unsigned flags) {                                 \
        parallel(threads, loop_call(function, data, lower, upper, step, sched, chunk), flags);                              \
    }
#define LOOP_RUNTIME(name, sched)                                                                                           \
    GOSSAMER_EXPORT void GOMP_parallel_loop_##name(Function function, void* data, unsigned threads, long lower, long upper, \
                                                   long step, unsigned flags) {                                             \
        parallel(threads, loop_call(function, data, lower, upper, step, sched, 0), flags);                                  \
    }
#define LOOP_START(name, sched)                                                                                         \
    GOSSAMER_EXPORT void GOMP_parallel_loop_##name##_start(Function function, void* data, unsigned threads, long lower, \
                                                           long upper, long step, long chunk) {                         \
        parallel_start(threads, loop_call(function, data, lower, upper, step, sched, chunk));                           \
    }

LOOP(static, abi::sched_static)
LOOP(dynamic, abi::sched_dynamic | abi::sched_monotonic)
LOOP(guided, abi::sched_guided | abi::sched_monotonic)
LOOP(nonmonotonic_dynamic, abi::sched_dynamic)
LOOP(nonmonotonic_guided, abi::sched_guided)
LOOP_RUNTIME(runtime, abi::sched_runtime | abi::sched_monotonic)
LOOP_RUNTIME(nonmonotonic_runtime, abi::sched_auto)
LOOP_RUNTIME(maybe_nonmonotonic_runtime, abi::sched_runtime)
LOOP_START(static, abi::sched_static)
LOOP_START(dynamic, abi::sched_dynamic | abi::sched_monotonic)
LOOP_START(guided, abi::sched_guided | abi::sched_monotonic)

GOSSAMER_EXPORT void GOMP_parallel_loop_runtime_start(Function function, void* data, unsigned threads, long lower, long upper,
                                                      long step) {
    parallel_start(threads, loop_call(function, data, lower, upper, step, abi::sched_runtime | abi::sched_monotonic, 0));
}

GOSSAMER_EXPORT void GOMP_parallel_sections(Function function, void* data, unsigned threads, unsigned count, unsigned flags) {
    parallel(threads, sections_call(function, data, count), flags);
}

GOSSAMER_EXPORT void GOMP_parallel_sections_start(Function function, void* data, unsigned threads, unsigned count) {
    parallel_start(threads, sections_call(function, data, count));
}
