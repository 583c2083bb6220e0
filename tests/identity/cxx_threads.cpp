// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C++ runtime's state of a thread: exceptions in flight across barriers, nested and rethrown;
// thread_local objects and their destructors; std::this_thread; mutexes and call_once; locales and streams.
// test: teams 1 2 8 16 4x8 2x3x4
// test: flags -pthread
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include "check.h"

namespace {

struct Thrown : std::runtime_error {
    Thrown(int thread, int round) : std::runtime_error("thrown"), thread_(thread), round_(round) {}
    int thread_, round_;
};

[[gnu::noinline]] void throw_from_below(int thread, int round, int depth) {
    std::string unwound(30, 'u');
    if (depth == 0) throw Thrown(thread, round);
    throw_from_below(thread, round, depth - 1);
}

void caught_beside_barriers(int width) {
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        for (int round = 0; round < 3; ++round) {
            bool caught = false;
            try {
                throw_from_below(me, round, 10);
            } catch (const Thrown& thrown) {
                caught = thrown.thread_ == me && thrown.round_ == round;
            }
#pragma omp barrier
            EXPECT(caught);
        }
    }
}

// The exception is in flight while the thread waits: std::current_exception must still be this thread's.
void in_flight_over_a_barrier(int width) {
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        bool right = false;
        std::exception_ptr kept;
        try {
            throw_from_below(me, 1, 3);
        } catch (const Thrown& thrown) {
            EXPECT_EQ(std::uncaught_exceptions(), 0);
#pragma omp barrier
            right = thrown.thread_ == me;
            kept = std::current_exception();
#pragma omp barrier
        }
        EXPECT(right);
        bool again = false;
        try {
            std::rethrow_exception(kept);
        } catch (const Thrown& thrown) {
            again = thrown.thread_ == me;
        }
        EXPECT(again);
    }
}

[[gnu::noinline]] void rethrow_after_barrier(int me) {
    try {
        throw_from_below(me, 2, 4);
    } catch (...) {
#pragma omp barrier
        throw;
    }
}

void rethrown_after_a_barrier(int width) {
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num(), seen = -1;
        try {
            rethrow_after_barrier(me);
        } catch (const Thrown& thrown) {
            seen = thrown.thread_;
        }
        EXPECT_EQ(seen, me);
    }
}

// Nested handlers, each of which waits: the stack of caught exceptions belongs to the thread.
void nested_handlers(int width) {
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num(), outer = -1, inner = -1;
        try {
            throw Thrown(me, 10);
        } catch (const Thrown& first) {
#pragma omp barrier
            try {
                throw Thrown(me, 20);
            } catch (const Thrown& second) {
#pragma omp barrier
                inner = second.thread_ * 100 + second.round_;
            }
#pragma omp barrier
            outer = first.thread_ * 100 + first.round_;
        }
        EXPECT_EQ(inner, me * 100 + 20);
        EXPECT_EQ(outer, me * 100 + 10);
    }
}

void thrown_in_nested_regions(int width) {
    std::atomic<int> caught{0};
#pragma omp parallel num_threads(width)
    {
        int outer = omp_get_thread_num();
        try {
#pragma omp parallel num_threads(2)
            {
                try {
#pragma omp barrier
                    throw Thrown(outer, omp_get_thread_num());
                } catch (const Thrown& thrown) {
                    caught += thrown.thread_ == outer && thrown.round_ == omp_get_thread_num();
                }
            }
            throw Thrown(outer, 99);
        } catch (const Thrown& thrown) {
            caught += thrown.thread_ == outer && thrown.round_ == 99;
        }
    }
    EXPECT_EQ(caught.load(), 3 * width);
}

struct Local {
    static std::atomic<int> made, gone;
    Local() : values(10, 7) { made++; }
    ~Local() { gone++; }
    std::vector<int> values;
};
std::atomic<int> Local::made{0}, Local::gone{0};
thread_local Local local;
thread_local std::unique_ptr<std::string> owned;

void thread_local_objects(int width) {
    std::vector<Local*> addresses(static_cast<std::size_t>(width));
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        EXPECT_EQ(local.values.size() >= 10, true);
        addresses[me] = &local;
        local.values.assign(static_cast<std::size_t>(10 + me), me);
        owned = std::make_unique<std::string>(std::to_string(me));
#pragma omp barrier
        EXPECT_EQ(&local == addresses[me], true);
        EXPECT_EQ(local.values.size(), 10 + me);
        EXPECT_EQ(local.values.back(), me);
        EXPECT(*owned == std::to_string(me));
        for (int i = 0; i < width; ++i) EXPECT(i == me || addresses[i] != &local);
#pragma omp barrier
    }
    EXPECT(Local::gone.load() <= Local::made.load());
}

struct Watched {
    std::atomic<int>* gone = nullptr;
    ~Watched() {
        if (gone) ++*gone;
    }
};
thread_local Watched watched;

// A plain thread opens a region. Its own thread_local object is destroyed when the thread ends, exactly once.
void destructors_run(int width) {
    std::atomic<int> gone{0};
    std::thread([&] {
        watched.gone = &gone;
#pragma omp parallel num_threads(width)
        {
#pragma omp barrier
        }
        EXPECT_EQ(watched.gone == &gone, true);
    }).join();
    EXPECT_EQ(gone.load(), 1);
}

void thread_ids(int width) {
    std::vector<std::thread::id> ids(static_cast<std::size_t>(width));
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        ids[me] = std::this_thread::get_id();
#pragma omp barrier
        EXPECT(std::this_thread::get_id() == ids[me]);
        EXPECT(std::set<std::thread::id>(ids.begin(), ids.end()).size() == static_cast<std::size_t>(width));
#pragma omp barrier
    }
}

void standard_locks(int width) {
    std::mutex mutex;
    std::once_flag once;
    int initialised = 0, count = 0;
#pragma omp parallel num_threads(width)
    {
        std::recursive_mutex own;
        std::scoped_lock hold(own);
#pragma omp barrier
        std::scoped_lock again(own);
        std::call_once(once, [&] { initialised++; });
        EXPECT_EQ(initialised, 1);
        for (int i = 0; i < 10; ++i) {
            std::scoped_lock guard(mutex);
            count++;
        }
#pragma omp barrier
    }
    EXPECT_EQ(count, 10 * width);
}

void guarded_static(int width) {
#pragma omp parallel num_threads(width)
    {
        static const std::vector<int> table = [] {
            std::vector<int> values(100, 3);
            return values;
        }();
        EXPECT_EQ(table.at(99), 3);
    }
}

void streams_and_random(int width) {
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        std::ostringstream out;
        out << "thread " << me << " of " << width << ' ' << 1.5;
#pragma omp barrier
        EXPECT(out.str() == "thread " + std::to_string(me) + " of " + std::to_string(width) + " 1.5");
        thread_local std::mt19937 engine;
        engine.seed(static_cast<unsigned>(me));
#pragma omp barrier
        std::mt19937 same(static_cast<unsigned>(me));
        EXPECT(engine() == same());
    }
}

}  // namespace

int main() {
    check("caught-beside-barriers", caught_beside_barriers);
    check("in-flight-over-a-barrier", in_flight_over_a_barrier);
    check("rethrown-after-a-barrier", rethrown_after_a_barrier);
    check("nested-handlers", nested_handlers);
    check("thrown-in-nested-regions", thrown_in_nested_regions);
    check("thread-local-objects", thread_local_objects);
    check_share("destructors-run", destructors_run, 4);
    check("thread-ids", thread_ids);
    check("standard-locks", standard_locks);
    check("guarded-static", guarded_static);
    check("streams-and-random", streams_and_random);
    return check_done();
}
