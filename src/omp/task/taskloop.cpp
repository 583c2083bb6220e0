// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/taskloop.hpp"

#include "omp/task/tasking.hpp"

namespace gossamer::omp {

namespace {

constexpr std::uint64_t few = 32;  // tasks that one thread generates in a row

// A task that generates the tasks [first, end), the second half of what another thread had to generate.
struct Part : Task {
    using Task::Task;
    TaskloopTasks generate = nullptr;
    const void* loop = nullptr;
    std::uint64_t first = 0;
    std::uint64_t end = 0;
};

void generate_part(Thread& thread, TaskloopTasks generate, const void* loop, std::uint64_t first, std::uint64_t end);

constexpr TaskKind kind{[](Task& task) {
                            const Part& part = static_cast<const Part&>(task);
                            generate_part(current(), part.generate, part.loop, part.first, part.end);
                            return true;
                        },
                        nullptr, nullptr};

void generate_part(Thread& thread, TaskloopTasks generate, const void* loop, std::uint64_t first, std::uint64_t end) {
    while (end - first > few) {
        const std::uint64_t middle = first + (end - first) / 2;
        Part& part = new_task<Part>(thread, kind);
        part.generate = generate;
        part.loop = loop;
        part.first = middle;
        part.end = end;
        task_submit(thread, part, {}, false);
        end = middle;
    }
    generate(thread, loop, first, end);
}

}  // namespace

void generate_taskloop(Thread& thread, TaskloopTasks generate, const void* loop, std::uint64_t tasks, bool by_parts) {
    const bool deferred = thread.team->size != 1 && !thread.icvs().final && !globals().cancellation;
    if (by_parts && deferred) return generate_part(thread, generate, loop, 0, tasks);
    generate(thread, loop, 0, tasks);
}

}  // namespace gossamer::omp
