// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// threadprivate and thread_local objects with constructors and destructors, references, class members,
// templates.
#include <string>
#include <vector>
#include "check.h"

struct Constructed {
    Constructed() : value(41) { text = "constructed"; }
    Constructed(const Constructed& other) = default;
    Constructed& operator=(const Constructed& other) = default;
    ~Constructed() { value = -1; }
    int value;
    std::string text;
};

// gcc requires the directive between declaration and definition for an object with a constructor.
extern Constructed object;
#pragma omp threadprivate(object)
Constructed object;

namespace {

thread_local std::vector<int> list{1, 2, 3};

struct Holder {
    static int member;
#pragma omp threadprivate(member)
};
int Holder::member = 12;

int& local_static() {
    static int value = 5;
#pragma omp threadprivate(value)
    return value;
}

void constructed_in_each_thread(int width) {
    Constructed* addresses[64];
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        addresses[me] = &object;
        EXPECT(!object.text.empty());
        object.value = me;
        object.text = std::string(50, static_cast<char>('a' + me % 26));
#pragma omp barrier
        EXPECT_EQ(object.value, me);
        EXPECT(object.text == std::string(50, static_cast<char>('a' + me % 26)));
        for (int i = 0; i < width; ++i) EXPECT(i == me || addresses[i] != &object);
    }
}

// gcc 12 copies into an object before it constructs it, at the thread's first use.
#ifdef __clang__
void copyin_assigns(int width) {
    object.value = 99;
    object.text = "assigned";
#pragma omp parallel num_threads(width) copyin(object)
    {
        EXPECT_EQ(object.value, 99);
        EXPECT(object.text == "assigned");
#pragma omp barrier
        object.text += std::to_string(omp_get_thread_num());
    }
}
#endif

void native_thread_local(int width) {
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        list.assign(static_cast<std::size_t>(me) + 1, me);
#pragma omp barrier
        EXPECT_EQ(list.size(), me + 1);
        EXPECT_EQ(list.back(), me);
    }
}

void members_and_local_statics(int width) {
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        Holder::member = 100 + me;
        local_static() = 200 + me;
#pragma omp barrier
        EXPECT_EQ(Holder::member, 100 + me);
        EXPECT_EQ(local_static(), 200 + me);
    }
}

}  // namespace

int main() {
    check("constructed-in-each-thread", constructed_in_each_thread);
#ifdef __clang__
    check("copyin-assigns", copyin_assigns);
#endif
    check("native-thread-local", native_thread_local);
    check("members-and-local-statics", members_and_local_statics);
    return check_done();
}
