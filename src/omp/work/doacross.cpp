// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/work/doacross.hpp"

#include <algorithm>

#include "omp/team/team.hpp"
#include "omp/work/await.hpp"

namespace gossamer::omp {

using Word = std::atomic<uint64_t>;

// Of one chunk, or one thread. All its posts are by one thread at a time, in increasing order.
//
// Why no wake is lost. A waiter counts itself among the nest's sleepers, lowers `wanted` to its own number under the lock of
// its bucket (fiber/wait.cpp), then looks at `done`, then queues. The poster changes `done`, then looks at the sleepers and at
// `wanted`. All these steps are seq_cst. So the waiter sees the post, or the poster sees that it is wanted. Then it takes all
// wishes back, and the lock: the waiter has queued by then, and is woken; so is a waiter that found a lesser wish there and
// left it. Who was woken too early wishes anew.
//
// The sleepers are counted because waiters that spin take the line of `done` from the poster at once: to look at `wanted` in it
// each time makes a chain of iterations a third slower.
struct Progress {
    Word done;    // one more than the number of the last iteration posted
    Word wanted;  // the least number of `done` that a sleeper waits for; 0: there is none

    bool is_wanted(uint64_t value) const { return wanted.load(std::memory_order_seq_cst) - 1 < value; }
    void want(uint64_t value) {
        uint64_t least = wanted.load(std::memory_order_seq_cst);
        while (least - 1 >= value && !wanted.compare_exchange_weak(least, value, std::memory_order_seq_cst)) {}
    }
};

struct Extent {
    int64_t lower;
    int64_t step;
    uint64_t count;
};

// Lies at the beginning of the share's memory, before the dimensions and the words.
struct Doacross {
    bool flags;
    Partition partition;  // this and the next five: for progress only
    uint32_t threads;
    uint64_t chunk;
    uint64_t block;                  // of a static schedule without chunks: the size of the smaller blocks,
    uint64_t extra;                  // the number of those that have one more, which come first,
    uint64_t larger;                 // and the iterations in these
    uint32_t lag;                    // for flags only: see await_flag
    uint32_t count;                  // of dimensions
    uint32_t stride;                 // from one progress to the next
    void* words;                     // a Word for 64 iterations, or Progress
    std::atomic<uint32_t> sleepers;  // for progress only: who may have put down a wish
    Extent dimensions[];
};

uint64_t Dimension::count() const {
    // In unsigned arithmetic, because the GOMP ABI's dimensions may be longer than 2^63.
    if (step == 1) return static_cast<uint64_t>(upper) - static_cast<uint64_t>(lower) + 1;
    return iterations_inclusive<int64_t>(lower, upper, step);
}

namespace {

constexpr uint32_t progress_a_line = cache_line / sizeof(Progress);

// A thread that comes upon the one that works on the row before lets that get ahead, for a pause for so many iterations of a
// row. Then it reads many posts, and many of the program's own results, at a time; otherwise each iteration takes several ways
// of a line. A row of many short iterations loses less by this than the ways take, one of few or long ones next to nothing.
constexpr uint64_t iterations_a_pause = 16, most_lag = 64;

// More words than this share cache lines.
constexpr uint64_t most_spread_words = 4096;

// Makes a nest with room for so many words of `each` bytes, and `extra` bytes for the program.
Doacross& make(Share& share, uint32_t dimensions, uint64_t words, size_t each, size_t extra) {
    const size_t head = align_up(sizeof(Doacross) + dimensions * sizeof(Extent), cache_line);
    size_t middle = 0;
    size_t total = 0;
    if (__builtin_mul_overflow(words, each, &middle) ||
        __builtin_add_overflow(align_up(middle, cache_line), head + cache_line, &total) ||
        __builtin_add_overflow(total, extra, &total)) {
        fatal("a doacross loop nest has too many iterations");
    }
    void* const memory = share_allocate(share, total);
    auto* const nest = static_cast<Doacross*>(memory);
    nest->count = dimensions;
    nest->words = align_up(byte_offset(memory, static_cast<std::ptrdiff_t>(head)), cache_line);
    if (extra != 0) share.program = byte_offset(nest->words, static_cast<std::ptrdiff_t>(align_up(middle, cache_line)));
    return *nest;
}

// The number of an iteration in its dimension, from 0, by its value of the loop variable. At least the dimension's count if it
// has no such iteration.
uint64_t position(const Extent& extent, int64_t value) {
    const uint64_t up = static_cast<uint64_t>(value) - static_cast<uint64_t>(extent.lower);
    if (GOSSAMER_LIKELY(extent.step == 1)) return up;
    if (extent.step > 0) return value < extent.lower ? UINT64_MAX : up / static_cast<uint64_t>(extent.step);
    return value > extent.lower ? UINT64_MAX : (0 - up) / (0 - static_cast<uint64_t>(extent.step));
}

// Row-major number of an iteration, and its number in the outermost dimension. False: the nest has no such iteration.
bool flatten(const Doacross& nest, const int64_t* iteration, uint64_t& flat, uint64_t& outer) {
    flat = outer = position(nest.dimensions[0], iteration[0]);
    if (GOSSAMER_UNLIKELY(outer >= nest.dimensions[0].count)) return false;
    for (uint32_t i = 1; i < nest.count; ++i) {
        const uint64_t at = position(nest.dimensions[i], iteration[i]);
        if (GOSSAMER_UNLIKELY(at >= nest.dimensions[i].count)) return false;
        flat = flat * nest.dimensions[i].count + at;
    }
    return true;
}

// To which iteration `outer` of the outermost dimension is posted.
Progress& progress_of(const Doacross& nest, uint64_t outer) {
    uint64_t number = outer;
    switch (nest.partition) {
        case Partition::guided: break;
        case Partition::dynamic: number = quotient(outer, nest.chunk); break;
        case Partition::static_chunked: number = quotient(outer, nest.chunk) % nest.threads; break;
        default:  // the inverse of static_block
            number =
                outer < nest.larger ? quotient(outer, nest.block + 1) : quotient(outer - nest.larger, nest.block) + nest.extra;
    }
    return static_cast<Progress*>(nest.words)[number * nest.stride];
}

Word& flag_word(const Doacross& nest, uint64_t flat) { return static_cast<Word*>(nest.words)[flat / 64]; }
uint64_t flag(uint64_t flat) { return uint64_t{1} << flat % 64; }
const void* flag_key(const Word& word, uint64_t flat) { return reinterpret_cast<const char*>(&word) + flat % 64 / 8; }

// A wait for `progress` to come to `value`.
struct Coming {
    Progress& progress;
    uint64_t value;
    uint32_t asks_left = 0;

    bool has_come() const { return progress.done.load(std::memory_order_acquire) >= value; }  // pairs with doacross_post

    // While the iteration is far off this leaves the line to the poster, for a quarter of an ask for each one before it.
    bool has_come_soon() {
        if (asks_left != 0) return --asks_left, false;
        const uint64_t done = progress.done.load(std::memory_order_acquire);
        if (done >= value) return true;
        asks_left = static_cast<uint32_t>(std::min<uint64_t>((value - done) / 4, most_left_out));
        return false;
    }
    bool has_come_or_is_wanted() {
        progress.want(value);
        return progress.done.load(std::memory_order_seq_cst) >= value;
    }

    static constexpr uint64_t most_left_out = 64;
};

// Both return what the word holds then, and order what follows behind the posts in it: their acquire loads pair with the change
// in doacross_post.
GOSSAMER_NOINLINE uint64_t await_progress(Doacross& nest, Progress& progress, uint64_t value) {
    Coming coming{progress, value};
    const auto ask = [](const void* at) { return static_cast<Coming*>(const_cast<void*>(at))->has_come_soon(); };
    const auto ask_locked = [](void* at) { return static_cast<Coming*>(at)->has_come_or_is_wanted(); };
    while (!coming.has_come() && !fiber::spin_until(ask, &coming)) {
        nest.sleepers.fetch_add(1, std::memory_order_seq_cst);
        fiber::wait_until(&progress, ask_locked, &coming);
        nest.sleepers.fetch_sub(1, std::memory_order_relaxed);  // a poster that sees it late looks at `wanted` in vain
    }
    return progress.done.load(std::memory_order_acquire);
}

// `lag`: the pauses before the first look, if nothing else wants the carrier.
GOSSAMER_NOINLINE uint64_t await_flag(const Word& word, uint64_t flat, uint32_t lag) {
    if (fiber::must_give_way()) lag = 0;
    for (; lag != 0; --lag) arch::pause();
    await(flag_key(word, flat), [&] { return (word.load(std::memory_order_acquire) & flag(flat)) != 0; });
    return word.load(std::memory_order_acquire);
}

GOSSAMER_NOINLINE void wake_waiters(Progress& progress) {
    progress.wanted.store(0, std::memory_order_seq_cst);
    fiber::notify_all_at(&progress);
}

}  // namespace

void doacross_start(Thread& thread, const Dimension* dimensions, uint32_t count) {
    ThreadWork& work = thread.work;
    work.doacross = nullptr;
    if (thread.team->size == 1) return;
    Share& share = share_enter(thread);
    work.share = nullptr;
    work.doacross_share = &share;
    if (share_prepare(share)) {
        uint64_t iterations = 1;
        for (uint32_t i = 0; i < count; ++i) {
            if (__builtin_mul_overflow(iterations, dimensions[i].is_empty() ? 0 : dimensions[i].count(), &iterations)) {
                fatal("a doacross loop nest has too many iterations");
            }
        }
        Doacross& nest = make(share, count, iterations / 64 + 1, sizeof(Word), 0);
        nest.flags = true;
        const uint64_t row = iterations == 0 ? 0 : iterations / dimensions[0].count();
        nest.lag = static_cast<uint32_t>(std::min<uint64_t>(row / iterations_a_pause, most_lag));
        for (uint32_t i = 0; i < count; ++i) {
            const Dimension& each = dimensions[i];
            nest.dimensions[i] = {each.lower, each.step, each.is_empty() ? 0 : each.count()};
        }
        share_prepared(share);
    }
    doacross_join(thread, share);
}

void doacross_end(Thread& thread) {
    Share* const share = thread.work.doacross_share;
    thread.work.doacross = nullptr;
    thread.work.doacross_share = nullptr;
    if (share != nullptr) share_leave(*thread.team, *share);
}

void doacross_prepare(Share& share, const Loop& loop, uint32_t threads, const uint64_t* counts, uint32_t ncounts,
                      size_t extra) {
    uint64_t words = threads;
    if (loop.partition == Partition::dynamic) words = loop.count / loop.chunk + 1;
    if (loop.partition == Partition::guided) words = loop.count + 1;
    const uint32_t stride = words <= most_spread_words ? progress_a_line : 1;
    Doacross& nest = make(share, ncounts, words, stride * sizeof(Progress), extra);
    nest.flags = false;
    nest.partition = loop.partition;
    nest.threads = threads;
    nest.chunk = loop.chunk;
    nest.block = counts[0] / threads;
    nest.extra = counts[0] % threads;
    nest.larger = nest.extra * (nest.block + 1);
    nest.stride = stride;
    for (uint32_t i = 0; i < ncounts; ++i) nest.dimensions[i] = {0, 1, counts[i]};
}

void doacross_join(Thread& thread, Share& share) {
    thread.work.doacross = static_cast<Doacross*>(share.memory);
    for (SeenPosts& each : thread.work.seen_posts) each = {};  // the words may lie where an earlier nest's lay
}

uint32_t doacross_dimensions(const Thread& thread) { return thread.work.doacross == nullptr ? 0 : thread.work.doacross->count; }

void doacross_post(Thread& thread, const int64_t* iteration) {
    fiber::scheduling_point();
    Doacross* const nest = thread.work.doacross;
    uint64_t flat = 0, outer = 0;
    if (nest == nullptr || GOSSAMER_UNLIKELY(!flatten(*nest, iteration, flat, outer))) return;
    // Both changes release what the thread has done, for who waits, and are seq_cst for the looks behind them.
    if (nest->flags) {
        Word& word = flag_word(*nest, flat);
        word.fetch_or(flag(flat), std::memory_order_seq_cst);
        fiber::notify_all_behind_change(flag_key(word, flat));
    } else {
        Progress& progress = progress_of(*nest, outer);
        progress.done.exchange(flat + 1, std::memory_order_seq_cst);
        if (GOSSAMER_UNLIKELY(nest->sleepers.load(std::memory_order_seq_cst) != 0) && progress.is_wanted(flat + 1)) {
            wake_waiters(progress);
        }
    }
}

void doacross_wait(Thread& thread, const int64_t* iteration) {
    fiber::scheduling_point();
    Doacross* const nest = thread.work.doacross;
    uint64_t flat = 0, outer = 0;
    if (nest == nullptr || !flatten(*nest, iteration, flat, outer)) return;
    // A nest's usual two waits, for iterations of this row and of the one before, take turns.
    SeenPosts& seen = thread.work.seen_posts[outer % 2];
    // acquire, both loads: they pair with doacross_post. Of what was read earlier they have ordered everything since.
    if (nest->flags) {
        const Word& word = flag_word(*nest, flat);
        if (seen.word == &word && (seen.value & flag(flat)) != 0) return;
        const uint64_t posts = word.load(std::memory_order_acquire);
        seen = {&word, GOSSAMER_LIKELY((posts & flag(flat)) != 0) ? posts
                                                                  : await_flag(word, flat, seen.word == &word ? 0 : nest->lag)};
    } else {
        Progress& progress = progress_of(*nest, outer);
        if (seen.word == &progress && seen.value > flat) return;
        const uint64_t done = progress.done.load(std::memory_order_acquire);
        seen = {&progress, GOSSAMER_LIKELY(done > flat) ? done : await_progress(*nest, progress, flat + 1)};
    }
}

}  // namespace gossamer::omp
