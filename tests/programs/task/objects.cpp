// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks and C++: each copy is made and destroyed once; exceptions that stay inside a task, range-for taskloops,
// lambdas.
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include "check.h"

namespace {

struct Noted {
    explicit Noted(std::atomic<int>* balance) : balance_(balance) { ++*balance_; }
    Noted(const Noted& other) : balance_(other.balance_), text_(other.text_) { ++*balance_; }
    ~Noted() { --*balance_; }
    const std::string& text() const { return text_; }

private:
    std::atomic<int>* balance_;
    std::string text_ = std::string(60, 'n');
};

void copies_are_destroyed(int width) {
    std::atomic<int> balance{0};
    int wrong = 0;
    {
        Noted noted(&balance);
#pragma omp parallel num_threads(width)
        {
#pragma omp single
            for (int i = 0; i < 20; ++i) {
#pragma omp task firstprivate(noted) shared(wrong)
                {
                    if (noted.text() != std::string(60, 'n')) {
#pragma omp atomic
                        wrong++;
                    }
                }
            }
        }
        EXPECT_EQ(balance.load(), 1);
    }
    EXPECT_EQ(balance.load(), 0);
    EXPECT_EQ(wrong, 0);
}

void shared_pointers(int width) {
    auto shared = std::make_shared<std::string>("kept");
    std::atomic<int> seen{0};
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        for (int i = 0; i < 10; ++i) {
            auto mine = shared;
#pragma omp task firstprivate(mine) shared(seen)
            seen += *mine == "kept";
        }
    }
    EXPECT_EQ(seen.load(), 10);
    EXPECT_EQ(shared.use_count(), 1);
}

void exceptions(int width) {
    std::atomic<int> caught{0};
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        for (int i = 0; i < 15; ++i) {
#pragma omp task firstprivate(i) shared(caught)
            {
                try {
                    if (i % 3 == 0) throw std::runtime_error(std::to_string(i));
                } catch (const std::exception& error) {
                    caught += std::stoi(error.what()) == i;
                }
            }
        }
    }
    EXPECT_EQ(caught.load(), 5);
}

void loops_over_containers(int width) {
    std::vector<std::string> words(50);
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
#pragma omp taskloop grainsize(4) shared(words)
            for (auto& word : words) word += "task";
        }
    }
    for (const auto& word : words) EXPECT(word == "task");
}

long sort_count(std::vector<int>& values, std::size_t from, std::size_t to) {
    if (to - from < 2) return 0;
    std::size_t middle = (from + to) / 2;
    long left = 0, right = 0;
#pragma omp task shared(values, left) if (to - from > 8)
    left = sort_count(values, from, middle);
#pragma omp task shared(values, right) if (to - from > 8)
    right = sort_count(values, middle, to);
#pragma omp taskwait
    std::vector<int> merged;
    std::size_t a = from, b = middle;
    while (a < middle || b < to)
        merged.push_back(b >= to || (a < middle && values[a] <= values[b]) ? values[a++] : values[b++]);
    std::copy(merged.begin(), merged.end(), values.begin() + static_cast<long>(from));
    return left + right + 1;
}

void merge_sort(int width) {
    std::vector<int> values(100);
    for (int i = 0; i < 100; ++i) values[i] = i * 37 % 100;
    long merges = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        merges = sort_count(values, 0, values.size());
    }
    for (int i = 0; i < 100; ++i) EXPECT_EQ(values[i], i);
    EXPECT_EQ(merges, 99);
}

}  // namespace

int main() {
    check("copies-are-destroyed", copies_are_destroyed);
    check("shared-pointers", shared_pointers);
    check("exceptions", exceptions);
    check("loops-over-containers", loops_over_containers);
    check("merge-sort", merge_sort);
    return check_done();
}
