// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// taskloop: the sizes of the parts that grainsize and num_tasks request, with strict and without; nogroup and
// the implied group; collapsed and odd bounds; lastprivate, reductions of several operators
// and of arrays, in_reduction; inside tasks, final tasks, worksharing, and with simd.
#include "check.h"

#define IN_SINGLE(width) _Pragma("omp parallel num_threads(width)") _Pragma("omp single")

// Each part is a task with a fresh firstprivate copy of `sentinel`, by which a part's first iteration recognises
// itself.
typedef struct {
    int parts, smallest, largest, iterations;
} Parts;

static void count_parts(const int* first_of, int n, Parts* parts) {
    *parts = (Parts){0, n + 1, 0, 0};
    for (int i = 0; i < n;) {
        int length = 0;
        EXPECT_EQ(first_of[i], i);
        for (int begin = first_of[i]; i < n && first_of[i] == begin; ++i) length++;
        parts->parts++;
        parts->iterations += length;
        parts->smallest = length < parts->smallest ? length : parts->smallest;
        parts->largest = length > parts->largest ? length : parts->largest;
    }
}

enum { iterations = 103 };

static void sizes_by_grain(int width) {
    int first_of[iterations];
    Parts parts;
    for (int grain = 1; grain <= 60; grain = 2 * grain + 1) {
        int sentinel = -1;
        IN_SINGLE(width) {
#pragma omp taskloop grainsize(grain) firstprivate(sentinel) shared(first_of)
            for (int i = 0; i < iterations; ++i) {
                sentinel = sentinel < 0 ? i : sentinel;
                first_of[i] = sentinel;
            }
        }
        count_parts(first_of, iterations, &parts);
        EXPECT_EQ(parts.iterations, iterations);
        // A part has at least one grain, or the whole loop, and less than two grains.
        EXPECT(parts.smallest >= grain || parts.parts == 1);
        EXPECT(parts.largest < 2 * grain || parts.parts == 1);
    }
}

static void sizes_by_number(int width) {
    int first_of[iterations];
    Parts parts;
    for (int number = 1; number <= 200; number = 3 * number + 1) {
        int sentinel = -1, expected = number < iterations ? number : iterations;
        IN_SINGLE(width) {
#pragma omp taskloop num_tasks(number) firstprivate(sentinel) shared(first_of)
            for (int i = 0; i < iterations; ++i) {
                sentinel = sentinel < 0 ? i : sentinel;
                first_of[i] = sentinel;
            }
        }
        count_parts(first_of, iterations, &parts);
        EXPECT_EQ(parts.iterations, iterations);
        EXPECT_EQ(parts.parts, expected);
    }
}

// clang 19 parses strict but does not pass it to the runtime.
#if !defined(__clang__) || __clang_major__ > 19
#define STRICT_IS_COMPILED
#endif

#ifdef STRICT_IS_COMPILED
static void sizes_strict(int width) {
    int by_grain[iterations], by_number[iterations];
    Parts parts;
    for (int n = 1; n <= 60; n = 2 * n + 1) {
        int sentinel = -1;
        IN_SINGLE(width) {
#pragma omp taskloop grainsize(strict : n) firstprivate(sentinel) shared(by_grain)
            for (int i = 0; i < iterations; ++i) {
                sentinel = sentinel < 0 ? i : sentinel;
                by_grain[i] = sentinel;
            }
#pragma omp taskloop num_tasks(strict : n) firstprivate(sentinel) shared(by_number)
            for (int i = 0; i < iterations; ++i) {
                sentinel = sentinel < 0 ? i : sentinel;
                by_number[i] = sentinel;
            }
        }
        count_parts(by_grain, iterations, &parts);
        EXPECT_EQ(parts.parts, (iterations + n - 1) / n);
        EXPECT_EQ(parts.largest, n);
        for (int i = 0; i < iterations; ++i) EXPECT_EQ(by_grain[i], i / n * n);
        count_parts(by_number, iterations, &parts);
        EXPECT_EQ(parts.iterations, iterations);
        EXPECT_EQ(parts.largest, (iterations + n - 1) / n);
    }
}

static void each_part_its_own_copy(int width) {
    int counter = -1;
    IN_SINGLE(width) {
#pragma omp taskloop firstprivate(counter) lastprivate(counter) num_tasks(strict : 4)
        for (int i = 0; i < 40; ++i) counter++;
        EXPECT_EQ(counter, 9);
    }
}
#endif

static void nogroup(int width) {
    int inside = 0, grouped = 0;
    IN_SINGLE(width) {
#pragma omp taskloop nogroup num_tasks(8) shared(inside)
        for (int i = 0; i < 40; ++i) {
#pragma omp atomic
            inside++;
        }
#pragma omp taskwait
        EXPECT_EQ(inside, 40);
#pragma omp taskgroup
        {
#pragma omp taskloop nogroup grainsize(3) shared(grouped)
            for (int i = 0; i < 40; ++i) {
#pragma omp task shared(grouped)
                {
#pragma omp atomic
                    grouped++;
                }
            }
        }
        EXPECT_EQ(grouped, 40);
    }
}

// Without nogroup the construct waits for the tasks' descendants too.
static void its_own_group(int width) {
    int count = 0;
    IN_SINGLE(width)
    for (int round = 1; round <= 3; ++round) {
#pragma omp taskloop num_tasks(6) shared(count)
        for (int i = 0; i < 30; ++i) {
#pragma omp task shared(count)
            {
#pragma omp atomic
                count++;
            }
        }
        EXPECT_EQ(count, 30 * round);
    }
}

static void collapsed_and_odd(int width) {
    int hits[5][7][3];
    memset(hits, 0, sizeof hits);
    long down = 0, none = 0;
    IN_SINGLE(width) {
#pragma omp taskloop collapse(3) num_tasks(11) shared(hits)
        for (int i = 4; i >= 0; --i)
            for (long j = 0; j < 7; ++j)
                for (unsigned k = 0; k < 3; ++k) hits[i][j][k]++;
#pragma omp taskloop grainsize(2) shared(down)
        for (long i = 37; i > -20; i -= 7) {
#pragma omp atomic
            down += i;
        }
#pragma omp taskloop shared(none) collapse(2)
        for (int i = 0; i < 10; ++i)
            for (int j = 5; j < 5; ++j) {
#pragma omp atomic
                none++;
            }
    }
    for (int i = 0; i < 5 * 7 * 3; ++i) EXPECT_EQ((&hits[0][0][0])[i], 1);
    EXPECT_EQ(down, 37 + 30 + 23 + 16 + 9 + 2 - 5 - 12 - 19);
    EXPECT_EQ(none, 0);
}

static void extreme_bounds(int width) {
    unsigned long long top = ~0ull, sum = 0;
    long long low = -0x7fffffffffffffffll - 1, steps = 0;
    int at_max = 0;
    IN_SINGLE(width) {
#pragma omp taskloop grainsize(3) shared(sum)
        for (unsigned long long i = top - 20; i < top; ++i) {
#pragma omp atomic
            sum += top - i;
        }
#pragma omp taskloop num_tasks(5) shared(steps)
        for (long long i = low; i < low + 50; i += 5) {
#pragma omp atomic
            steps += i - low;
        }
#pragma omp taskloop grainsize(4) shared(at_max)
        for (int i = 0x7fffffff - 10; i < 0x7fffffff; ++i) {
#pragma omp atomic
            at_max++;
        }
    }
    EXPECT_EQ(sum, 210);
    EXPECT_EQ(steps, 225);
    EXPECT_EQ(at_max, 10);
}

static void last_values(int width) {
    int last = -1, other = -1;
    IN_SINGLE(width) {
#pragma omp taskloop lastprivate(last) grainsize(1)
        for (int i = 0; i < 33; ++i) last = 2 * i;
        EXPECT_EQ(last, 64);
#pragma omp taskloop lastprivate(other) collapse(2) num_tasks(7)
        for (int i = 0; i < 5; ++i)
            for (int j = 0; j < 6; ++j) other = 10 * i + j;
        EXPECT_EQ(other, 45);
    }
}

static void reductions(int width) {
    long sum = 5, product = 1, array[3] = {1, 2, 3};
    int highest = -1, lowest = 1000, all = 1, any = 0;
    IN_SINGLE(width) {
#pragma omp taskloop reduction(+ : sum, array) reduction(* : product) grainsize(2)
        for (int i = 0; i < 30; ++i) {
            sum += i;
            array[i % 3] += 1;
            product *= i % 10 == 3 ? 2 : 1;
        }
#pragma omp taskloop reduction(max : highest) reduction(min : lowest) num_tasks(7)
        for (int i = 0; i < 50; ++i) {
            int value = 100 + i * 7 % 50;
            highest = value > highest ? value : highest;
            lowest = value < lowest ? value : lowest;
        }
#pragma omp taskloop reduction(&& : all) reduction(|| : any)
        for (int i = 0; i < 50; ++i) {
            all = all && i < 49;
            any = any || i == 17;
        }
        EXPECT_EQ(sum, 440);
        EXPECT_EQ(product, 8);
    }
    EXPECT_EQ(array[0] + array[1] + array[2], 36);
    EXPECT_EQ(highest, 149);
    EXPECT_EQ(lowest, 100);
    EXPECT_EQ(all, 0);
    EXPECT_EQ(any, 1);
}

static void in_reductions(int width) {
    long sum = 0;
#pragma omp parallel num_threads(width) reduction(task, + : sum)
    {
#pragma omp taskloop in_reduction(+ : sum) grainsize(5)
        for (int i = 0; i < 40; ++i) sum += i;
#pragma omp taskloop in_reduction(+ : sum) nogroup num_tasks(3)
        for (int i = 0; i < 12; ++i) sum += 1;
        sum += 1;
    }
    EXPECT_EQ(sum, (780 + 12 + 1) * width);
}

static void inside_tasks(int width) {
    int count = 0;
    IN_SINGLE(width)
    for (int t = 0; t < 4; ++t) {
#pragma omp task shared(count)
        {
            int mine = 0;
#pragma omp taskloop shared(mine) grainsize(3)
            for (int i = 0; i < 20; ++i) {
#pragma omp taskloop shared(mine) num_tasks(2)
                for (int k = 0; k < 2; ++k) {
#pragma omp atomic
                    mine++;
                }
            }
            EXPECT_EQ(mine, 40);
#pragma omp atomic
            count += mine;
        }
#pragma omp task final(1) shared(count)
        {
            int me = omp_get_thread_num(), mine = 0;
#pragma omp taskloop shared(mine)
            for (int i = 0; i < 10; ++i) mine += omp_in_final() && omp_get_thread_num() == me;
            EXPECT_EQ(mine, 10);
#pragma omp atomic
            count += mine;
        }
    }
    EXPECT_EQ(count, 200);
}

static void with_simd(int width) {
    float a[200], b[200], sum = 0;
    for (int i = 0; i < 200; ++i) a[i] = (float)(i % 16);
    IN_SINGLE(width) {
#pragma omp taskloop simd grainsize(16) shared(a, b)
        for (int i = 0; i < 200; ++i) b[i] = 2 * a[i];
#pragma omp taskloop simd reduction(+ : sum) num_tasks(5)
        for (int i = 0; i < 200; ++i) sum += b[i];
    }
    float expected = 0;
    for (int i = 0; i < 200; ++i) expected += 2 * a[i];
    EXPECT(sum == expected);
}

static void beside_worksharing(int width) {
    int hits[80] = {0};
#pragma omp parallel num_threads(width)
    {
#pragma omp for schedule(dynamic)
        for (int block = 0; block < 8; ++block) {
#pragma omp taskloop grainsize(2) shared(hits) firstprivate(block)
            for (int i = 0; i < 10; ++i) hits[10 * block + i]++;
        }
    }
    for (int i = 0; i < 80; ++i) EXPECT_EQ(hits[i], 1);
}

static void attributes(int width) {
    int count = 0;
    IN_SINGLE(width) {
#pragma omp taskloop priority(3) untied mergeable shared(count)
        for (int i = 0; i < 20; ++i) {
#pragma omp atomic
            count++;
        }
#pragma omp taskloop if (count < 0) shared(count)
        for (int i = 0; i < 20; ++i) count++;
    }
    EXPECT_EQ(count, 40);
}

int main(void) {
    check("sizes-by-grain", sizes_by_grain);
    check("sizes-by-number", sizes_by_number);
#ifdef STRICT_IS_COMPILED
    check("sizes-strict", sizes_strict);
    check("each-part-its-own-copy", each_part_its_own_copy);
#endif
    check("nogroup", nogroup);
    check("its-own-group", its_own_group);
    check("collapsed-and-odd", collapsed_and_odd);
    check("extreme-bounds", extreme_bounds);
    check("last-values", last_values);
    check("reductions", reductions);
    check("in-reductions", in_reductions);
    check("inside-tasks", inside_tasks);
    check("with-simd", with_simd);
    check("beside-worksharing", beside_worksharing);
    check("attributes", attributes);
    return check_done();
}
