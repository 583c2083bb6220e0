// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that do something at random, and then all meet in some way that OpenMP knows nothing of, or does: whatever the others
// are held up by, each comes to the meeting.
//
// CHECK_SEED   what is drawn, default 1
// test: reps 3
#include "meeting.h"

static void meetings(int width) {
    static unsigned calls;
    unsigned common = first_draw(__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED));
    for (int round = 0; round < 4; ++round) {
        unsigned kind = draw(&common, kinds_of_meeting);
        Meeting meeting;
        int passed = 0;
        open_meeting(&meeting, width);
#pragma omp parallel num_threads(width) reduction(+ : passed)
        {
            unsigned own = common + 31u * (unsigned)omp_get_thread_num();
            draw(&own, 1);
            be_held_up(&own);
            meet(&meeting, kind, width);
            be_held_up(&own);
            passed++;
        }
        EXPECT_EQ(passed, width);
        close_meeting(&meeting);
    }
}

int main(void) {
    check("meetings", meetings);
    return check_done();
}
