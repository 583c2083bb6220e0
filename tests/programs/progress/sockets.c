// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that block in the kernel on each other's messages: a ring of pipes, socket pairs, a server behind poll.
// test: teams 1 2 3 8 5x6
// test: reps 3
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "check.h"

static int (*new_ends(int count))[2] { return (int(*)[2])calloc((size_t)count, 2 * sizeof(int)); }

static void close_ends(int (*ends)[2], int count) {
    for (int i = 0; i < count; ++i) {
        close(ends[i][0]);
        close(ends[i][1]);
    }
    free(ends);
}

// A token goes round; each thread adds one to it.
static void pipe_ring(int width) {
    int rounds = check_rounds(5, 100), last = 0;
    int(*ends)[2] = new_ends(width);
    for (int i = 0; i < width; ++i) EXPECT_EQ(pipe(ends[i]), 0);
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num(), token = 0;
        if (me == 0) EXPECT_EQ(write(ends[0][1], &token, sizeof token), sizeof token);
        for (int round = 0; round < rounds; ++round) {
            EXPECT_EQ(read(ends[me][0], &token, sizeof token), sizeof token);
            token++;
            if (me == width - 1 && round == rounds - 1)
                last = token;
            else
                EXPECT_EQ(write(ends[(me + 1) % width][1], &token, sizeof token), sizeof token);
        }
    }
    EXPECT_EQ(last, rounds * width);
    close_ends(ends, width);
}

// Threads 2i and 2i + 1 send each other numbers.
static void socket_pairs(int width) {
    int rounds = check_rounds(5, 100), pairs = width / 2, bad = 0;
    int(*ends)[2] = new_ends(pairs + 1);
    for (int i = 0; i < pairs; ++i) EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]), 0);
#pragma omp parallel num_threads(width) reduction(+ : bad)
    {
        int me = omp_get_thread_num(), side = me % 2;
        if (me / 2 < pairs)
            for (int round = 0; round < rounds; ++round) {
                int sent = 2 * round + side, got = -1;
                if (side == 0) bad += write(ends[me / 2][0], &sent, sizeof sent) != sizeof sent;
                bad += read(ends[me / 2][side], &got, sizeof got) != sizeof got;
                bad += got != 2 * round + 1 - side;
                if (side == 1) bad += write(ends[me / 2][1], &sent, sizeof sent) != sizeof sent;
            }
    }
    EXPECT_EQ(bad, 0);
    close_ends(ends, pairs);
}

// All other threads send a message and wait for the answer of the last thread, the server, which is the last to start.
static void poll_server(int width) {
    int rounds = check_rounds(5, 50), clients = width - 1, bad = 0;
    int(*ends)[2] = new_ends(width);
    for (int i = 0; i < clients; ++i) EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]), 0);
#pragma omp parallel num_threads(width) reduction(+ : bad)
    {
        int me = omp_get_thread_num();
        if (me == clients) {
            struct pollfd* polled = (struct pollfd*)calloc((size_t)clients + 1, sizeof *polled);
            for (int i = 0; i < clients; ++i) polled[i] = (struct pollfd){ends[i][0], POLLIN, 0};
            for (int left = clients * rounds; left > 0;) {
                if (poll(polled, (nfds_t)clients, 50000) <= 0) {
                    bad++;
                    break;
                }
                for (int i = 0; i < clients; ++i) {
                    int question;
                    if (!(polled[i].revents & POLLIN)) continue;
                    bad += read(ends[i][0], &question, sizeof question) != sizeof question;
                    question *= 2;
                    bad += write(ends[i][0], &question, sizeof question) != sizeof question;
                    left--;
                }
            }
            free(polled);
        } else {
            for (int round = 0; round < rounds; ++round) {
                int question = 100 * me + round, answer = -1;
                bad += write(ends[me][1], &question, sizeof question) != sizeof question;
                bad += read(ends[me][1], &answer, sizeof answer) != sizeof answer;
                bad += answer != 2 * question;
            }
        }
    }
    EXPECT_EQ(bad, 0);
    close_ends(ends, clients);
}

int main(void) {
    check("pipe-ring", pipe_ring);
    check("socket-pairs", socket_pairs);
    check("poll-server", poll_server);
    return check_done();
}
