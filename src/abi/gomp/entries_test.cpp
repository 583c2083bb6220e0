// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries that only programs of older or coming compilers call, called as those programs do.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>

#include "abi/gomp/loop.hpp"
#include "omp/omp.hpp"

extern "C" {
void GOMP_interop(int, int, void***, const void*, const void*, int, void**, int, void***, unsigned, void**);
void* GOMP_target_map_indirect_ptr(void*);
void GOMP_parallel_start(void (*)(void*), void*, unsigned);
void GOMP_parallel_end();
void GOMP_parallel_loop_static_start(void (*)(void*), void*, unsigned, long, long, long, long);
void GOMP_parallel_loop_dynamic_start(void (*)(void*), void*, unsigned, long, long, long, long);
void GOMP_parallel_loop_guided_start(void (*)(void*), void*, unsigned, long, long, long, long);
void GOMP_parallel_loop_runtime_start(void (*)(void*), void*, unsigned, long, long, long);
void GOMP_parallel_sections_start(void (*)(void*), void*, unsigned, unsigned);
bool GOMP_loop_static_next(long*, long*);
bool GOMP_loop_dynamic_next(long*, long*);
bool GOMP_loop_guided_next(long*, long*);
bool GOMP_loop_runtime_next(long*, long*);
bool GOMP_loop_dynamic_start(long, long, long, long, long*, long*);
bool GOMP_loop_ull_dynamic_start(bool, unsigned long long, unsigned long long, unsigned long long, unsigned long long,
                                 unsigned long long*, unsigned long long*);
bool GOMP_loop_ull_dynamic_next(unsigned long long*, unsigned long long*);
void GOMP_loop_end();
void GOMP_loop_end_nowait();
unsigned GOMP_sections_next();
void GOMP_sections_end_nowait();
bool GOMP_single_start_with_end();
void GOMP_single_end();
bool GOMP_has_masked_thread_num(int);
void GOMP_masked_end();
void GOMP_barrier_ext(int);
__complex__ int GOMP_loop_static_worksharing(unsigned long long);
__complex__ int GOMP_distribute_static_worksharing(unsigned long long);
bool GOMP_teams4(unsigned, unsigned, unsigned, bool);
void GOMP_task(void (*)(void*), void*, void (*)(void*, void*), long, long, bool, unsigned, void**, int, void*);
void GOMP_target_ext(int, void (*)(void*), size_t, void**, size_t*, unsigned short*, unsigned, void**, void**);
unsigned GOMP_parallel_reductions(void (*)(void*), void*, unsigned, unsigned);
void GOMP_taskgroup_reduction_unregister(uintptr_t*);
}

namespace gossamer {
namespace {

constexpr unsigned threads = 4;

struct Work {
    bool (*next)(long*, long*) = nullptr;
    std::atomic<int> calls{0};
    std::atomic<long> sum{0};
};

TEST(OldGompEntries, ParallelInTwoHalves) {
    const auto function = [](void* data) {
        EXPECT_EQ(omp::current().team->size, threads);
        ++static_cast<Work*>(data)->calls;
    };
    Work work;
    for (int region = 1; region <= 20; ++region) {
        GOMP_parallel_start(function, &work, threads);
        EXPECT_EQ(omp::current().team->size, threads);
        function(&work);
        GOMP_parallel_end();
        EXPECT_EQ(work.calls, region * static_cast<int>(threads));
        EXPECT_EQ(omp::current().team->size, 1u);
    }
}

void add_up(void* data) {
    Work& work = *static_cast<Work*>(data);
    ++work.calls;
    long begin = 0;
    long end = 0;
    while (work.next(&begin, &end)) {
        for (long i = begin; i > end; i -= 3) work.sum += i;
    }
    GOMP_loop_end_nowait();
}

// for (i = 100; i > -50; i -= 3)
constexpr long lower = 100, upper = -50, step = -3;
constexpr long expected = 50 * (100 + -47) / 2;

void expect_all(Work& work) {
    add_up(&work);
    GOMP_parallel_end();
    EXPECT_EQ(work.calls, static_cast<int>(threads));
    EXPECT_EQ(work.sum, expected);
}

TEST(OldGompEntries, CombinedLoopsInTwoHalves) {
    for (const long chunk : {0, 1, 7}) {
        Work with_static{GOMP_loop_static_next};
        GOMP_parallel_loop_static_start(add_up, &with_static, threads, lower, upper, step, chunk);
        expect_all(with_static);
        Work with_dynamic{GOMP_loop_dynamic_next};
        GOMP_parallel_loop_dynamic_start(add_up, &with_dynamic, threads, lower, upper, step, chunk);
        expect_all(with_dynamic);
        Work with_guided{GOMP_loop_guided_next};
        GOMP_parallel_loop_guided_start(add_up, &with_guided, threads, lower, upper, step, chunk);
        expect_all(with_guided);
    }
    Work with_runtime{GOMP_loop_runtime_next};
    GOMP_parallel_loop_runtime_start(add_up, &with_runtime, threads, lower, upper, step);
    expect_all(with_runtime);
}

TEST(OldGompEntries, CombinedSectionsInTwoHalves) {
    const auto function = [](void* data) {
        while (const unsigned section = GOMP_sections_next()) static_cast<Work*>(data)->sum += 1L << section;
        GOMP_sections_end_nowait();
    };
    Work work;
    GOMP_parallel_sections_start(function, &work, threads, 10);
    function(&work);
    GOMP_parallel_end();
    EXPECT_EQ(work.sum, (1L << 11) - 2);
}

// The end of the last chunk must not wrap where the next iteration would not fit the type.
TEST(GompLoops, LastChunkEndsAtTheProgramsBound) {
    long begin = 0;
    long end = 0;
    ASSERT_TRUE(GOMP_loop_dynamic_start(INT64_MAX - 10, INT64_MAX, 7, 100, &begin, &end));
    EXPECT_EQ(begin, INT64_MAX - 10);
    EXPECT_EQ(end, INT64_MAX);
    EXPECT_FALSE(GOMP_loop_dynamic_next(&begin, &end));
    GOMP_loop_end();

    unsigned long long from = 0;
    unsigned long long to = 0;
    ASSERT_TRUE(GOMP_loop_ull_dynamic_start(false, 10, 0, -3ull, 1, &from, &to));
    EXPECT_EQ(from, 10u);
    EXPECT_EQ(to, 0u);
    EXPECT_FALSE(GOMP_loop_ull_dynamic_next(&from, &to));
    GOMP_loop_end();
}

// A thread takes chunks ahead only where nobody has said that they come one by one.
TEST(GompLoops, ChunksAheadOnlyWhereNobodyHasSaidMonotonic) {
    using omp::Ordering, omp::Partition;
    omp::Icvs icvs;
    const auto partition = [&icvs](long sched, Ordering setting = Ordering::unsaid, bool ordered = false) {
        icvs.schedule_kind = omp::ScheduleKind::dynamic;
        icvs.schedule_ordering = setting;
        omp::Loop loop;
        loop.ordered = ordered;
        abi::choose(loop, icvs, sched, 1);
        return loop.partition;
    };
    EXPECT_EQ(partition(abi::sched_dynamic), Partition::dynamic_ahead);
    EXPECT_EQ(partition(abi::sched_dynamic, Ordering::monotonic), Partition::dynamic_ahead) << "not at run time";
    EXPECT_EQ(partition(abi::sched_dynamic | abi::sched_monotonic), Partition::dynamic);
    EXPECT_EQ(partition(abi::sched_dynamic, Ordering::unsaid, true), Partition::dynamic);
    EXPECT_EQ(partition(abi::sched_runtime), Partition::dynamic_ahead);
    EXPECT_EQ(partition(abi::sched_runtime, Ordering::monotonic), Partition::dynamic);
    EXPECT_EQ(partition(abi::sched_runtime | abi::sched_monotonic), Partition::dynamic);
    EXPECT_EQ(partition(abi::sched_auto, Ordering::monotonic), Partition::dynamic);
}

// While the program copies its arguments, a task is the generating thread's, which counts its children without atomics. Behind
// that it is nobody's: another thread may execute it, and that one's children count themselves off from elsewhere.
TEST(GompTask, IsNobodysOnceItIsCopied) {
    struct Copied {
        std::atomic<int>* executed;
        omp::Task** task;
    };
    std::atomic<bool> release{false};
    // Has no time for tasks.
    const auto busy = [](void* data) {
        while (!static_cast<std::atomic<bool>*>(data)->load()) {}
    };
    const auto copy = [](void* to, void* from) {
        const Copied& copied = *::new (to) Copied(*static_cast<Copied*>(from));
        *copied.task = omp::current().task;
        EXPECT_EQ((*copied.task)->executor.load(), &omp::current());
    };
    const auto block = [](void* data) { ++*static_cast<Copied*>(data)->executed; };
    std::atomic<int> executed{0};
    GOMP_parallel_start(busy, &release, 2);
    for (int i = 0; i < 3; ++i) {
        omp::Task* task = nullptr;
        Copied copied{&executed, &task};
        GOMP_task(block, &copied, copy, sizeof copied, alignof(Copied), true, 0, nullptr, 0, nullptr);
        ASSERT_NE(task, nullptr);
        EXPECT_EQ(executed, 0);
        EXPECT_EQ(task->executor.load(), nullptr);
    }
    release = true;
    GOMP_parallel_end();
    EXPECT_EQ(executed, 3);
}

TEST(ComingGompEntries, WhoAmI) {
    struct Seen {
        std::atomic<int> singles{0}, masked{0};
        std::atomic<uint32_t> nums{0};
    } seen;
    const auto function = [](void* data) {
        Seen& to = *static_cast<Seen*>(data);
        if (GOMP_single_start_with_end()) {
            ++to.singles;
            GOMP_single_end();
        }
        GOMP_barrier_ext(1);
        if (GOMP_has_masked_thread_num(2)) {
            ++to.masked;
            GOMP_masked_end();
        }
        const __complex__ int numbers = GOMP_loop_static_worksharing(100);
        EXPECT_EQ(__real__ numbers, static_cast<int>(threads));
        to.nums |= 1u << (__imag__ numbers);
        EXPECT_EQ(__real__ GOMP_distribute_static_worksharing(100), 1);
        EXPECT_EQ(__imag__ GOMP_distribute_static_worksharing(100), 0);
    };
    GOMP_parallel_start(function, &seen, threads);
    function(&seen);
    GOMP_parallel_end();
    EXPECT_EQ(seen.singles, 1);
    EXPECT_EQ(seen.masked, 1);
    EXPECT_EQ(seen.nums, (1u << threads) - 1);
}

TEST(GompTarget, RunsHereOnCopiesOfFirstprivateVariables) {
    constexpr unsigned short tofrom = 3;
    constexpr unsigned short firstprivate = 0xc | 5 << 8;  // aligned to 32 bytes
    long mapped = 1;
    long copied = 41;
    void* addresses[] = {&mapped, &copied};
    size_t sizes[] = {sizeof mapped, sizeof copied};
    unsigned short kinds[] = {tofrom, firstprivate};
    const auto function = [](void* data) {
        void** const at = static_cast<void**>(data);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(at[1]) % 32, 0u);
        int teams = 0;
        for (bool run = GOMP_teams4(3, 3, 2, true); run; run = GOMP_teams4(3, 3, 2, false)) {
            EXPECT_EQ(omp::team_num(omp::current()), static_cast<uint32_t>(teams++));
            EXPECT_EQ(omp::num_teams(omp::current()), 3u);
            EXPECT_EQ(omp::current().icvs().thread_limit, 2u);
        }
        EXPECT_EQ(teams, 3);
        *static_cast<long*>(at[0]) = ++*static_cast<long*>(at[1]);
    };
    const uint32_t limit = omp::current().icvs().thread_limit;
    GOMP_target_ext(-2, function, 2, addresses, sizes, kinds, 0, nullptr, nullptr);
    EXPECT_EQ(mapped, 42);
    EXPECT_EQ(copied, 41);
    EXPECT_EQ(omp::current().icvs().thread_limit, limit);
    EXPECT_EQ(omp::num_teams(omp::current()), 1u);
}

// With dyn-var a nested team has as many threads as carriers are idle, and a carrier may become idle after the copies were
// made.
TEST(GompReductions, ATeamIsNotLargerThanWhatItsCopiesWereMadeFor) {
    omp::parallel(omp::current(), 2, true, {[](omp::Thread& thread, void*, void*) {
                      thread.change_icvs().dynamic = true;
                      bool fits = true;
                      for (int region = 0; thread.num == 0 && region < 20000 && fits; ++region) {
                          uint64_t sum = 0;
                          uintptr_t array[10] = {1, 64, 64, UINTPTR_MAX, 0, 0, 0, reinterpret_cast<uintptr_t>(&sum), 0, 0};
                          uintptr_t* data = array;
                          const unsigned size = GOMP_parallel_reductions([](void*) {}, &data, threads, 0);
                          fits = size <= (array[6] - array[2]) / 64;
                          GOMP_taskgroup_reduction_unregister(array);
                      }
                      EXPECT_TRUE(fits);
                      omp::barrier(thread);
                  }});
}

// The host has no foreign runtime: an object that is initialised, or destroyed, is omp_interop_none.
TEST(GompInterop, NothingToOperateWith) {
    int something = 0;
    void* made = &something;
    void* used = nullptr;
    void* ended = &something;
    void** init[] = {&made};
    void** destroy[] = {&ended};
    GOMP_interop(-1, 1, init, "\1", nullptr, 1, &used, 1, destroy, 0, nullptr);
    EXPECT_EQ(made, nullptr);
    EXPECT_EQ(ended, nullptr);
    EXPECT_EQ(GOMP_target_map_indirect_ptr(&something), &something);
}

}  // namespace
}  // namespace gossamer
