// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels that oneTBB can express without change. The program runs the kernel by whose name it is called,
// with the sizes, the options and the output line of the OpenMP program of that name.
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/version.h>

#include <dlfcn.h>
#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <string_view>
#include <vector>

#define _Noreturn [[noreturn]]
extern "C" {
#include "../measure.h"
}

namespace {

long cut_off = LONG_MAX;

uint64_t next_random(uint64_t& state) {
    uint64_t x = state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

// Generates a task where the OpenMP kernel generates one.
class Tasks {
public:
    template <typename F>
    void spawn(F&& work) {
        group_.run(std::forward<F>(work));
    }
    void wait() { group_.wait(); }

private:
    tbb::task_group group_;
};

// The same interface for calls below the cut-off, where a task group would cost time.
class Calls {
public:
    template <typename F>
    void spawn(F&& work) {
        work();
    }
    void wait() {}
};

template <typename F>
auto with_tasks(long depth, F&& body) {
    if (depth < cut_off) {
        Tasks tasks;
        return body(tasks);
    }
    Calls calls;
    return body(calls);
}

struct Kernel {
    virtual ~Kernel() = default;
    virtual void reset() {}
    virtual void run() = 0;
    virtual bool right() const = 0;
    virtual double tasks() const { return 0; }
};

struct Fib final : Kernel {
    long n, result = 0, expected = 0, made = 0;
    explicit Fib(long size) : n(size) {
        long a = 0, b = 1, tasks_a = 0, tasks_b = 0;
        for (long i = 0; i < n; ++i) {
            long sum = a + b, tasks_sum = tasks_a + tasks_b + 2;
            a = b, b = sum, tasks_a = tasks_b, tasks_b = tasks_sum;
        }
        expected = a, made = tasks_a;
    }
    static long fib(long k, long depth) {
        if (k < 2) return k;
        return with_tasks(depth, [&](auto& tasks) {
            long a, b;
            tasks.spawn([&a, k, depth] { a = fib(k - 1, depth + 1); });
            tasks.spawn([&b, k, depth] { b = fib(k - 2, depth + 1); });
            tasks.wait();
            return a + b;
        });
    }
    void run() override { result = fib(n, 0); }
    bool right() const override { return result == expected; }
    double tasks() const override { return static_cast<double>(made); }
};

struct Queens final : Kernel {
    static constexpr int most = 16;
    struct Board {
        signed char column[most];
    };
    int n;
    long found = 0;
    explicit Queens(long size) : n(static_cast<int>(size)) {}
    static bool safe(const Board& board, int row, int column) {
        for (int r = 0; r < row; ++r) {
            int distance = column - board.column[r];
            if (distance == 0 || distance == row - r || distance == r - row) return false;
        }
        return true;
    }
    long place(int row, const Board& board) const {
        if (row == n) return 1;
        return with_tasks(row, [&](auto& tasks) {
            long ways[most] = {};
            for (int column = 0; column < n; ++column)
                tasks.spawn([this, &ways, &board, row, column] {
                    if (!safe(board, row, column)) return;
                    Board next = board;
                    next.column[row] = static_cast<signed char>(column);
                    ways[column] = place(row + 1, next);
                });
            tasks.wait();
            long sum = 0;
            for (int column = 0; column < n; ++column) sum += ways[column];
            return sum;
        });
    }
    void run() override { found = place(0, Board{}); }
    bool right() const override {
        constexpr long known[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};
        return n > 12 || found == known[n];
    }
};

struct Sort final : Kernel {
    static constexpr long run_length = 2048;
    std::vector<uint32_t> given, values, scratch;
    explicit Sort(long size) : given(size), values(size), scratch(size) {
        uint64_t state = 1;
        for (auto& value : given) value = static_cast<uint32_t>(next_random(state));
    }
    static void merge(const uint32_t* a, long a_count, const uint32_t* b, long b_count, uint32_t* to, long depth) {
        if (a_count < b_count) {
            std::swap(a, b);
            std::swap(a_count, b_count);
        }
        if (a_count + b_count <= run_length) {
            std::merge(a, a + a_count, b, b + b_count, to);
            return;
        }
        long middle = a_count / 2, cut = std::lower_bound(b, b + b_count, a[middle]) - b;
        with_tasks(depth, [&](auto& tasks) {
            tasks.spawn([=] { merge(a, middle, b, cut, to, depth + 1); });
            tasks.spawn([=] { merge(a + middle, a_count - middle, b + cut, b_count - cut, to + middle + cut, depth + 1); });
            tasks.wait();
        });
    }
    static void sort(uint32_t* a, uint32_t* spare, long count, long depth) {
        if (count <= run_length) {
            std::sort(a, a + count);
            return;
        }
        long quarter = count / 4, half = 2 * quarter;
        with_tasks(depth, [&](auto& tasks) {
            tasks.spawn([=] { sort(a, spare, quarter, depth + 1); });
            tasks.spawn([=] { sort(a + quarter, spare + quarter, quarter, depth + 1); });
            tasks.spawn([=] { sort(a + half, spare + half, quarter, depth + 1); });
            tasks.spawn([=] { sort(a + half + quarter, spare + half + quarter, count - half - quarter, depth + 1); });
            tasks.wait();
            tasks.spawn([=] { merge(a, quarter, a + quarter, quarter, spare, depth + 1); });
            tasks.spawn([=] { merge(a + half, quarter, a + half + quarter, count - half - quarter, spare + half, depth + 1); });
            tasks.wait();
        });
        merge(spare, half, spare + half, count - half, a, depth);
    }
    void reset() override { values = given; }
    void run() override { sort(values.data(), scratch.data(), static_cast<long>(values.size()), 0); }
    bool right() const override { return std::is_sorted(values.begin(), values.end()); }
};

struct Uts final : Kernel {
    static constexpr int fan = 8;
    static constexpr uint64_t likely = static_cast<uint64_t>(0.1249 * 18446744073709551615.0);
    long root_children, visited = 0, expected;
    explicit Uts(long size) : root_children(size) {
        const long asked = cut_off;
        cut_off = 0;
        expected = visit(0, root_children, 0);
        cut_off = asked;
    }
    static long visit(uint64_t node, long children, long depth) {
        if (children == 0) return 1;
        return with_tasks(depth, [&](auto& tasks) {
            long counts[fan], total = 1;
            for (long first = 0; first < children; first += fan) {
                const long here = std::min<long>(children - first, fan);
                for (long i = 0; i < here; ++i) {
                    uint64_t state = node + static_cast<uint64_t>(first + i) * 0x2545f4914f6cdd1du;
                    const uint64_t child = next_random(state);
                    tasks.spawn([&counts, child, i, depth] { counts[i] = visit(child, child < likely ? fan : 0, depth + 1); });
                }
                tasks.wait();
                for (long i = 0; i < here; ++i) total += counts[i];
            }
            return total;
        });
    }
    void run() override { visited = visit(0, root_children, 0); }
    bool right() const override { return visited == expected; }
    double tasks() const override { return static_cast<double>(expected - 1); }
};

// A flow graph. It finds the edges as a runtime does: by the last writer and the readers since then.
struct Graph final : Kernel {
    struct Use {
        uint32_t changed, read[2];
    };
    using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;
    std::vector<Use> uses;
    std::vector<uint64_t> cells, expected;
    explicit Graph(long count) : uses(count), cells(count / 10 + 3) {
        uint64_t state = 8;
        reset();
        for (size_t i = 0; i < uses.size(); ++i) {
            uint32_t at[3];
            for (int k = 0; k < 3; ++k) do
                    at[k] = static_cast<uint32_t>(next_random(state) % cells.size());
                while ((k > 0 && at[k] == at[0]) || (k > 1 && at[k] == at[1]));
            uses[i] = {at[0], {at[1], at[2]}};
            change(i);
        }
        expected = cells;
    }
    void change(size_t i) {
        uint64_t& cell = cells[uses[i].changed];
        cell = cell * 6364136223846793005u + cells[uses[i].read[0]] + 3 * cells[uses[i].read[1]] + i;
    }
    void reset() override {
        for (size_t i = 0; i < cells.size(); ++i) cells[i] = i;
    }
    void run() override {
        struct Last {
            Node* writer = nullptr;
            std::vector<Node*> readers;
        };
        tbb::flow::graph graph;
        std::deque<Node> nodes;
        std::vector<Last> last(cells.size());
        std::vector<Node*> first;
        for (size_t i = 0; i < uses.size(); ++i) {
            Node& node = nodes.emplace_back(graph, [this, i](const tbb::flow::continue_msg& m) {
                change(i);
                return m;
            });
            int before = 0;
            auto after = [&](Node* predecessor) {
                if (predecessor != nullptr) {
                    tbb::flow::make_edge(*predecessor, node);
                    ++before;
                }
            };
            for (uint32_t read : uses[i].read) {
                after(last[read].writer);
                last[read].readers.push_back(&node);
            }
            Last& changed = last[uses[i].changed];
            after(changed.writer);
            for (Node* reader : changed.readers) after(reader);
            changed.readers.clear();
            changed.writer = &node;
            if (before == 0) first.push_back(&node);
        }
        for (Node* node : first) node->try_put(tbb::flow::continue_msg());
        graph.wait_for_all();
    }
    bool right() const override { return cells == expected; }
    double tasks() const override { return static_cast<double>(uses.size()); }
};

struct Run {
    Kernel* kernel;
    tbb::task_arena* arena;
};

void pass(void* context) {
    Run& run = *static_cast<Run*>(context);
    run.kernel->reset();
    run.arena->execute([&] { run.kernel->run(); });
    if (!run.kernel->right()) wrong("the result is not what it should be");
}

}  // namespace

int main(int argc, char** argv) {
    const char* slash = std::strrchr(argv[0], '/');
    const std::string_view name = slash != nullptr ? slash + 1 : argv[0];
    const double sizes[] = {25, 9, 1 << 20, 400, 0};
    const long cut_offs[] = {10, 3, 5, 4, LONG_MAX};
    const std::string_view names[] = {"fib", "nqueens", "sort", "uts", "graph"};
    const auto which = std::find(std::begin(names), std::end(names), name) - std::begin(names);
    if (which == std::end(names) - std::begin(names)) wrong("there is no kernel %s", argv[0]);
    Option options[] = {
        {"threads", 2, "threads"},
        {"size", sizes[which], "problem size"},
        {"cut-off", 0, "1: no tasks below a depth"},
        {"tasks", 100000, "tasks of the graph"},
    };
    const Budget budget = read_options(argc, argv, options, 4);
    const int threads = static_cast<int>(options[0].value);
    const long size = static_cast<long>(options[1].value);
    cut_off = options[2].value != 0 ? cut_offs[which] : LONG_MAX;

    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads));
    tbb::task_arena arena(threads);
    Kernel* kernel = which == 0   ? static_cast<Kernel*>(new Fib(size))
                     : which == 1 ? static_cast<Kernel*>(new Queens(size))
                     : which == 2 ? static_cast<Kernel*>(new Sort(size))
                     : which == 3 ? static_cast<Kernel*>(new Uts(size))
                                  : new Graph(static_cast<long>(options[3].value));
    Run run{kernel, &arena};
    const Timing timing = measure(pass, &run, &budget);

    Dl_info info;
    const bool found = dladdr(reinterpret_cast<void*>(&TBB_runtime_version), &info) != 0;
    std::printf("{\"benchmark\": \"%s\", \"served_by\": \"%s\"", argv[0], found ? info.dli_fname : "none");
    json_number("threads", threads);
    json_timing(&timing);
    if (kernel->tasks() > 0 && cut_off == LONG_MAX) json_number("ns_a_task", 1000 * timing.median_us / kernel->tasks());
    json_close();
    delete kernel;
    return 0;
}
