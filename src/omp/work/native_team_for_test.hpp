// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A team whose threads are plain native ones: for what needs no scheduler.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "omp/omp.hpp"

namespace gossamer::omp {

class NativeTeam {
public:
    explicit NativeTeam(uint32_t size) : threads_(new Thread[size]) {
        team_.size = team_.capacity = size;
        team_.threads = threads_.get();
        begin_region();
    }

    void begin_region(bool after_cancellation = false) {
        if (after_cancellation) team_.work.touched = 2;
        team_.work.reset(team_);
        ++team_.epoch;
        for (uint32_t num = 0; num < team_.size; ++num) {
            threads_[num].team = &team_;
            threads_[num].num = num;
            threads_[num].task = &threads_[num].implicit;
            threads_[num].epoch = team_.epoch;
            threads_[num].work.reset();
        }
    }

    // Runs body(thread) on a native thread for each.
    template <class Body>
    void run(const Body& body) {
        std::vector<std::thread> natives;
        for (uint32_t num = 0; num < team_.size; ++num) natives.emplace_back([&, num] { body(threads_[num]); });
        for (std::thread& native : natives) native.join();
    }

    Team& team() { return team_; }
    Thread& operator[](uint32_t num) { return threads_[num]; }

private:
    Team team_;
    std::unique_ptr<Thread[]> threads_;
};

inline Loop make_loop(uint64_t count, Partition partition, uint64_t chunk = 1) {
    Loop loop;
    loop.count = count;
    loop.partition = partition;
    loop.chunk = chunk;
    return loop;
}

}  // namespace gossamer::omp
