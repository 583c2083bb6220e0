// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++ objects in data clauses: each thread runs one constructor and one destructor; exceptions that stay inside
// a thread.
#include <atomic>
#include <stdexcept>
#include <string>
#include "check.h"

namespace {

// Counts the constructions, copies and destructions of the objects that share it.
struct Tally {
    std::atomic<int> made{0}, copied{0}, gone{0};
};

struct Noted {
    explicit Noted(Tally* t, int v) : tally(t), value(v) { tally->made++; }
    Noted(const Noted& other) : tally(other.tally), value(other.value) { tally->copied++; }
    ~Noted() { tally->gone++; }
    Tally* tally;
    int value;
};

void firstprivate_copies(int width) {
    Tally tally;
    {
        Noted noted(&tally, 11);
#pragma omp parallel num_threads(width) firstprivate(noted)
        {
            EXPECT_EQ(noted.value, 11);
            noted.value = omp_get_thread_num();
#pragma omp barrier
            EXPECT_EQ(noted.value, omp_get_thread_num());
        }
        EXPECT_EQ(noted.value, 11);
        EXPECT_EQ(tally.copied.load(), width);
        EXPECT_EQ(tally.gone.load(), width);
    }
    EXPECT_EQ(tally.gone.load(), width + 1);
}

void private_is_default_constructed(int width) {
    std::string text = "outside";
#pragma omp parallel num_threads(width) private(text)
    {
        EXPECT(text.empty());
        text = std::string(40, static_cast<char>('0' + omp_get_thread_num()));
#pragma omp barrier
        EXPECT(text == std::string(40, static_cast<char>('0' + omp_get_thread_num())));
    }
    EXPECT(text == "outside");
}

void exceptions_stay_inside(int width) {
    int caught = 0;
#pragma omp parallel num_threads(width) reduction(+ : caught)
    {
        try {
            std::string keeps_memory(100, 'x');
            if (omp_get_thread_num() % 2 == 0) throw std::runtime_error(std::to_string(omp_get_thread_num()));
        } catch (const std::runtime_error& error) {
            caught += std::stoi(error.what()) == omp_get_thread_num();
        }
    }
    EXPECT_EQ(caught, (width + 1) / 2);
}

struct Member {
    int value = 5;
    void run(int width) {
        int sum = 0;
#pragma omp parallel num_threads(width) reduction(+ : sum)
        sum += this->value;
        EXPECT_EQ(sum, 5 * width);
    }
};

void inside_member(int width) { Member().run(width); }

void inside_lambda(int width) {
    int sum = 0;
    auto body = [&](int factor) {
#pragma omp parallel num_threads(width)
        {
            auto inner = [&] {
#pragma omp atomic
                sum += factor;
            };
            inner();
        }
    };
    body(3);
    EXPECT_EQ(sum, 3 * width);
}

}  // namespace

int main() {
    check("firstprivate-copies", firstprivate_copies);
    check("private-is-default-constructed", private_is_default_constructed);
    check("exceptions-stay-inside", exceptions_stay_inside);
    check("inside-member", inside_member);
    check("inside-lambda", inside_lambda);
    return check_done();
}
