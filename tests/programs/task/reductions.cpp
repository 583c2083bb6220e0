// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task reductions of user-defined types: initialised and combined once for each copy, copies destroyed, tasks
// deep below the group, reductions under the same name nested in each other, worksharing with reduction(task,
// ...).
// libomp asserts where a taskloop with a reduction generates tasks that take part in it, inside another reduction.
// test: peer-skip clang within-a-taskloop
#include <atomic>
#include <vector>
#include "check.h"

namespace {

// A sum that is right only if every copy began from the initialiser and was combined once.
struct Sum {
    long value = 0;
    long tag = 7;
    std::vector<int> storage = std::vector<int>(4, 1);

    static std::atomic<long>& alive() {
        static std::atomic<long> count{0};
        return count;
    }
    Sum() { ++alive(); }
    Sum(const Sum& other) : value(other.value), tag(other.tag), storage(other.storage) { ++alive(); }
    Sum& operator=(const Sum&) = default;
    ~Sum() { --alive(); }
    void add(const Sum& other) {
        value += other.value;
        tag = tag == 7 && other.tag == 7 && other.storage.size() == 4 ? 7 : -1;
    }
};

#pragma omp declare reduction(merge:Sum : omp_out.add(omp_in)) initializer(omp_priv = Sum())

void user_defined(int width) {
    Sum sum;
    sum.value = 100;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
#pragma omp taskgroup task_reduction(merge : sum)
            {
                for (int i = 0; i < 40; ++i) {
#pragma omp task in_reduction(merge : sum) firstprivate(i)
                    sum.value += i;
                }
            }
            EXPECT_EQ(sum.value, 880);
        }
    }
    EXPECT_EQ(sum.tag, 7);
}

void loops(int width) {
    Sum sum;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
#pragma omp taskloop reduction(merge : sum) grainsize(3)
            for (int i = 0; i < 60; ++i) sum.value += i;
        }
    }
    EXPECT_EQ(sum.value, 1770);
    EXPECT_EQ(sum.tag, 7);
}

void no_participants(int width) {
    long sum = 3;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
#pragma omp taskgroup task_reduction(+ : sum)
            {}
            EXPECT_EQ(sum, 3);
        }
    }
}

void deep_below(int depth, long& sum) {
#pragma omp task in_reduction(+ : sum) firstprivate(depth)
    {
        sum += 1;
        if (depth > 0) {
            deep_below(depth - 1, sum);
            deep_below(depth - 1, sum);
        }
    }
}

void descendants(int width) {
    long sum = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
#pragma omp taskgroup task_reduction(+ : sum)
            deep_below(4, sum);
        }
    }
    EXPECT_EQ(sum, 31);
}

void groups_within_groups(int width) {
    long outer = 0, inner_total = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
#pragma omp taskgroup task_reduction(+ : outer)
            {
                for (int i = 0; i < 6; ++i) {
#pragma omp task in_reduction(+ : outer) shared(inner_total)
                    {
                        outer += 1;
                        long inner = 0;
#pragma omp taskgroup task_reduction(+ : inner)
                        {
                            for (int k = 0; k < 5; ++k) {
#pragma omp task in_reduction(+ : inner) in_reduction(+ : outer)
                                {
                                    inner += 1;
                                    outer += 10;
                                }
                            }
                        }
#pragma omp atomic
                        inner_total += inner;
                    }
                }
            }
        }
    }
    EXPECT_EQ(outer, 306);
    EXPECT_EQ(inner_total, 30);
}

void arrays(int width) {
    double fixed[3][4] = {};
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
#pragma omp taskgroup task_reduction(+ : fixed)
            {
                for (int i = 0; i < 100; ++i) {
#pragma omp task in_reduction(+ : fixed) firstprivate(i)
                    fixed[i % 3][i % 4] += 1;
                }
            }
        }
    }
    double total = 0;
    for (auto& row : fixed)
        for (double cell : row) total += cell;
    EXPECT(total == 100);
}

// clang 19 keeps a section's length only in threads that have executed a participating task, so the thread at
// the end of the group may combine nothing.
#ifndef __clang__
void sections_of_arrays(int width) {
    int n = 50;
    std::vector<long> storage(n, 0);
    long* data = storage.data();
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
#pragma omp taskgroup task_reduction(+ : data[0 : n])
            {
                for (int i = 0; i < 100; ++i) {
#pragma omp task in_reduction(+ : data[0 : n]) firstprivate(i, n)
                    data[i % n] += i;
                }
            }
        }
    }
    for (int i = 0; i < n; ++i) EXPECT_EQ(storage[i], 2 * i + n);
}
#endif

// The copy of a section begins from the initialiser though the thread has used its copy of another variable before: clang 19
// tells the section's length to the thread just before that asks for the copy. The length grows from call to call, so that none
// is left from before; the undeferred task tells it to the thread at the end of the group.
void section_behind_another(int width) {
    static std::atomic<int> calls{0};
    const int n = 3 + 2 * calls.fetch_add(1);
    std::vector<long> storage(n, 1);
    long* data = storage.data();
    long sum = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(* : data[0 : n])
            {
                for (int i = 0; i < 40; ++i) {
#pragma omp task in_reduction(+ : sum) in_reduction(* : data[0 : n]) firstprivate(i, n) if (i > 0)
                    {
                        sum += i;
                        data[n - 1] *= i < 5 ? 2 : 1;
                    }
                }
            }
        }
    }
    EXPECT_EQ(sum, 780);
    for (int i = 0; i < n; ++i) EXPECT_EQ(storage[i], i == n - 1 ? 32 : 1);
}

void task_modifiers(int width) {
    long on_region = 1, on_loop = 2, on_sections = 3;
#pragma omp parallel num_threads(width) reduction(task, + : on_region)
    {
        on_region += 1;
#pragma omp task in_reduction(+ : on_region)
        {
            on_region += 10;
#pragma omp task in_reduction(+ : on_region)
            on_region += 100;
        }
#pragma omp for reduction(task, + : on_loop) schedule(static, 2)
        for (int i = 0; i < 24; ++i) {
            on_loop += 1;
#pragma omp task in_reduction(+ : on_loop)
            on_loop += 10;
        }
#pragma omp sections reduction(task, + : on_sections)
        {
#pragma omp section
            {
#pragma omp task in_reduction(+ : on_sections)
                on_sections += 1;
            }
#pragma omp section
            {
#pragma omp taskloop in_reduction(+ : on_sections) num_tasks(3)
                for (int i = 0; i < 9; ++i) on_sections += 10;
            }
        }
        EXPECT_EQ(on_loop, 2 + 24 * 11);
        EXPECT_EQ(on_sections, 3 + 91);
    }
    EXPECT_EQ(on_region, 1 + 111 * width);
}

// The tasks take part in the taskloop's reduction, whose copies are combined into the outer one's. clang 19 names a group for
// them that is not around them.
void within_a_taskloop(int width) {
    long by_task = 0, by_loop = 0;
#pragma omp parallel num_threads(width)
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : by_task)
        {
#pragma omp task in_reduction(+ : by_task)
            {
#pragma omp taskloop reduction(+ : by_task)
                for (int i = 0; i < 9; ++i) {
                    by_task += 1;
#pragma omp task in_reduction(+ : by_task)
                    by_task += 10;
                }
            }
        }
#pragma omp parallel for num_threads(width) reduction(task, + : by_loop)
        for (int i = 0; i < 3; ++i) {
#pragma omp taskloop reduction(+ : by_loop)
            for (int k = 0; k < 3; ++k) {
                by_loop += 1;
#pragma omp task in_reduction(+ : by_loop)
                by_loop += 10;
            }
        }
    }
    EXPECT_EQ(by_task, 99);
    EXPECT_EQ(by_loop, 99);
}

}  // namespace

int main() {
    check("user-defined", user_defined);
    check("loops", loops);
    check("no-participants", no_participants);
    check("descendants", descendants);
    check("groups-within-groups", groups_within_groups);
    check("arrays", arrays);
#ifndef __clang__
    check("sections-of-arrays", sections_of_arrays);
#endif
    check("section-behind-another", section_behind_another);
    check("task-modifiers", task_modifiers);
    check("within-a-taskloop", within_a_taskloop);
    check_name_ = "copies-are-destroyed";
    EXPECT_EQ(Sum::alive().load(), 0);
    printf("%s copies-are-destroyed\n", Sum::alive().load() == 0 ? "ok" : "not ok");
    return check_done() || Sum::alive().load() != 0;
}
