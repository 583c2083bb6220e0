// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++ loops: random access iterators, pointers, range-for, class-typed lastprivate.
//
// libomp 19 loses the last iteration's value when its nonmonotonic dynamic schedule steals:
// test: peer-skip clang class-lastprivate
#include <array>
#include <deque>
#include <string>
#include <vector>
#include "check.h"

namespace {

void vector_iterator(int width) {
    std::vector<int> values(321, 1);
#pragma omp parallel for num_threads(width) schedule(dynamic, 7)
    for (auto at = values.begin(); at < values.end(); ++at) *at += static_cast<int>(at - values.begin());
    for (int i = 0; i < 321; ++i) EXPECT_EQ(values[i], i + 1);
}

void deque_backwards(int width) {
    std::deque<long> values(77, 0);
#pragma omp parallel for num_threads(width) schedule(guided)
    for (auto at = values.rbegin(); at < values.rend(); at += 2) *at = 5;
    for (int i = 0; i < 77; ++i) EXPECT_EQ(values[i], i % 2 == 0 ? 5 : 0);
}

void pointers(int width) {
    int array[90] = {};
#pragma omp parallel for num_threads(width) schedule(static, 4)
    for (int* at = array + 89; at >= array; at -= 3) *at += 1;
    for (int i = 0; i < 90; ++i) EXPECT_EQ(array[i], i % 3 == 2);
}

void range_for(int width) {
    std::vector<std::string> words(60);
#pragma omp parallel for num_threads(width)
    for (auto& word : words) word += "word";
    for (const auto& word : words) EXPECT(word == "word");
}

void collapsed(int width) {
    std::array<std::array<int, 6>, 5> grid{};
#pragma omp parallel for num_threads(width) collapse(2) schedule(dynamic)
    for (auto row = grid.begin(); row != grid.end(); ++row)
        for (int column = 0; column < 6; ++column) (*row)[column]++;
    for (const auto& row : grid)
        for (int value : row) EXPECT_EQ(value, 1);
}

void class_lastprivate(int width) {
    std::string last = "none";
#pragma omp parallel for num_threads(width) lastprivate(last) schedule(dynamic)
    for (int i = 0; i < 25; ++i) last = std::string(static_cast<size_t>(i) + 20, 'x');
    EXPECT_EQ(last.size(), 44);
}

void class_linear_step(int width) {
    std::vector<int> hits(100);
    std::size_t step = 3;
#pragma omp parallel for num_threads(width) schedule(static)
    for (std::size_t i = 1; i < hits.size(); i += step) hits[i]++;
    for (int i = 0; i < 100; ++i) EXPECT_EQ(hits[i], i % 3 == 1);
}

}  // namespace

int main() {
    check("vector-iterator", vector_iterator);
    check("deque-backwards", deque_backwards);
    check("pointers", pointers);
    check("range-for", range_for);
    check("collapsed", collapsed);
    check("class-lastprivate", class_lastprivate);
    check("class-linear-step", class_linear_step);
    return check_done();
}
