// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/model/explorer.hpp"
#include "base/model/view.hpp"

// The abstract machine: a few threads over a memory that keeps, for each location, every store made to it.
//
// A load may return any store that coherence and happens-before do not hide from the thread; which one is a
// choice of the explorer, just as who makes the next step. Views carry the knowledge along, as in the
// view-based semantics of Kang, Hur, Lahav, Vafeiadis and Dreyer, "A promising semantics for relaxed-memory
// concurrency" (POPL 2017), without promises, and with release sequences as C++20 has them. What this leaves
// out is listed in docs/protocols/model-checking.md.

namespace gossamer::model {

enum class Op : std::uint8_t { load, store, modify, compare, fence, give, take };

constexpr const char* name_of(Op op) {
    constexpr const char* names[] = {"load", "store", "modify", "compare", "fence", "give", "take"};
    return names[static_cast<unsigned>(op)];
}

constexpr const char* name_of(std::memory_order order) {
    constexpr const char* names[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
    return names[static_cast<unsigned>(order)];
}

constexpr bool acquires(std::memory_order order) {
    return order == std::memory_order_acquire || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}

constexpr bool releases(std::memory_order order) {
    return order == std::memory_order_release || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}

/// One order written in the checked source: where, of what operation, and for a compare whether it is the
/// order that applies when it fails.
struct Site {
    std::source_location where;
    Op op;
    bool failure;
    std::memory_order order;

    auto key() const { return std::tuple(where.line(), where.column(), failure, std::string_view(where.file_name())); }
};

/// The checked source with one order replaced; none when `site` is null.
struct Mutation {
    const Site* site = nullptr;
    std::memory_order order{};
};

class Machine {
public:
    using Where = const std::source_location&;

    enum class End { finished, stuck, pruned, violated };

    // --- What the suite drives.

    static constexpr unsigned unbounded = ~0U;

    Mutation mutation;
    unsigned preemption_bound = unbounded;  // how often a thread that could go on has to wait, in one execution
    bool fences_all = false;                // the scenario uses fence_all
    std::map<decltype(std::declval<Site>().key()), Site>* sites = nullptr;  // collects every order met

    void start_exploration() {
        path_.clear();
        states_.clear();
        std::fill(std::begin(recent_), std::end(recent_), Met{});
    }

    /// Before the scenario of the next execution is constructed.
    void start_execution() {
        path_.rewind();
        locations_ = 0;
        tokens_ = 0;
        plains_ = 0;
        preemptions_ = 0;
        trace_.clear();
        global_ = {};
        violation_.clear();
    }

    /// Runs `body(thread)` on each thread until all are done, or none can go on, or the state is known.
    End execute(unsigned threads, void (*body)(unsigned)) {
        threads_ = threads;
        body_ = body;
        starting_ = true;
        for (unsigned i = 0; i < threads; ++i) {
            thread_[i] = {};
            baton_.prepare(i, [](unsigned self) { the().run_thread(self); });
        }
        for (unsigned i = 0; i < threads; ++i) baton_.pass(i);
        starting_ = false;
        end_ = End::finished;
        const unsigned first = pick();
        if (first != Baton::checker) baton_.pass(first);
        return end_;
    }

    bool advance() { return path_.advance(); }
    std::size_t states() const { return states_.size(); }
    bool finished(unsigned thread) const { return thread_[thread].done; }
    const std::string& violation() const { return violation_; }

    /// A thread that calls it goes on no further, and nothing that its stack owns is given back.
    void violate(std::string_view message) {
        if (!violation_.empty()) return;
        violation_ = message;
        end_ = End::violated;
        if (baton_.holder() != Baton::checker) baton_.pass(Baton::checker);
    }

    void print_trace() const {
        for (const Step& step : trace_) {
            std::string_view file = step.where.file_name();
            file.remove_prefix(file.rfind('/') + 1);
            std::printf("    T%u  %-7s %-7s", step.thread, name_of(step.op), name_of(step.order));
            if (step.op != Op::fence) std::printf(" #%u", step.location);
            if (step.reads) std::printf("  reads %llx (store %u of %u)", show(step.read), step.message, step.last);
            if (step.writes) std::printf("  writes %llx", show(step.written));
            std::printf("  [%.*s:%u]\n", static_cast<int>(file.size()), file.data(), step.where.line());
        }
    }

    // --- What the atomics stand on. Outside an execution (set-up, final check) everything acts on the newest
    // store.

    /// `opaque` values (pointers) differ from run to run, so a state is identified by the threads that stored them.
    unsigned create(std::uint64_t value, bool opaque) {
        if (locations_ == max_locations) give_up("too many atomics");
        const unsigned id = locations_++;
        Location& location = location_[id];
        location.size = 1;
        location.opaque = opaque;
        location.creator = inside() ? baton_.holder() : max_threads;
        location.created = inside() ? tick() : 0;
        location.message[0] = {value, opaque ? 0 : value, {}};
        if (inside()) {
            Thread& me = self();
            me.observed = mix(me.observed, id + 0x10000);
            me.current.seen[id] = me.acquired.seen[id] = 0;
        }
        return id;
    }

    std::uint64_t load(unsigned id, std::memory_order order, Where where) {
        if (!inside()) return newest(id).value;
        order = effective(Op::load, order, false, where);
        begin_step();
        check_constructed(id);
        Thread& me = self();
        const Location& location = location_[id];
        const unsigned oldest = oldest_readable(id, order);
        const unsigned index = location.size - 1 - path_.choose(location.size - oldest);
        const Message& message = location.message[index];
        read(me, id, index, order);
        note({where, Op::load, order, id, index, location.size - 1U, message.value, 0, true, false});
        end_read(me, message.tag, order);
        return message.value;
    }

    void store(unsigned id, std::uint64_t value, std::memory_order order, Where where) {
        if (!inside()) return overwrite(id, value);
        order = effective(Op::store, order, false, where);
        begin_step();
        check_constructed(id);
        Thread& me = self();
        append(me, id, value, order, nullptr);
        note({where, Op::store, order, id, 0, 0, 0, value, false, true});
        end_step(me, id);
    }

    /// Read-modify-write; always reads the newest store. Returns the value before.
    template <class Function>
    std::uint64_t modify(unsigned id, Function function, std::memory_order order, Where where) {
        if (!inside()) {
            const std::uint64_t before = newest(id).value;
            overwrite(id, function(before));
            return before;
        }
        order = effective(Op::modify, order, false, where);
        begin_step();
        check_constructed(id);
        return modify_now(id, function, order, Op::modify, where);
    }

    /// Strong compare-and-swap: succeeds only on the newest store, may fail on any readable one that differs.
    bool compare(unsigned id, std::uint64_t& expected, std::uint64_t desired, std::memory_order success,
                 std::memory_order failure, Where where) {
        if (!inside()) {
            const std::uint64_t before = newest(id).value;
            if (before == expected) overwrite(id, desired);
            return std::exchange(expected, before) == before;
        }
        success = effective(Op::compare, success, false, where);
        failure = effective(Op::compare, failure, true, where);
        begin_step();
        check_constructed(id);
        const Location& location = location_[id];
        const unsigned last = location.size - 1U;
        unsigned candidates[max_messages];
        unsigned count = 0;
        candidates[count++] = last;
        for (unsigned index = last; index-- > oldest_readable(id, failure);) {
            if (location.message[index].value != expected) candidates[count++] = index;
        }
        const unsigned index = candidates[path_.choose(count)];
        if (location.message[index].value == expected) {
            modify_now(id, [&](std::uint64_t) { return desired; }, success, Op::compare, where);
            return true;
        }
        Thread& me = self();
        expected = location.message[index].value;
        read(me, id, index, failure);
        note({where, Op::compare, failure, id, index, last, expected, 0, true, false});
        end_read(me, mix(location.message[index].tag, 7), failure);
        return false;
    }

    void fence(std::memory_order order, Where where) {
        if (!inside()) return;
        order = effective(Op::fence, order, false, where);
        if (order == std::memory_order_relaxed) return;
        // Only a sequentially consistent fence touches what others see; the rest is the thread's own affair.
        const bool global = order == std::memory_order_seq_cst;
        if (global) begin_step();
        Thread& me = self();
        if (acquires(order)) me.current = me.acquired;
        if (global) {
            global_.join_seen(me.current);
            me.current.join_seen(global_);
            me.acquired.join_seen(global_);
        }
        if (releases(order)) me.released = me.current;
        note({where, Op::fence, order, 0, 0, 0, 0, 0, false, false});
        if (global) end_step(me, 3);
    }

    // A sequentially consistent fence in the stream of every thread, somewhere within the caller's step: what Linux
    // calls membarrier.
    void fence_all(Where where) {
        if (!inside()) return;
        begin_step();
        for (unsigned i = 0; i < threads_; ++i) global_.join_seen(thread_[i].acquired);
        for (unsigned i = 0; i < threads_; ++i) {
            Thread& each = thread_[i];
            each.current = each.acquired;
            each.current.join_seen(global_);
            each.acquired.join_seen(global_);
            each.released = each.current;
        }
        note({where, Op::fence, std::memory_order_seq_cst, 0, 0, 0, 0, 0, false, false});
        end_step(self(), 5);
    }

    // So much time passes that every store so far has become visible to the caller. It orders nothing.
    void time_passes(Where where) {
        begin_step();
        Thread& me = self();
        for (unsigned id = 0; id < locations_; ++id) {
            me.current.seen[id] = me.acquired.seen[id] = static_cast<std::uint8_t>(location_[id].size - 1);
        }
        note({where, Op::fence, std::memory_order_relaxed, 0, 0, 0, 0, 0, false, false});
        end_step(me, 7);
    }

    // --- Plain data: any two accesses, one of them a write, must be ordered by happens-before.

    unsigned create_plain(std::uint64_t value) {
        if (plains_ == max_plains) give_up("too many plain variables");
        plain_[plains_] = {.value = value};
        return plains_++;
    }

    std::uint64_t plain_read(unsigned id) {
        Plain& plain = plain_[id];
        if (inside()) {
            if (!ordered(plain.writer, plain.written)) {
                violate("data race: a read that a write does not happen before");
            }
            plain.read[baton_.holder()] = tick();
        }
        return plain.value;
    }

    void plain_write(unsigned id, std::uint64_t value) {
        Plain& plain = plain_[id];
        plain.value = value;
        if (!inside()) return;
        bool good = ordered(plain.writer, plain.written);
        for (unsigned i = 0; i < threads_; ++i) good = good && ordered(i, plain.read[i]);
        if (!good) violate("data race: a write that another access does not happen before");
        plain.writer = baton_.holder();
        plain.written = tick();
    }

    /// From here on this thread's future depends on `label` and on what it has learnt, and on nothing else
    /// that it read so far. States that differ only in that are then one.
    void forget(std::uint64_t label) {
        if (inside()) self().observed = mix(label, 11);
    }

    // --- A token: what a thread that cannot go on sleeps on (the futex of the model).

    unsigned create_token() {
        if (tokens_ == max_tokens) give_up("too many tokens");
        token_[tokens_] = {};
        return tokens_++;
    }

    void give(unsigned id, Where where) {
        if (starting_)
            begin_step();  // otherwise it commutes with every step but the take that it allows, so it waits
                           // for nobody
        Thread& me = self();
        ++token_[id].count;
        token_[id].view.join(me.current);
        note({where, Op::give, std::memory_order_release, id, 0, 0, 0, 0, false, false});
        end_step(me, id);
    }

    /// Goes on when there is one to take; the scenario says whether it is right that there never is.
    void take(unsigned id, Where where) {
        self().waits_for = static_cast<int>(id);
        self().just_read = false;
        begin_step();
        Thread& me = self();
        me.waits_for = -1;
        --token_[id].count;
        me.current.join(token_[id].view);
        me.acquired.join(me.current);
        note({where, Op::take, std::memory_order_acquire, id, 0, 0, 0, 0, false, false});
        end_step(me, id);
    }

    unsigned tokens_left(unsigned id) const { return token_[id].count; }

    static Machine& the();

private:
    struct Message {
        std::uint64_t value;
        std::uint64_t tag;
        View view;  // what a thread that acquires this store learns
    };

    struct Location {
        unsigned size;
        bool opaque;
        unsigned creator;
        std::uint16_t created;
        Message message[max_messages];
    };

    struct Thread {
        View current;
        View acquired;               // what an acquire fence would add
        View released;               // what the last release fence made every later store carry
        std::uint64_t observed = 0;  // hash of all that the thread has done and read: its local state
        int waits_for = -1;
        bool just_read = false;
        bool done = false;
    };

    struct Plain {
        std::uint64_t value = 0;
        unsigned writer = max_threads;
        std::uint16_t written = 0;
        std::array<std::uint16_t, max_threads> read{};
    };

    // The place of an order, compared sooner than a Site's key.
    struct Met {
        const char* file = nullptr;
        unsigned line = 0;
        unsigned column = 0;  // twice, and one more for the order that applies on failure
        bool operator==(const Met&) const = default;
    };

    struct Token {
        unsigned count = 0;
        View view;
    };

    struct Step {
        std::source_location where;
        Op op;
        std::memory_order order;
        unsigned location;
        unsigned message;
        unsigned last;
        std::uint64_t read;
        std::uint64_t written;
        bool reads;
        bool writes;
        unsigned thread = 0;
    };

    static constexpr unsigned max_steps = 1000;
    static constexpr unsigned max_plains = 16;
    static constexpr unsigned max_tokens = 12;

    static unsigned long long show(std::uint64_t value) { return value; }

    [[noreturn]] static void give_up(const char* message) {
        std::fprintf(stderr, "model: %s\n", message);
        std::abort();
    }

    bool inside() const { return baton_.holder() != Baton::checker; }
    Thread& self() { return thread_[baton_.holder()]; }
    Message& newest(unsigned id) { return location_[id].message[location_[id].size - 1]; }

    void overwrite(unsigned id, std::uint64_t value) {
        newest(id).value = value;
        newest(id).tag = location_[id].opaque ? value != 0 : value;
    }

    std::memory_order effective(Op op, std::memory_order order, bool failure, Where where) {
        const Site site{where, op, failure, order};
        if (sites != nullptr) collect(site);
        return mutation.site != nullptr && mutation.site->key() == site.key() ? mutation.order : order;
    }

    void collect(const Site& site) {
        const Met met{site.where.file_name(), site.where.line(), 2 * site.where.column() + site.failure};
        Met& recent = recent_[(met.line + 64 * met.column) % std::size(recent_)];
        if (std::exchange(recent, met) != met) sites->try_emplace(site.key(), site);
    }

    /// A thread is about to act: decides which one acts first. Returns when it is this thread's turn.
    void begin_step() {
        const unsigned me = baton_.holder();
        if (starting_) {
            baton_.pass(Baton::checker);
            return;
        }
        if (std::exchange(thread_[me].just_read, false)) return;
        const unsigned next = pick();
        if (next != me) baton_.pass(next);
    }

    /// A load that is not sequentially consistent might as well come later: whatever others do in between,
    /// the thread could still read the same store. So it needs no turn of its own, and goes together with the
    /// thread's next step. Not so where others may fence on its behalf.
    void end_read(Thread& me, std::uint64_t observation, std::memory_order order) {
        end_step(me, observation);
        me.just_read = order != std::memory_order_seq_cst && !fences_all;
    }

    void end_step(Thread& me, std::uint64_t observation) { me.observed = mix(mix(me.observed, observation), 1); }

    /// Counts a plain access of this thread, and returns its number.
    std::uint16_t tick() {
        Thread& me = self();
        const unsigned thread = baton_.holder();
        return me.acquired.clock[thread] = ++me.current.clock[thread];
    }

    void run_thread(unsigned thread) {
        body_(thread);
        thread_[thread].done = true;
        baton_.pass(starting_ ? Baton::checker : pick());
        give_up("a finished thread was resumed");
    }

    /// The thread that acts next; the checker when no thread can, or none need because the state is known.
    unsigned pick() {
        unsigned ready[max_threads];
        unsigned count = 0;
        bool all_done = true;
        const unsigned me = baton_.holder();
        for (unsigned i = 0; i < threads_; ++i) {
            if (thread_[i].waits_for >= 0 && can_act(i)) return i;  // commutes as well, once it is allowed
        }
        if (me != Baton::checker && can_act(me)) ready[count++] = me;
        for (unsigned i = 0; i < threads_; ++i) {
            all_done = all_done && thread_[i].done;
            if (i != me && can_act(i)) ready[count++] = i;
        }
        const bool can_go_on = me != Baton::checker && count != 0 && ready[0] == me;
        if (can_go_on && preemptions_ >= preemption_bound) count = 1;
        if (count == 0) {
            end_ = all_done ? End::finished : End::stuck;
            return Baton::checker;
        }
        if (trace_.size() > max_steps) {
            violation_ = "an execution does not end";
            end_ = End::violated;
            return Baton::checker;
        }
        const std::uint64_t bounded =
            preemption_bound == unbounded ? 0 : 1 + 2 * (std::uint64_t{preemptions_} << 8 | me) + can_go_on;
        if (path_.fresh() && !states_.insert(mix(state(), bounded))) {
            end_ = End::pruned;
            return Baton::checker;
        }
        const unsigned chosen = path_.choose(count);
        preemptions_ += can_go_on && chosen != 0;
        return ready[chosen];
    }

    bool can_act(unsigned thread) const {
        const Thread& t = thread_[thread];
        return !t.done && (t.waits_for < 0 || token_[t.waits_for].count != 0);
    }

    /// All that the future depends on, up to what no thread can see any more.
    std::uint64_t state() const {
        std::array<std::uint8_t, max_locations> base;
        base.fill(0xff);
        for (unsigned i = 0; i < threads_; ++i) {
            if (thread_[i].done) continue;
            for (unsigned j = 0; j < locations_; ++j) base[j] = std::min(base[j], thread_[i].current.seen[j]);
        }
        const auto known = [&](const View& view) { return view.hash(locations_, base); };
        std::uint64_t hash = known(global_);
        for (unsigned j = 0; j < locations_; ++j) {
            for (unsigned k = base[j]; k < location_[j].size; ++k) {
                hash = mix(mix(hash, location_[j].message[k].tag), known(location_[j].message[k].view));
            }
            hash = mix(hash, 5);
        }
        for (unsigned i = 0; i < threads_; ++i) {
            const Thread& thread = thread_[i];
            hash = mix(hash, thread.observed + thread.done);
            if (thread.done) continue;
            hash = mix(mix(mix(hash, known(thread.current)), known(thread.acquired)), known(thread.released));
        }
        for (unsigned i = 0; i < tokens_; ++i) hash = mix(mix(hash, token_[i].count), known(token_[i].view));
        for (unsigned i = 0; i < plains_; ++i) {
            hash = mix(mix(hash, plain_[i].value), std::uint64_t{plain_[i].writer} << 32 | plain_[i].written);
            hash = mix(hash, std::bit_cast<std::uint64_t>(plain_[i].read));
        }
        return hash;
    }

    /// An atomic's construction is a plain write.
    void check_constructed(unsigned id) {
        if (ordered(location_[id].creator, location_[id].created)) return;
        violate("data race: an atomic is used before its construction is visible");
    }

    unsigned oldest_readable(unsigned id, std::memory_order order) {
        const unsigned seen = self().current.seen[id];
        return order == std::memory_order_seq_cst ? std::max<unsigned>(seen, global_.seen[id]) : seen;
    }

    void read(Thread& me, unsigned id, unsigned index, std::memory_order order) {
        const Message& message = location_[id].message[index];
        me.current.seen[id] = static_cast<std::uint8_t>(index);
        me.acquired.seen[id] = std::max(me.acquired.seen[id], me.current.seen[id]);
        me.acquired.join(message.view);
        if (acquires(order)) me.current.join(message.view);
    }

    /// `continued`: the store that a read-modify-write read from; its release sequence goes on.
    void append(Thread& me, unsigned id, std::uint64_t value, std::memory_order order, const Message* continued) {
        Location& location = location_[id];
        if (location.size == max_messages) give_up("too many stores to one location");
        const auto index = static_cast<std::uint8_t>(location.size++);
        me.current.seen[id] = me.acquired.seen[id] = index;
        Message& message = location.message[index];
        message.value = value;
        message.tag = location.opaque && value != 0 ? mix(baton_.holder() + 1, me.observed) : value;
        message.view = releases(order) ? me.current : me.released;
        message.view.seen[id] = index;
        if (continued != nullptr) message.view.join(continued->view);
        if (order == std::memory_order_seq_cst) global_.seen[id] = index;
    }

    template <class Function>
    std::uint64_t modify_now(unsigned id, Function function, std::memory_order order, Op op, Where where) {
        Thread& me = self();
        const unsigned index = location_[id].size - 1;
        const Message& before = location_[id].message[index];
        read(me, id, index, order);
        const std::uint64_t written = function(before.value);
        append(me, id, written, order, &before);
        note({where, op, order, id, index, index, before.value, written, true, true});
        end_step(me, before.tag);
        return before.value;
    }

    bool ordered(unsigned thread, std::uint16_t when) {
        return thread == max_threads || thread == baton_.holder() || self().current.clock[thread] >= when;
    }

    void note(Step step) {
        step.thread = baton_.holder();
        trace_.push_back(step);
    }

    Path path_;
    StateSet states_;
    Baton baton_;
    Location location_[max_locations];
    Thread thread_[max_threads];
    Token token_[max_tokens];
    Plain plain_[max_plains];
    Met recent_[256] = {};  // sites met lately
    View global_;           // what the sequentially consistent fences and accesses so far have made common knowledge
    std::vector<Step> trace_;
    std::string violation_;
    End end_ = End::finished;
    void (*body_)(unsigned) = nullptr;
    unsigned threads_ = 0;
    unsigned locations_ = 0;
    unsigned tokens_ = 0;
    unsigned plains_ = 0;
    unsigned preemptions_ = 0;
    bool starting_ = false;
};

inline Machine the_machine;
inline Machine& Machine::the() { return the_machine; }

}  // namespace gossamer::model
