// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/work/doacross.hpp"

#include "omp/team/team.hpp"
#include "omp/work/await.hpp"

namespace gossamer::omp {

using Word = std::atomic<uint64_t>;

// Lies at the beginning of the share's memory, before the dimensions and the words.
struct Doacross {
    bool flags;
    Partition partition;  // this and the next two: for progress only
    uint32_t threads;
    uint64_t chunk;
    uint32_t count;   // of dimensions
    uint32_t stride;  // from one word to the next, in words
    Word* words;
    Dimension dimensions[];
};

uint64_t Dimension::count() const {
    // In unsigned arithmetic, because the GOMP ABI's dimensions may be longer than 2^63.
    if (step == 1) return static_cast<uint64_t>(upper) - static_cast<uint64_t>(lower) + 1;
    return iterations_inclusive<int64_t>(lower, upper, step);
}

namespace {

constexpr size_t words_a_line = cache_line / sizeof(Word);

// More words than this share cache lines.
constexpr uint64_t most_spread_words = 4096;

// Makes a nest with room for `words` words, `stride` apart, and `extra` bytes.
Doacross& make(Share& share, uint32_t dimensions, uint64_t words, uint32_t stride, size_t extra) {
    const size_t head = align_up(sizeof(Doacross) + dimensions * sizeof(Dimension), cache_line);
    size_t middle = 0;
    size_t total = 0;
    if (__builtin_mul_overflow(words, stride * sizeof(Word), &middle) ||
        __builtin_add_overflow(align_up(middle, cache_line), head + cache_line, &total) ||
        __builtin_add_overflow(total, extra, &total)) {
        fatal("a doacross loop nest has too many iterations");
    }
    void* const memory = share_allocate(share, total);
    auto* const nest = static_cast<Doacross*>(memory);
    nest->count = dimensions;
    nest->stride = stride;
    nest->words = static_cast<Word*>(align_up(byte_offset(memory, static_cast<std::ptrdiff_t>(head)), cache_line));
    if (extra != 0) share.program = nest->words + align_up(middle, cache_line) / sizeof(Word);
    return *nest;
}

// The number of an iteration in its dimension, from 0, by its value of the loop variable.
uint64_t position(const Dimension& dimension, int64_t value) {
    const uint64_t up = static_cast<uint64_t>(value) - static_cast<uint64_t>(dimension.lower);
    if (dimension.step == 1) return up;
    return dimension.step > 0 ? up / static_cast<uint64_t>(dimension.step)
                              : (0 - up) / (0 - static_cast<uint64_t>(dimension.step));
}

bool inside(const Dimension& dimension, int64_t value) {
    return dimension.step > 0 ? value >= dimension.lower && value <= dimension.upper
                              : value <= dimension.lower && value >= dimension.upper;
}

// Row-major number of an iteration.
uint64_t flatten(const Doacross& nest, const int64_t* iteration) {
    uint64_t flat = 0;
    for (uint32_t i = 0; i < nest.count; ++i) {
        flat = flat * nest.dimensions[i].count() + position(nest.dimensions[i], iteration[i]);
    }
    return flat;
}

// The number of the progress word to which iteration `outer` of the outermost dimension is posted.
uint64_t progress_word(const Doacross& nest, uint64_t outer) {
    switch (nest.partition) {
        case Partition::dynamic: return outer / nest.chunk;
        case Partition::guided:
        case Partition::guided_simd: return outer;
        case Partition::static_chunked: return outer / nest.chunk % nest.threads;
        default: break;
    }
    // The inverse of static_block.
    const uint64_t count = nest.dimensions[0].count();
    const uint64_t whole = count / nest.threads;
    const uint64_t extra = count % nest.threads;
    const uint64_t larger = extra * (whole + 1);  // iterations in the blocks that have one more
    return outer < larger ? outer / (whole + 1) : (outer - larger) / whole + extra;
}

// Where an iteration is posted, and how a thread sees that it was.
struct Post {
    Word* word;
    const void* key;
    uint64_t value;  // the bit of *word, or the least value of *word
    bool flag;
};

Post locate(const Doacross& nest, const int64_t* iteration) {
    const uint64_t flat = flatten(nest, iteration);
    if (nest.flags) {
        Word* const word = nest.words + flat / 64;
        return {word, reinterpret_cast<char*>(word) + flat % 64 / 8, uint64_t{1} << flat % 64, true};
    }
    Word* const word = nest.words + progress_word(nest, position(nest.dimensions[0], iteration[0])) * nest.stride;
    return {word, word, flat + 1, false};
}

bool is_posted(const Post& post) {
    const uint64_t seen = post.word->load(std::memory_order_acquire);  // pairs with the releases in doacross_post
    return post.flag ? (seen & post.value) != 0 : seen >= post.value;
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
            const bool empty = !inside(dimensions[i], dimensions[i].lower);
            if (__builtin_mul_overflow(iterations, empty ? 0 : dimensions[i].count(), &iterations)) {
                fatal("a doacross loop nest has too many iterations");
            }
        }
        Doacross& nest = make(share, count, iterations / 64 + 1, 1, 0);
        nest.flags = true;
        for (uint32_t i = 0; i < count; ++i) nest.dimensions[i] = dimensions[i];
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
    const uint32_t stride = words <= most_spread_words ? words_a_line : 1;
    Doacross& nest = make(share, ncounts, words, stride, extra);
    nest.flags = false;
    nest.partition = loop.partition;
    nest.threads = threads;
    nest.chunk = loop.chunk;
    for (uint32_t i = 0; i < ncounts; ++i) {
        nest.dimensions[i] = {0, static_cast<int64_t>(counts[i] - 1), 1};
    }
}

void doacross_join(Thread& thread, Share& share) { thread.work.doacross = static_cast<Doacross*>(share.memory); }

uint32_t doacross_dimensions(const Thread& thread) { return thread.work.doacross == nullptr ? 0 : thread.work.doacross->count; }

void doacross_post(Thread& thread, const int64_t* iteration) {
    fiber::scheduling_point();
    const Doacross* const nest = thread.work.doacross;
    if (nest == nullptr) return;
    const Post post = locate(*nest, iteration);
    if (post.flag) {
        post.word->fetch_or(post.value, std::memory_order_release);  // pairs with the acquire in is_posted
    } else {
        post.word->store(post.value, std::memory_order_release);  // likewise
    }
    fiber::notify_all_at(post.key);
}

void doacross_wait(Thread& thread, const int64_t* iteration) {
    fiber::scheduling_point();
    const Doacross* const nest = thread.work.doacross;
    if (nest == nullptr) return;
    if (nest->flags) {
        for (uint32_t i = 0; i < nest->count; ++i) {
            if (!inside(nest->dimensions[i], iteration[i])) return;
        }
    }
    const Post post = locate(*nest, iteration);
    await(post.key, [&] { return is_posted(post); });
}

}  // namespace gossamer::omp
