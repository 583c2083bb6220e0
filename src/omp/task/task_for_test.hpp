// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks whose block is a function object.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "omp/task/tasking.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {

inline std::atomic<int> alive{0};  // tasks that are not disposed of yet

struct TestTask : Task {
    using Task::Task;
    std::function<void(TestTask&)> block;
};

inline const TaskKind kind{[](Task& task) {
                               static_cast<TestTask&>(task).block(static_cast<TestTask&>(task));
                               return true;
                           },
                           nullptr,
                           [](Task& task) {
                               --alive;
                               static_cast<TestTask&>(task).block.~function();
                               BlockCache::give_to_depot(task.size_class, &task);
                           }};

inline TestTask& make(std::function<void(TestTask&)> block, bool detachable = false, bool final = false) {
    ++alive;
    TestTask& task = new_task<TestTask>(current(), kind);
    task.block = std::move(block);
    task.icvs.final |= final;
    if (detachable) task.make_detachable();
    return task;
}

inline void submit(TestTask& task, std::vector<Dependence> dependences = {}, bool undeferred = false) {
    task_submit(current(), task, dependences, undeferred);
}

inline int x = 0;
inline const std::vector<Dependence> writes_x{{&x, DependKind::exclusive}};

// Runs `block` by the primary thread of a team of `size`; the others wait at a barrier.
template <class Block>
void in_team(std::uint32_t size, const Block& block) {
    parallel(current(), size, true,
             {[](Thread& thread, void*, void* data) {
                  if (thread.num == 0) (*static_cast<const Block*>(data))();
                  barrier(thread);
              },
              const_cast<Block*>(&block)});
}

// Runs `block` by the primary thread of a team of `size` with active tasks, none of which is left, while no other one executes
// any.
template <class Block>
void beside_busy_ones(std::uint32_t size, const Block& block) {
    static std::atomic<bool> over;
    over = false;
    parallel(current(), size, true,
             {[](Thread& thread, void*, void* data) {
                  if (thread.num != 0) {
                      while (!over) std::this_thread::yield();
                      return;
                  }
                  submit(make([](TestTask&) {}));
                  taskwait(thread);
                  (*static_cast<const Block*>(data))(*thread.team);
                  over = true;
              },
              const_cast<Block*>(&block)});
}

template <class Block>
void beside_a_busy_one(const Block& block) {
    beside_busy_ones(2, block);
}

}  // namespace gossamer::omp
