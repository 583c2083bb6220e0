// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "omp/omp.hpp"
#include "omp/task/depend.hpp"

namespace gossamer::omp {
namespace {

// Whether a child finds the lock free that another thread holds when this one forks, and for a little longer.
bool is_free_in_child(SpinLock& lock) {
    lock.lock(os::yield_native);
    std::thread holder([&lock] {
        os::sleep_native(50'000'000);
        lock.unlock();
    });
    const pid_t child = ::fork();
    if (child == 0) ::_exit(lock.is_held() ? 1 : 0);
    holder.join();
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 && !lock.is_held();
}

struct Found {
    bool queue = false;
    bool table = false;
    bool table_outside = false;
};

void fork_here(Thread& thread, void*, void* data) {
    if (thread.num != 1) return;
    Found& found = *static_cast<Found*>(data);
    found.queue = is_free_in_child(thread.team->tasks.shared_queue().lock);
    Task& outside = *thread.team->parent->task;
    for (Task* task : {thread.task, &outside}) {
        DependTable& table = DependTable::take();
        task->depends = &table;
        (task == &outside ? found.table_outside : found.table) = is_free_in_child(table.lock);
        task->depends = nullptr;
        DependTable::give(table);
    }
}

TEST(Fork, WaitsForTheLocksOfTheTasksAroundIt) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer allows no fork beside other threads";
#endif
    Found found;
    parallel(current(), 2, true, {fork_here, &found});
    EXPECT_TRUE(found.queue);
    EXPECT_TRUE(found.table);
    EXPECT_TRUE(found.table_outside);
}

// One thread lies at the barrier when the other forks, and has arrived there for its group.
void fork_beside_a_waiter(Thread& thread, void*, void* data) {
    if (thread.num != 1) return;
    Team& team = *thread.team;
    Thread& waiter = team.threads[0];
    waiter.slot.fill(thread.fiber);
    waiter.arrived = 1;
    team.barrier.sleepers = 1;
    const pid_t child = ::fork();
    if (child == 0) {
        const bool nobody = waiter.slot.take(team.barrier.sleepers) == nullptr;
        ::_exit(nobody && waiter.arrived == 0 && team.barrier.sleepers == 0 ? 0 : 1);
    }
    waiter.slot.take_back(team.barrier.sleepers);
    waiter.arrived = 0;
    team.barrier.sleepers = 0;
    int status = 0;
    *static_cast<bool*>(data) = ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Fork, LeavesNobodyAtTheBarrier) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer allows no fork beside other threads";
#endif
    bool found = false;
    parallel(current(), 2, true, {fork_beside_a_waiter, &found});
    EXPECT_TRUE(found);
}

// As in a signal handler, which has interrupted the thread that holds it.
TEST(Fork, GivesUpALockThatIsItsOwn) {
    Team& team = *current().team;
    SpinLock& lock = team.tasks.shared_queue().lock;
    lock.lock(os::yield_native);
    const pid_t child = ::fork();
    if (child == 0) ::_exit(7);
    EXPECT_TRUE(lock.is_held());
    lock.unlock();
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

}  // namespace
}  // namespace gossamer::omp
