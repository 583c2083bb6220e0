// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C++ library's barriers, latches, semaphores, mutexes and condition variables between OpenMP threads, and an
// exception that is rethrown after its handler has waited.
// test: teams 1 2 3 8 5x6
// test: reps 3
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <semaphore>
#include <stdexcept>
#include <string>
#include "check.h"

static void standard_barrier(int width) {
    int rounds = check_rounds(10, 200), phases = 0;
    auto count = [&phases]() noexcept { ++phases; };
    std::barrier barrier(width, count);
#pragma omp parallel num_threads(width)
    for (int round = 0; round < rounds; ++round) barrier.arrive_and_wait();
    EXPECT_EQ(phases, rounds);
}

static void latch_and_semaphore(int width) {
    std::latch all(width);
    std::counting_semaphore<> free_seats(1);
    int count = 0;
#pragma omp parallel num_threads(width)
    {
        all.arrive_and_wait();
        free_seats.acquire();
        count++;
        free_seats.release();
    }
    EXPECT_EQ(count, width);
}

// The last thread produces things one at a time for all other threads.
static void mutex_with_condition(int width) {
    int things = check_rounds(5, 100) * (width - 1), taken = 0, there = 0;
    bool over = false;
    std::mutex mutex;
    std::condition_variable filled, emptied;
#pragma omp parallel num_threads(width)
    if (omp_get_thread_num() == width - 1) {
        for (int i = 0; i < things; ++i) {
            std::unique_lock lock(mutex);
            emptied.wait(lock, [&] { return there == 0; });
            there = 1;
            filled.notify_one();
        }
        std::unique_lock lock(mutex);
        emptied.wait(lock, [&] { return there == 0; });
        over = true;
        filled.notify_all();
    } else {
        for (;;) {
            std::unique_lock lock(mutex);
            filled.wait(lock, [&] { return there != 0 || over; });
            if (there == 0) break;
            there = 0;
            taken++;
            emptied.notify_one();
        }
    }
    EXPECT_EQ(taken, things);
}

static void recursive_mutex(int width) {
    std::recursive_mutex mutex;
    int rounds = check_rounds(5, 100), count = 0;
#pragma omp parallel num_threads(width)
    for (int round = 0; round < rounds; ++round) {
        std::scoped_lock outer(mutex);
#pragma omp taskyield
        std::scoped_lock inner(mutex);
        count++;
    }
    EXPECT_EQ(count, rounds * width);
}

static void atomic_wait(int width) {
    std::atomic<int> turn{0};
    int rounds = check_rounds(5, 100);
#pragma omp parallel num_threads(width)
    for (int round = 0; round < rounds; ++round) {
        int mine = round * width + omp_get_thread_num();
        for (int seen = turn.load(); seen != mine; seen = turn.load()) turn.wait(seen);
        turn.store(mine + 1);
        turn.notify_all();
    }
    EXPECT_EQ(turn.load(), rounds * width);
}

// Two handlers wait for each other; each thread goes on with its own exception.
static void rethrow_after_waiting(int width) {
    int right = 0, rounds = check_rounds(3, 30);
#pragma omp parallel num_threads(width) reduction(+ : right)
    for (int round = 0; round < rounds; ++round) {
        std::string mine = std::to_string(omp_get_thread_num()) + "/" + std::to_string(round);
        try {
            try {
                throw std::runtime_error(mine);
            } catch (const std::runtime_error&) {
#pragma omp barrier
                throw;
            }
        } catch (const std::runtime_error& again) {
            right += again.what() == mine;
        }
    }
    EXPECT_EQ(right, rounds * width);
}

int main() {
    check("standard-barrier", standard_barrier);
    check("latch-and-semaphore", latch_and_semaphore);
    check("mutex-with-condition", mutex_with_condition);
    check("recursive-mutex", recursive_mutex);
    check("atomic-wait", atomic_wait);
    check("rethrow-after-waiting", rethrow_after_waiting);
    return check_done();
}
