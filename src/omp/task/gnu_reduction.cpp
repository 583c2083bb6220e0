// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Task reductions as gcc's programs describe them; the array's layout is in task_reduction.hpp.
#include <cstdlib>
#include <cstring>

#include "omp/sync/barrier.hpp"
#include "omp/task/task_reduction.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {

namespace {

enum Field : std::size_t { count = 0, bytes = 1, copies = 2, next = 4, first_of_all = 5, copies_end = 6, entries = 7 };
constexpr std::size_t entry_fields = 3;

std::uintptr_t* array_at(std::uintptr_t address) { return reinterpret_cast<std::uintptr_t*>(address); }

std::uintptr_t allocate_copies(std::size_t alignment, std::size_t size) {
    if (alignment < sizeof(void*)) alignment = sizeof(void*);
    void* const memory = std::aligned_alloc(alignment, align_up(size, alignment));
    if (memory == nullptr) fatal("out of memory for task reductions");
    std::memset(memory, 0, size);
    return reinterpret_cast<std::uintptr_t>(memory);
}

// `first`, if not null: another thread's arrays, whose copies serve this thread
// too. Otherwise allocates copies for `size` threads.
void register_arrays(Taskgroup& group, std::uintptr_t* mine, const std::uintptr_t* first, std::uint32_t size) {
    std::uintptr_t* at = mine;
    for (;;) {
        if (first != nullptr) {
            at[copies] = first[copies];
            at[copies_end] = first[copies_end];
            first = array_at(first[next]);
        } else {
            const std::size_t all = at[bytes] * size;
            at[copies] = allocate_copies(at[copies], all);
            at[copies_end] = at[copies] + all;
        }
        at[first_of_all] = at == mine ? 1 : 0;
        if (at[next] == 0) break;
        at = array_at(at[next]);
    }
    at[next] = reinterpret_cast<std::uintptr_t>(group.gnu_reductions);
    group.gnu_reductions = mine;
}

struct Found {
    const std::uintptr_t* array = nullptr;
    std::uintptr_t offset = 0;
    std::uintptr_t variable = 0;
};

// The registered variable that `address` is, or is a copy of; `array` null: there is none, `variable` 0: it is unknown.
Found find(std::uintptr_t* innermost, std::uintptr_t address) {
    for (const std::uintptr_t* at = innermost; at != nullptr; at = array_at(at[next])) {
        for (std::size_t i = 0; i < at[count]; ++i) {
            const std::uintptr_t* const entry = at + entries + i * entry_fields;
            if (entry[0] == address) return {at, entry[1], address};
        }
    }
    for (const std::uintptr_t* at = innermost; at != nullptr; at = array_at(at[next])) {
        if (address < at[copies] || address >= at[copies_end]) continue;
        const std::uintptr_t offset = (address - at[copies]) % at[bytes];
        for (std::size_t i = 0; i < at[count]; ++i) {
            const std::uintptr_t* const entry = at + entries + i * entry_fields;
            if (entry[1] == offset) return {at, offset, entry[0]};
        }
        return {at, offset, 0};
    }
    return {};
}

}  // namespace

void gnu_reduction_register(Taskgroup& group, std::uintptr_t* mine, std::uint32_t size) {
    register_arrays(group, mine, nullptr, size);
}

void workshare_reduction_begin(Thread& thread, std::uintptr_t* mine, const std::uintptr_t* first) {
    Taskgroup& group = taskgroup_begin(thread);
    group.workshare = true;
    register_arrays(group, mine, first, thread.team->size);
}

void gnu_reduction_remap(Thread& thread, std::size_t number, std::size_t originals, void** addresses) {
    const Taskgroup* const group = thread.task->taskgroup;
    for (std::size_t i = 0; i < number; ++i) {
        const auto address = reinterpret_cast<std::uintptr_t>(addresses[i]);
        const Found found = group != nullptr ? find(group->gnu_reductions, address) : Found{};
        if (found.array == nullptr || (i < originals && found.variable == 0)) {
            fatal("in_reduction of %p: no enclosing task_reduction or reduction(task) has it", addresses[i]);
        }
        addresses[i] = reinterpret_cast<void*>(found.array[copies] + thread.num * found.array[bytes] + found.offset);
        if (i < originals) addresses[number + i] = reinterpret_cast<void*>(found.variable);
    }
}

void gnu_reduction_unregister(std::uintptr_t* data) {
    do {
        std::free(reinterpret_cast<void*>(data[copies]));
        data = array_at(data[next]);
    } while (data != nullptr && data[first_of_all] == 0);
}

void workshare_reduction_end(Thread& thread, bool cancelled) {
    std::uintptr_t* const data = thread.task->taskgroup->gnu_reductions;
    taskgroup_end(thread);
    // Behind a barrier of its own the program has combined the copies.
    if (thread.num == 0) gnu_reduction_unregister(data);
    if (!cancelled) barrier(thread);
}

}  // namespace gossamer::omp
