// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries that clang 19 does not call, or only in rare combinations, called as other compilers do.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <set>
#include <vector>

#include "omp/omp.hpp"

extern "C" {
using Microtask = void (*)(int32_t*, int32_t*, ...);
void __kmpc_fork_call(void*, int32_t, Microtask, ...);
void __kmpc_fork_call_if(void*, int32_t, Microtask, int32_t, void*);
void __kmpc_push_num_threads(void*, int32_t, int32_t);
void __kmpc_push_num_threads_list(void*, int32_t, uint32_t, int32_t*);
void __kmpc_serialized_parallel(void*, int32_t);
void __kmpc_end_serialized_parallel(void*, int32_t);
void __kmpc_push_num_teams(void*, int32_t, int32_t, int32_t);
void __kmpc_fork_teams(void*, int32_t, Microtask, ...);
int32_t __kmpc_global_thread_num(void*);
int32_t __kmpc_bound_thread_num(void*);
int32_t __kmpc_in_parallel(void*);
void __kmpc_barrier(void*, int32_t);
int32_t __kmpc_barrier_master(void*, int32_t);
void __kmpc_end_barrier_master(void*, int32_t);
int32_t __kmpc_barrier_master_nowait(void*, int32_t);
int32_t __kmpc_single(void*, int32_t);
void* __kmpc_copyprivate_light(void*, int32_t, void*);
int32_t __kmpc_sections_init(void*, int32_t);
int32_t __kmpc_next_section(void*, int32_t, int32_t);
void __kmpc_end_sections(void*, int32_t);
void __kmpc_dispatch_init_4(void*, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t);
int32_t __kmpc_dispatch_next_4(void*, int32_t, int32_t*, int32_t*, int32_t*, int32_t*);
void __kmpc_dispatch_init_8(void*, int32_t, int32_t, int64_t, int64_t, int64_t, int64_t);
void __kmpc_dispatch_deinit(void*, int32_t);
void __kmpc_dist_for_static_init_4(void*, int32_t, int32_t, int32_t*, int32_t*, int32_t*, int32_t*, int32_t*, int32_t, int32_t);
void __kmpc_dist_dispatch_init_8(void*, int32_t, int32_t, int32_t*, int64_t, int64_t, int64_t, int64_t);
int32_t __kmpc_dispatch_next_8(void*, int32_t, int32_t*, int64_t*, int64_t*, int64_t*);
struct DependItem {
    intptr_t address;
    size_t length;
    uint8_t flags;
};
void* __kmpc_omp_task_alloc(void*, int32_t, int32_t, size_t, size_t, int32_t (*)(int32_t, void*));
int32_t __kmpc_omp_task_with_deps(void*, int32_t, void*, int32_t, const DependItem*, int32_t, const DependItem*);
void __kmpc_omp_taskwait(void*, int32_t);
void __kmpc_flush_explicit(void*, int32_t, int32_t);
void __kmpc_team_static_init_4(void*, int32_t, int32_t*, int32_t*, int32_t*, int32_t*, int32_t, int32_t);
}

namespace gossamer {
namespace {

constexpr int32_t threads = 4;

// Runs body(thread number) by a team, through the entry a compiler uses.
template <class Body>
void fork_with_what_was_pushed(const Body& body) {
    void (*const outlined)(int32_t*, int32_t*, const Body*) = [](int32_t* global, int32_t* bound, const Body* run) {
        EXPECT_EQ(*global, __kmpc_global_thread_num(nullptr));
        EXPECT_EQ(*bound, __kmpc_bound_thread_num(nullptr));
        (*run)(*bound);
    };
    __kmpc_fork_call(nullptr, 1, reinterpret_cast<Microtask>(outlined), &body);
}

// `width` 0: as nthreads-var says.
template <class Body>
void parallel(const Body& body, int32_t width = threads) {
    __kmpc_push_num_threads(nullptr, 0, width);
    fork_with_what_was_pushed(body);
}

TEST(KmpcParallel, ForkIf) {
    std::atomic<int> ran{0};
    void (*const outlined)(int32_t*, int32_t*, std::atomic<int>*) = [](int32_t*, int32_t*, std::atomic<int>* count) {
        *count += __kmpc_in_parallel(nullptr) ? 1 : 100;
    };
    __kmpc_push_num_threads(nullptr, 0, threads);
    __kmpc_fork_call_if(nullptr, 1, reinterpret_cast<Microtask>(outlined), 1, &ran);
    EXPECT_EQ(ran, threads);
    // The clause went with the region that was not forked.
    __kmpc_push_num_threads(nullptr, 0, threads);
    __kmpc_fork_call_if(nullptr, 1, reinterpret_cast<Microtask>(outlined), 0, &ran);
    EXPECT_EQ(ran, threads + 100);
    EXPECT_EQ(omp::current().work.pushed.num_threads, 0u);
}

TEST(KmpcParallel, TheLastClauseCounts) {
    int32_t list[] = {3, 2};
    __kmpc_push_num_threads_list(nullptr, 0, 2, list);
    EXPECT_EQ(omp::current().work.pushed.num_threads, 3u);
    __kmpc_push_num_threads(nullptr, 0, -1);
    EXPECT_EQ(omp::current().work.pushed.num_threads, 0u);
}

// Each level takes the next element; the last one holds below.
TEST(KmpcParallel, AListIsForTheLevelsBelow) {
    const auto most = [] { return static_cast<int>(omp::current().icvs().nthreads); };
    const auto width = [] { return static_cast<int>(omp::current().team->size); };
    const int before = most();
    const uint32_t levels = omp::current().icvs().max_active_levels;
    omp::current().change_icvs().max_active_levels = 4;
    for (int region = 0; region < 3; ++region) {
        std::atomic<int> inmost{0};
        int32_t list[] = {3, 2, 4};
        const auto below = [&](int32_t) {
            EXPECT_EQ(width(), 3);
            EXPECT_EQ(most(), 2);
            parallel(
                [&](int32_t) {
                    EXPECT_EQ(width(), 2);
                    EXPECT_EQ(most(), 4);
                    parallel(
                        [&](int32_t) {
                            EXPECT_EQ(width(), 4);
                            EXPECT_EQ(most(), 4);
                            ++inmost;
                        },
                        0);
                },
                0);
        };
        __kmpc_push_num_threads_list(nullptr, 0, 3, list);
        fork_with_what_was_pushed(below);
        EXPECT_EQ(inmost, 24);
        EXPECT_EQ(most(), before);
        // And it went with that region.
        parallel([&](int32_t) { EXPECT_EQ(most(), before); });
    }
    int32_t pair[] = {2, 5};
    __kmpc_push_num_threads_list(nullptr, 0, 2, pair);
    __kmpc_serialized_parallel(nullptr, 0);
    EXPECT_EQ(width(), 1);
    EXPECT_EQ(most(), 5);
    __kmpc_end_serialized_parallel(nullptr, 0);
    EXPECT_EQ(most(), before);
    omp::current().change_icvs().max_active_levels = levels;
}

TEST(KmpcBarrier, OnlyThePrimaryThreadGoesOn) {
    std::atomic<int> value{0};
    parallel([&](int32_t num) {
        for (int round = 1; round <= 50; ++round) {
            if (__kmpc_barrier_master(nullptr, 0)) {
                EXPECT_EQ(num, 0);
                value = round;
                __kmpc_end_barrier_master(nullptr, 0);
            } else {
                EXPECT_NE(num, 0);
            }
            EXPECT_EQ(value, round);
            EXPECT_EQ(__kmpc_barrier_master_nowait(nullptr, 0), num == 0);
        }
    });
}

TEST(KmpcSingle, CopyprivateLightGivesEveryoneTheData) {
    int source[50];
    parallel([&](int32_t) {
        for (int& at : source) {
            void* const data = __kmpc_single(nullptr, 0) ? &at : nullptr;
            EXPECT_EQ(__kmpc_copyprivate_light(nullptr, 0, data), &at);
            __kmpc_barrier(nullptr, 0);
        }
    });
}

TEST(KmpcSections, EachOnce) {
    constexpr int32_t sections = 30;
    std::vector<std::atomic<int>> executed(sections);
    for (const int32_t width : {1, 4}) {
        for (auto& times : executed) times = 0;
        parallel(
            [&](int32_t) {
                if (__kmpc_sections_init(nullptr, 0) == 0) {
                    EXPECT_EQ(width, 1);
                    for (auto& times : executed) ++times;
                } else {
                    for (int32_t at; (at = __kmpc_next_section(nullptr, 0, sections)) < sections;) {
                        ++executed[static_cast<size_t>(at)];
                    }
                }
                __kmpc_end_sections(nullptr, 0);
            },
            width);
        for (const auto& times : executed) EXPECT_EQ(times, 1);
    }
}

// "No merge" schedules give single chunks to a team of one too.
TEST(KmpcDispatch, UnmergedChunks) {
    constexpr int32_t unmerged_dynamic = 163;
    __kmpc_dispatch_init_4(nullptr, 0, unmerged_dynamic, 10, 1, -3, 2);
    std::vector<std::vector<int32_t>> chunks;
    int32_t last = 0, lower = 0, upper = 0, stride = 0;
    while (__kmpc_dispatch_next_4(nullptr, 0, &last, &lower, &upper, &stride)) chunks.push_back({lower, upper, last});
    EXPECT_EQ(chunks, (std::vector<std::vector<int32_t>>{{10, 7, 0}, {4, 1, 1}}));
    EXPECT_EQ(stride, -3);
}

// schedule(simd:runtime) under OMP_SCHEDULE=static,2: chunks of two simd widths, in turn.
TEST(KmpcDispatch, SimdRuntimeStaticChunks) {
    constexpr int32_t runtime_simd = 47;
    const omp::Schedule before = omp::current().icvs().run_schedule();
    omp::current().change_icvs().set_run_schedule({omp::ScheduleKind::static_, omp::Ordering::unsaid, 2});
    std::atomic<int> iterations{0};
    parallel([&](int32_t num) {
        int32_t last = 0, lower = 0, upper = 0, stride = 0;
        __kmpc_dispatch_init_4(nullptr, 0, runtime_simd, 0, 68, 1, 4);
        for (int32_t round = 0; __kmpc_dispatch_next_4(nullptr, 0, &last, &lower, &upper, &stride); ++round) {
            EXPECT_EQ(lower, (round * threads + num) * 8);
            EXPECT_EQ(upper, last ? 68 : lower + 7);
            iterations += upper - lower + 1;
        }
    });
    omp::current().change_icvs().set_run_schedule(before);
    EXPECT_EQ(iterations, 69);
}

// The chunk of schedule(simd:runtime) that does not fit in 64 bits holds any loop.
TEST(KmpcDispatch, SimdRuntimeChunksDoNotWrap) {
    constexpr int32_t runtime_simd = 47;
    const omp::Schedule before = omp::current().icvs().run_schedule();
    omp::current().change_icvs().set_run_schedule({omp::ScheduleKind::dynamic, omp::Ordering::unsaid, 4});
    std::atomic<int> chunks{0};
    parallel([&](int32_t) {
        int64_t lower = 0, upper = 0, stride = 0;
        __kmpc_dispatch_init_8(nullptr, 0, runtime_simd, 0, 68, 1, int64_t{1} << 62);
        while (__kmpc_dispatch_next_8(nullptr, 0, nullptr, &lower, &upper, &stride)) {
            EXPECT_EQ(lower, 0);
            EXPECT_EQ(upper, 68);
            ++chunks;
        }
    });
    omp::current().change_icvs().set_run_schedule(before);
    EXPECT_EQ(chunks, 1);
}

// A loop that is left before its end, as a cancelled one is, does not disturb those behind it.
TEST(KmpcDispatch, LeftEarly) {
    constexpr int32_t dynamic = 35;
    std::atomic<int> iterations{0};
    parallel([&](int32_t) {
        int32_t last = 0, lower = 0, upper = 0, stride = 0;
        for (int loop = 0; loop < 40; ++loop) {
            __kmpc_dispatch_init_4(nullptr, 0, dynamic, 0, 99, 1, 1);
            __kmpc_dispatch_next_4(nullptr, 0, &last, &lower, &upper, &stride);
            if (loop % 2 == 0) __kmpc_dispatch_deinit(nullptr, 0);
        }
        __kmpc_dispatch_init_4(nullptr, 0, dynamic, 0, 99, 1, 1);
        while (__kmpc_dispatch_next_4(nullptr, 0, &last, &lower, &upper, &stride)) iterations += upper - lower + 1;
    });
    EXPECT_EQ(iterations, 100);
}

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// How deep a waiting thread lies decides whether its returns are predicted (docs/decisions/0034-as-deep-in-calls.md). There is
// a function for each number of arguments between a thread's body and the microtask, but none that is returned to.
TEST(KmpcParallel, MicrotasksOfAnyNumberOfArgumentsReturnToOnePlace) {
    std::atomic<int> seen{0};
    std::atomic<uintptr_t> places[2] = {};
    struct Shared {
        std::atomic<int>& seen;
        std::atomic<uintptr_t>* places;
        // By all threads but the primary one, which the construct calls.
        void note(const int32_t* number, int which, void* place) {
            if (*number == 0) return;
            places[which] = reinterpret_cast<uintptr_t>(place);
            ++seen;
        }
    } shared{seen, places};
    void (*const with_one)(int32_t*, int32_t*, Shared*) = [](int32_t*, int32_t* bound, Shared* to) {
        to->note(bound, 0, __builtin_return_address(0));
    };
    void (*const with_two)(int32_t*, int32_t*, Shared*, void*) = [](int32_t*, int32_t* bound, Shared* to, void*) {
        to->note(bound, 1, __builtin_return_address(0));
    };
    parallel([&](int32_t) {  // the threads of nested teams have their body from one place
        __kmpc_push_num_threads(nullptr, 0, threads);
        __kmpc_fork_call(nullptr, 1, reinterpret_cast<Microtask>(with_one), &shared);
        __kmpc_push_num_threads(nullptr, 0, threads);
        __kmpc_fork_call(nullptr, 2, reinterpret_cast<Microtask>(with_two), &shared, &shared);
    });
    EXPECT_EQ(seen, 2 * threads * (threads - 1));
    EXPECT_EQ(places[0], places[1]);
}
#endif

// The league's teams and their threads together run every iteration once.
struct Shared {
    std::vector<std::atomic<int>> seen;
    std::atomic<int> last_flags{0};
    explicit Shared(size_t iterations) : seen(iterations) {}
    void expect_all_once() const {
        for (size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], 1) << i;
    }
};

void league(int32_t teams, Shared& shared, void (*body)(int32_t*, int32_t*, Shared*)) {
    __kmpc_push_num_teams(nullptr, 0, teams, 0);
    __kmpc_fork_teams(nullptr, 1, reinterpret_cast<Microtask>(body), &shared);
}

TEST(KmpcDistribute, ParallelForStatic) {
    Shared shared(101);
    league(3, shared, [](int32_t*, int32_t*, Shared* all) {
        parallel([&](int32_t) {
            int32_t last = 0, lower = 0, upper = 100, team_upper = 0, stride = 0;
            __kmpc_dist_for_static_init_4(nullptr, 0, 34, &last, &lower, &upper, &team_upper, &stride, 1, 0);
            for (int32_t i = lower; i <= upper; ++i) ++all->seen[static_cast<size_t>(i)];
            all->last_flags += last;
            EXPECT_LE(upper, team_upper);
        });
    });
    shared.expect_all_once();
    EXPECT_EQ(shared.last_flags, 1);
}

TEST(KmpcDistribute, ParallelForDynamic) {
    Shared shared(100);
    league(3, shared, [](int32_t*, int32_t*, Shared* all) {
        parallel([&](int32_t) {
            int32_t team_last = 0, last = 0;
            int64_t lower = 0, upper = 0, stride = 0;
            __kmpc_dist_dispatch_init_8(nullptr, 0, 35, &team_last, 0, 99, 1, 4);
            while (__kmpc_dispatch_next_8(nullptr, 0, &last, &lower, &upper, &stride)) {
                for (int64_t i = lower; i <= upper; ++i) ++all->seen[static_cast<size_t>(i)];
                all->last_flags += last && team_last;
            }
        });
    });
    shared.expect_all_once();
    EXPECT_EQ(shared.last_flags, 1);
}

TEST(KmpcDistribute, ChunksOfTeams) {
    Shared shared(100);
    league(3, shared, [](int32_t*, int32_t*, Shared* all) {
        int32_t last = 0, lower = 0, upper = 99, stride = 0;
        __kmpc_team_static_init_4(nullptr, 0, &last, &lower, &upper, &stride, 1, 7);
        all->last_flags += last;
        for (; lower <= 99; lower += stride, upper += stride) {
            for (int32_t i = lower; i <= upper && i <= 99; ++i) ++all->seen[static_cast<size_t>(i)];
        }
    });
    shared.expect_all_once();
    EXPECT_EQ(shared.last_flags, 1);
}

// A record as a compiler allocates one: the library's fields, then a pointer of the task's own.
struct Record {
    void* shareds;
    void* routine;
    int32_t part;
    void* data[2];
    std::atomic<int>* steps;
};

void submit(int32_t (*routine)(int32_t, void*), std::atomic<int>* steps, DependItem item) {
    auto* const record = static_cast<Record*>(__kmpc_omp_task_alloc(nullptr, 0, 1, sizeof(Record), 0, routine));
    record->steps = steps;
    __kmpc_omp_task_with_deps(nullptr, 0, record, 1, &item, 0, nullptr);
}

// Address -1 is omp_all_memory: the second task comes after the first, which names another address and takes its time.
TEST(KmpcTask, AllMemoryByAddress) {
    std::atomic<int> steps{0};
    parallel([&](int32_t num) {
        if (num != 0) return;
        constexpr uint8_t in = 1, out = 2;
        int there = 0;
        submit(
            [](int32_t, void* record) {
                usleep(20000);
                ++*static_cast<Record*>(record)->steps;
                return 0;
            },
            &steps, {reinterpret_cast<intptr_t>(&there), 0, in});
        submit(
            [](int32_t, void* record) {
                EXPECT_EQ(*static_cast<Record*>(record)->steps, 1);
                return 0;
            },
            &steps, {-1, 0, out});
        __kmpc_omp_taskwait(nullptr, 0);
    });
    EXPECT_EQ(steps, 1);
}

// A task without a routine is what some compilers make of taskwait with depend and nowait: it orders others, and no more.
TEST(KmpcTask, NoRoutine) {
    std::atomic<int> steps{0};
    parallel([&](int32_t num) {
        if (num != 0) return;
        constexpr uint8_t out = 2;
        int there = 0;
        const DependItem item{reinterpret_cast<intptr_t>(&there), 0, out};
        const auto count = [](int32_t, void* record) {
            ++*static_cast<Record*>(record)->steps;
            return 0;
        };
        submit(count, &steps, item);
        submit(nullptr, &steps, item);
        submit(count, &steps, item);
        __kmpc_omp_taskwait(nullptr, 0);
        EXPECT_EQ(steps, 2);
    });
}

// A thread that waits for its sibling with nothing but this goes on, on however few processors.
TEST(KmpcFlush, WithOrderAndScope) {
    std::atomic<int> data{0}, turn{0};  // both relaxed: the flushes order them, which sanitizers do not follow
    parallel([&](int32_t num) {
        for (int round = 0; round < 100; ++round) {
            while (turn.load(std::memory_order_relaxed) != round * threads + num) {
                __kmpc_flush_explicit(nullptr, __ATOMIC_ACQUIRE, 0);
            }
            __kmpc_flush_explicit(nullptr, __ATOMIC_ACQ_REL, 0);
            data.store(data.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
            __kmpc_flush_explicit(nullptr, __ATOMIC_RELEASE, 0);
            turn.store(round * threads + num + 1, std::memory_order_relaxed);
        }
    });
    EXPECT_EQ(data.load(), 100 * threads);
}

}  // namespace
}  // namespace gossamer
