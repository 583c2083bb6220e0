// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ucontext.h>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include "base/model/view.hpp"

namespace gossamer::model {

/// The depth-first walk over all choices. An execution replays the recorded path and then takes the first
/// alternative of each new choice; between executions the deepest choice that has one left moves to its next
/// alternative.
class Path {
public:
    void clear() { *this = {}; }
    void rewind() { depth_ = 0; }

    /// Past the recorded path: what happens now has not been explored along this path before.
    bool fresh() const { return depth_ >= choices_.size(); }

    unsigned choose(unsigned count) {
        if (count == 1) return 0;
        if (fresh()) choices_.push_back({0, count});
        return choices_[depth_++].taken;
    }

    /// False when everything has been explored.
    bool advance() {
        while (!choices_.empty() && choices_.back().taken + 1 == choices_.back().count) choices_.pop_back();
        if (choices_.empty()) return false;
        ++choices_.back().taken;
        return true;
    }

private:
    struct Choice {
        unsigned taken;
        unsigned count;
    };

    std::vector<Choice> choices_;
    std::size_t depth_ = 0;
};

/// The states that have been explored, or are being: their futures need no second visit.
class StateSet {
public:
    void clear() {
        slots_.assign(1U << 16, 0);
        size_ = 0;
    }

    std::size_t size() const { return size_; }

    /// True: it was not there before.
    bool insert(std::uint64_t state) {
        if (2 * ++size_ > slots_.size()) grow();
        if (put(state)) return true;
        --size_;
        return false;
    }

private:
    bool put(std::uint64_t state) {
        if (state == 0) state = 1;  // 0 marks a free slot
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = state & mask;
        while (slots_[slot] != 0) {
            if (slots_[slot] == state) return false;
            slot = (slot + 1) & mask;
        }
        slots_[slot] = state;
        return true;
    }

    void grow() {
        std::vector<std::uint64_t> old(4 * slots_.size(), 0);
        old.swap(slots_);
        for (const std::uint64_t state : old) {
            if (state != 0) put(state);
        }
    }

    std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(1U << 16, 0);
    std::size_t size_ = 0;
};

/// A stack of its own for each modelled thread and a baton that exactly one of them, or the checker itself,
/// holds. Started by ucontext, switched by setjmp, which costs no system call.
class Baton {
public:
    static constexpr unsigned checker = max_threads;

    using Entry = void (*)(unsigned thread);

    unsigned holder() const { return holder_; }

    /// Lays a fresh first frame for a thread; whatever it was in the middle of is forgotten.
    void prepare(unsigned thread, Entry entry) {
        Context& context = contexts_[thread];
        if (!context.stack) context.stack = std::make_unique<char[]>(stack_size);
#ifdef __SANITIZE_ADDRESS__
        __asan_unpoison_memory_region(context.stack.get(),
                                      stack_size);  // frames that were left without a return
#endif
        if (getcontext(&context.start) != 0) std::abort();
        context.start.uc_stack.ss_sp = context.stack.get();
        context.start.uc_stack.ss_size = stack_size;
        context.start.uc_link = nullptr;
        makecontext(&context.start, reinterpret_cast<void (*)()>(entry), 1, thread);
        context.started = false;
    }

    void pass(unsigned to) {
        if (_setjmp(contexts_[holder_].resume) != 0) return;
        holder_ = to;
        Context& context = contexts_[to];
        if (to == checker || context.started) _longjmp(context.resume, 1);
        context.started = true;
        setcontext(&context.start);
        std::abort();
    }

private:
    static constexpr std::size_t stack_size = 256 * 1024;

    struct Context {
        ucontext_t start;
        std::jmp_buf resume;
        std::unique_ptr<char[]> stack;
        bool started = false;
    };

    Context contexts_[max_threads + 1];
    unsigned holder_ = checker;
};

}  // namespace gossamer::model
