// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constructs on a team whose threads are plain native ones: nothing here needs a scheduler.
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "omp/omp.hpp"
#include "omp/work/native_team_for_test.hpp"

namespace gossamer::omp {
namespace {

bool is_fresh(const Share& share) {
    return share.next == 0 && !share.ordered.has_come(1) && share.leavers == 0 && share.prepared == 0 &&
           share.memory == nullptr && share.program == nullptr && share.reductions == nullptr;
}

TEST(Ring, OneThreadMayRunAheadByTheWholeRing) {
    NativeTeam team(2);
    Chunk chunk;
    for (uint32_t construct = 0; construct < ring_size; ++construct) {
        loop_start(team[0], make_loop(2, Partition::dynamic));
        ASSERT_TRUE(loop_next(team[0], chunk));
        share_leave(team[0]);
    }
    for (uint32_t construct = 0; construct < ring_size; ++construct) {
        loop_start(team[1], make_loop(2, Partition::dynamic));
        ASSERT_TRUE(loop_next(team[1], chunk));
        EXPECT_EQ(chunk, (Chunk{1, 2}));  // its sibling took iteration 0 of each
        EXPECT_FALSE(loop_next(team[1], chunk));
        share_leave(team[1]);
    }
    for (uint32_t slot = 0; slot < ring_size; ++slot) {
        EXPECT_EQ(team.team().work.ring[slot].turn, slot + ring_size);
        EXPECT_TRUE(is_fresh(team.team().work.ring[slot]));
    }
}

TEST(Ring, NobodyRunsFurtherAhead) {
    NativeTeam team(2);
    std::atomic<bool> slow_one_left{false};
    team.run([&](Thread& thread) {
        if (thread.num == 0) {
            for (uint32_t construct = 0; construct <= ring_size; ++construct) {
                share_enter(thread);
                if (construct == ring_size) {
                    EXPECT_TRUE(slow_one_left);
                }
                share_leave(thread);
            }
        } else {
            share_enter(thread);
            // Time enough for the other to come round, were it not held up.
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            slow_one_left = true;
            share_leave(thread);
        }
    });
}

TEST(Ring, ManyConstructsWithoutABarrier) {
    constexpr uint32_t threads = 3;
    constexpr uint64_t constructs = 2000;
    NativeTeam team(threads);
    std::vector<std::atomic<uint64_t>> sums(constructs);
    team.run([&](Thread& thread) {
        for (uint64_t construct = 0; construct < constructs; ++construct) {
            loop_start(thread, make_loop(10, construct % 2 == 0 ? Partition::dynamic : Partition::guided));
            Chunk chunk;
            while (loop_next(thread, chunk)) {
                for (uint64_t i = chunk.begin; i < chunk.end; ++i) sums[construct] += i + 1;
            }
            share_leave(thread);
        }
    });
    for (uint64_t construct = 0; construct < constructs; ++construct) ASSERT_EQ(sums[construct], 55u) << construct;
}

TEST(Ring, ANewRegionForgetsWhatACancelledOneLeft) {
    NativeTeam team(2);
    Chunk chunk;
    loop_start(team[0], make_loop(100, Partition::dynamic), true);
    ASSERT_TRUE(share_prepare(*team[0].work.share));
    share_allocate(*team[0].work.share, 100);
    ASSERT_TRUE(loop_next(team[0], chunk));
    team.begin_region(true);
    EXPECT_TRUE(is_fresh(team.team().work.ring[0]));
    loop_start(team[1], make_loop(1, Partition::dynamic));
    ASSERT_TRUE(loop_next(team[1], chunk));
    EXPECT_EQ(chunk, (Chunk{0, 1}));
}

TEST(Ring, AConstructLeftEarlyIsLeftAtTheNext) {
    NativeTeam team(2);
    Chunk chunk;
    for (uint32_t construct = 0; construct < 3 * ring_size; ++construct) {
        for (uint32_t num = 0; num < 2; ++num) {
            loop_start(team[num], make_loop(4, Partition::dynamic));
            ASSERT_TRUE(loop_next(team[num], chunk));
            ASSERT_EQ(chunk.begin, num);
        }
    }
}

TEST(Ring, MemoryIsSharedZeroedAndFreed) {
    constexpr uint32_t threads = 4;
    NativeTeam team(threads);
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> prepared{0};
        std::vector<void*> seen(threads);
        team.run([&](Thread& thread) {
            Share& share = share_enter(thread);
            if (share_prepare(share)) {
                ++prepared;
                auto* const numbers = static_cast<int*>(share_allocate(share, 1000 * sizeof(int)));
                for (int i = 0; i < 1000; ++i) ASSERT_EQ(numbers[i], 0);
                numbers[500] = 7;
                share.program = numbers;
                share_prepared(share);
            }
            EXPECT_EQ(static_cast<int*>(share.program)[500], 7);
            seen[thread.num] = share.program;
            share_leave(thread);
        });
        EXPECT_EQ(prepared, 1);
        for (void* memory : seen) EXPECT_EQ(memory, seen[0]);
    }
    for (const Share& share : team.team().work.ring) EXPECT_TRUE(is_fresh(share));
}

TEST(WorksharingLoop, StaticLoopsNeedNoShare) {
    NativeTeam team(3);
    Chunk chunk;
    uint64_t end = 0;
    for (uint32_t num = 0; num < 3; ++num) {
        loop_start(team[num], make_loop(10, Partition::static_block));
        EXPECT_EQ(team[num].work.share, nullptr);
        ASSERT_TRUE(loop_next(team[num], chunk));
        EXPECT_EQ(chunk.begin, end);
        end = chunk.end;
        EXPECT_FALSE(loop_next(team[num], chunk));
    }
    EXPECT_EQ(end, 10u);
    EXPECT_EQ(team.team().work.touched, 0u);
}

TEST(WorksharingLoop, OneThreadGetsEverythingAtOnce) {
    NativeTeam team(1);
    for (const Partition partition : {Partition::dynamic, Partition::guided, Partition::static_chunked}) {
        Loop loop = make_loop(100, partition);
        loop.ordered = true;
        loop_start(team[0], loop);
        Chunk chunk;
        ASSERT_TRUE(loop_next(team[0], chunk));
        EXPECT_EQ(chunk, (Chunk{0, 100}));
        ordered_start(team[0]);
        ordered_end(team[0]);
        EXPECT_FALSE(loop_next(team[0], chunk));
        share_leave(team[0]);
    }
}

Loop make_apart(uint64_t count, Partition partition, uint64_t chunk) {
    Loop loop = make_loop(count, partition, chunk);
    loop.monotonic = false;
    return loop;
}

TEST(WorksharingLoop, APortionEachAndEveryIterationOnce) {
    for (const Partition partition : {Partition::dynamic, Partition::guided, Partition::guided_simd}) {
        for (const uint32_t threads : {2u, 3u, 5u}) {
            for (const uint64_t chunk : {1u, 3u, 64u}) {
                for (const uint64_t count : {0u, 1u, 4u, 1000u}) {
                    NativeTeam team(threads);
                    std::vector<std::atomic<int>> seen(count);
                    team.run([&](Thread& thread) {
                        for (int loop = 0; loop < 20; ++loop) {
                            loop_start(thread, make_apart(count, partition, chunk));
                            Chunk taken;
                            uint64_t reached = 0;
                            while (loop_next(thread, taken)) {
                                EXPECT_NE(reached, count);  // the last chunk is its taker's last one
                                reached = taken.end;
                                EXPECT_EQ(taken.begin % chunk, 0u);
                                EXPECT_TRUE(taken.end % chunk == 0 || taken.end == count);
                                EXPECT_TRUE(partition != Partition::dynamic || taken.size() <= chunk);
                                for (uint64_t i = taken.begin; i < taken.end; ++i) ++seen[i];
                            }
                            EXPECT_FALSE(loop_next(thread, taken));
                            share_leave(thread);
                        }
                    });
                    for (uint64_t i = 0; i < count; ++i) ASSERT_EQ(seen[i], 20) << i << " of " << count;
                }
            }
        }
    }
}

TEST(WorksharingLoop, NobodyWaitsForOneThatComesLate) {
    NativeTeam team(3);
    Chunk chunk;
    for (int loop = 0; loop < 3; ++loop) {
        uint64_t sum = 0;
        loop_start(team[1], make_apart(30, Partition::dynamic, 1));
        ASSERT_TRUE(loop_next(team[1], chunk));
        EXPECT_EQ(chunk, (Chunk{10, 11}));  // of its own block
        do {
            sum += chunk.begin;
        } while (loop_next(team[1], chunk));
        EXPECT_EQ(sum, 30u * 29 / 2);
        share_leave(team[1]);
        for (const uint32_t late : {0u, 2u}) {
            loop_start(team[late], make_apart(30, Partition::dynamic, 1));
            EXPECT_FALSE(loop_next(team[late], chunk));
            share_leave(team[late]);
        }
    }
}

TEST(Portion, ThievesTakeHalfOrAllOfWhatHasNotBegun) {
    constexpr Portion::Range block{64, 128};
    Portion portion;
    Portion::Range stolen = portion.steal(1, block, false);
    EXPECT_EQ(Chunk({stolen.begin, stolen.end}), (Chunk{96, 128}));
    stolen = portion.steal(1, block, true);  // half is left, and the portion has been touched
    EXPECT_EQ(Chunk({stolen.begin, stolen.end}), (Chunk{80, 96}));
    stolen = portion.steal(2, block, true);  // the slot's next loop
    EXPECT_EQ(Chunk({stolen.begin, stolen.end}), (Chunk{64, 128}));
    EXPECT_TRUE(portion.steal(2, block, true).empty());
}

// Half a portion at a time, so 64 chunks go in seven; a sibling's too if all of it is stolen.
TEST(WorksharingLoop, MoreThreadsThanCarriersStealAllFromWhoHasNotBegun) {
    const uint32_t threads = fiber::carrier_count() + 2;
    NativeTeam team(threads);
    loop_start(team[0], make_apart(64 * threads + 1, Partition::guided, 1));
    Chunk chunk;
    uint32_t chunks = 0;
    while (loop_next(team[0], chunk)) ++chunks;
    EXPECT_EQ(chunks, 7 * threads + 1);
    share_leave(team[0]);
}

TEST(WorksharingLoop, TooManyChunksOrThreadsForPortions) {
    NativeTeam team(2);
    loop_start(team[0], make_apart(uint64_t{1} << 40, Partition::dynamic, 1));
    EXPECT_EQ(team[0].work.loop.partition, Partition::dynamic);
    share_leave(team[0]);
    loop_start(team[0], make_apart(uint64_t{1} << 40, Partition::dynamic, 1u << 20));
    EXPECT_EQ(team[0].work.loop.partition, Partition::dynamic_stealing);
    share_leave(team[0]);
    NativeTeam wide(100);
    loop_start(wide[0], make_apart(1000, Partition::guided, 1));
    EXPECT_EQ(wide[0].work.loop.partition, Partition::guided);
    share_leave(wide[0]);
}

// The loops of a slot are told apart by a number of twelve bits, which begins anew.
TEST(WorksharingLoop, PortionsOfALongPastLoopAreForgotten) {
    NativeTeam team(2);
    Chunk chunk;
    for (uint32_t loop = 0; loop < ring_size * (Portion::last_epoch + 2); ++loop) {
        // Thread 1 runs everything in the first round only, and leaves its portion empty.
        const uint32_t runs = loop < ring_size ? 1 : 0;
        loop_start(team[runs], make_apart(4, Partition::dynamic, 1));
        uint32_t count = 0;
        while (loop_next(team[runs], chunk)) ++count;
        ASSERT_EQ(count, 4u) << loop;
        share_leave(team[runs]);
        share_enter(team[1 - runs]);
        share_leave(team[1 - runs]);
    }
}

TEST(WorksharingLoop, RuntimeScheduleFollowsTheIcv) {
    Icvs icvs;
    Loop loop;
    icvs.set_run_schedule({ScheduleKind::dynamic, Ordering::unsaid, 5});
    choose_runtime_schedule(loop, icvs);
    EXPECT_EQ(loop.partition, Partition::dynamic);
    EXPECT_EQ(loop.chunk, 5u);
    icvs.set_run_schedule({ScheduleKind::static_, Ordering::unsaid, 0});
    choose_runtime_schedule(loop, icvs);
    EXPECT_EQ(loop.partition, Partition::static_block);
    icvs.set_run_schedule({ScheduleKind::static_, Ordering::unsaid, 3});
    choose_runtime_schedule(loop, icvs);
    EXPECT_EQ(loop.partition, Partition::static_chunked);
    EXPECT_EQ(loop.chunk, 3u);
    icvs.set_run_schedule({ScheduleKind::guided, Ordering::unsaid, 0});
    choose_runtime_schedule(loop, icvs);
    EXPECT_EQ(loop.partition, Partition::guided);
    EXPECT_EQ(loop.chunk, 1u);
}

// How an ABI tells of ordered regions: not of single iterations, or of each one's end.
enum class Telling { chunks, iterations };

void run_ordered(Partition partition, uint64_t chunk_size, Telling telling) {
    constexpr uint64_t count = 300;
    NativeTeam team(4);
    std::vector<uint64_t> order;
    team.run([&](Thread& thread) {
        Loop loop = make_loop(count, partition, chunk_size);
        loop.ordered = true;
        loop_start(thread, loop);
        Chunk chunk;
        while (loop_next(thread, chunk)) {
            for (uint64_t i = chunk.begin; i < chunk.end; ++i) {
                if (i % 7 != 3) {  // some iterations do without the region
                    ordered_start(thread);
                    order.push_back(i);
                    if (telling == Telling::iterations) ordered_end(thread);
                }
                if (telling == Telling::iterations) ordered_iteration_end(thread);
            }
        }
        share_leave(thread);
    });
    std::vector<uint64_t> expected;
    for (uint64_t i = 0; i < count; ++i) {
        if (i % 7 != 3) expected.push_back(i);
    }
    EXPECT_EQ(order, expected);
    for (const Share& share : team.team().work.ring) EXPECT_TRUE(is_fresh(share));
}

TEST(Ordered, RegionsComeInOrder) {
    for (const Partition partition :
         {Partition::static_block, Partition::static_chunked, Partition::dynamic, Partition::guided}) {
        for (const uint64_t chunk_size : {1, 2, 5, 1000}) {
            run_ordered(partition, chunk_size, Telling::chunks);
            run_ordered(partition, chunk_size, Telling::iterations);
        }
    }
}

TEST(Single, OneThreadEachTime) {
    constexpr uint32_t constructs = 3000;
    NativeTeam team(4);
    std::vector<std::atomic<int>> executed(constructs);
    team.run([&](Thread& thread) {
        for (uint32_t construct = 0; construct < constructs; ++construct) {
            if (single_start(thread)) ++executed[construct];
        }
    });
    for (uint32_t construct = 0; construct < constructs; ++construct) ASSERT_EQ(executed[construct], 1) << construct;
    team.begin_region();
    EXPECT_TRUE(single_start(team[2]));
    EXPECT_FALSE(single_start(team[0]));
}

TEST(Sections, EachOnce) {
    constexpr uint64_t sections = 500;
    NativeTeam team(4);
    std::vector<std::atomic<int>> executed(sections);
    team.run([&](Thread& thread) {
        share_enter(thread);
        for (uint64_t at; (at = sections_next(thread)) < sections;) ++executed[at];
        share_leave(thread);
    });
    for (const auto& times : executed) EXPECT_EQ(times, 1);
}

// A wavefront: each cell is one more than the larger of its upper and left neighbours, which must be there already.
void check_wavefront(const std::deque<std::atomic<int>>& cells, int64_t rows, int64_t columns) {
    for (int64_t row = 0; row < rows; ++row) {
        for (int64_t column = 0; column < columns; ++column) {
            ASSERT_EQ(cells[static_cast<size_t>(row * columns + column)], row + column + 1) << row << ' ' << column;
        }
    }
}

void compute_cell(std::deque<std::atomic<int>>& cells, int64_t columns, int64_t row, int64_t column) {
    const auto cell = [&](int64_t r, int64_t c) -> std::atomic<int>& { return cells[static_cast<size_t>(r * columns + c)]; };
    const int up = row > 0 ? cell(row - 1, column).load(std::memory_order_relaxed) : 0;
    const int left = column > 0 ? cell(row, column - 1).load(std::memory_order_relaxed) : 0;
    cell(row, column).store((up > left ? up : left) + 1, std::memory_order_relaxed);
}

TEST(Doacross, ProgressWordsForEverySchedule) {
    constexpr int64_t rows = 23;
    constexpr int64_t columns = 11;
    for (const Partition partition :
         {Partition::static_block, Partition::static_chunked, Partition::dynamic, Partition::guided}) {
        for (const uint64_t chunk_size : {1, 3, 50}) {
            NativeTeam team(4);
            std::deque<std::atomic<int>> cells(rows * columns);
            team.run([&](Thread& thread) {
                const Loop loop = make_loop(rows, partition, chunk_size);
                loop_start(thread, loop, true);
                Share& share = *thread.work.share;
                if (share_prepare(share)) {
                    const uint64_t counts[] = {rows, columns};
                    doacross_prepare(share, loop, thread.team->size, counts, 2, 40);
                    share_prepared(share);
                }
                doacross_join(thread, share);
                ASSERT_EQ(doacross_dimensions(thread), 2u);
                Chunk chunk;
                while (loop_next(thread, chunk)) {
                    for (int64_t row = static_cast<int64_t>(chunk.begin); row < static_cast<int64_t>(chunk.end); ++row) {
                        for (int64_t column = 0; column < columns; ++column) {
                            const int64_t above[] = {row - 1, column};
                            if (row > 0) doacross_wait(thread, above);
                            compute_cell(cells, columns, row, column);
                            const int64_t here[] = {row, column};
                            doacross_post(thread, here);
                        }
                    }
                }
                share_leave(thread);
            });
            check_wavefront(cells, rows, columns);
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

// They wait for one word, each for another value of it, and sleep meanwhile.
TEST(Doacross, EachSleeperIsWokenOnceItsIterationIsPosted) {
    constexpr int64_t columns = 30;
    constexpr uint64_t counts[] = {4, columns};
    NativeTeam team(4);
    std::atomic<int64_t> posted{-1};
    team.run([&](Thread& thread) {
        const Loop loop = make_loop(counts[0], Partition::static_block);  // a row each
        loop_start(thread, loop, true);
        Share& share = *thread.work.share;
        if (share_prepare(share)) {
            doacross_prepare(share, loop, thread.team->size, counts, 2, 0);
            share_prepared(share);
        }
        doacross_join(thread, share);
        for (int64_t column = 0; column < columns; ++column) {
            const int64_t at[] = {0, column};
            if (thread.num == 0) {
                os::sleep_native(500'000);
                posted.store(column, std::memory_order_relaxed);
                doacross_post(thread, at);
            } else if (column % (thread.num + 1) == 0) {
                doacross_wait(thread, at);
                EXPECT_GE(posted.load(std::memory_order_relaxed), column);
            }
        }
        const int64_t beyond[] = {0, columns};
        doacross_wait(thread, beyond);  // there is no such iteration
        share_leave(thread);
    });
}

// Bounds and steps as the program has them; dependences on iterations outside the nest hold by themselves.
TEST(Doacross, FlagsForAnyBoundsAndCollapsedLoops) {
    constexpr int64_t rows = 17;
    constexpr int64_t columns = 9;
    const Dimension nest[] = {{-5, -5 + 3 * (rows - 1), 3}, {100, 100 - 2 * (columns - 1), -2}};
    NativeTeam team(4);
    for (int round = 0; round < 20; ++round) {
        std::deque<std::atomic<int>> cells(rows * columns);
        team.run([&](Thread& thread) {
            doacross_start(thread, nest, 2);
            loop_start(thread, make_loop(rows * columns, Partition::dynamic));  // both dimensions are dealt out together
            Chunk chunk;
            while (loop_next(thread, chunk)) {
                const int64_t row = static_cast<int64_t>(chunk.begin) / columns;
                const int64_t column = static_cast<int64_t>(chunk.begin) % columns;
                const int64_t here[] = {-5 + 3 * row, 100 - 2 * column};
                const int64_t above[] = {here[0] - 3, here[1]};
                const int64_t left[] = {here[0], here[1] + 2};
                doacross_wait(thread, above);
                doacross_wait(thread, left);
                compute_cell(cells, columns, row, column);
                doacross_post(thread, here);
            }
            share_leave(thread);
            doacross_end(thread);
        });
        check_wavefront(cells, rows, columns);
        if (testing::Test::HasFatalFailure()) return;
    }
    for (const Share& share : team.team().work.ring) EXPECT_TRUE(is_fresh(share));
}

TEST(Doacross, ATeamOfOneKeepsNothing) {
    NativeTeam team(1);
    const Dimension nest[] = {{0, 9, 1}};
    doacross_start(team[0], nest, 1);
    EXPECT_EQ(doacross_dimensions(team[0]), 0u);
    const int64_t iteration[] = {5};
    doacross_wait(team[0], iteration);
    doacross_post(team[0], iteration);
    doacross_end(team[0]);
    EXPECT_EQ(team.team().work.touched, 0u);
}

}  // namespace
}  // namespace gossamer::omp
