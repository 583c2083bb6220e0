// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parallel construct (OpenMP 5.2 §10.1).
#include <array>
#include <utility>

#include "abi/bind_clause.hpp"
#include "abi/kmpc/outlined.hpp"

using namespace gossamer;
using abi::Ident;
using abi::Microtask;
using abi::Outlined;

namespace {

template <size_t... at>
void call_with(const Outlined& outlined, int32_t* global_id, int32_t* bound_id, std::index_sequence<at...>) {
    outlined.microtask(global_id, bound_id, outlined.arguments[at]...);
}

}  // namespace

void gossamer::abi::call(const Outlined& outlined, int32_t bound_id) {
    int32_t global = global_id();
    switch (outlined.count) {  // these are passed in registers
        case 0: return call_with(outlined, &global, &bound_id, std::make_index_sequence<0>());
        case 1: return call_with(outlined, &global, &bound_id, std::make_index_sequence<1>());
        case 2: return call_with(outlined, &global, &bound_id, std::make_index_sequence<2>());
        case 3: return call_with(outlined, &global, &bound_id, std::make_index_sequence<3>());
        case 4: return call_with(outlined, &global, &bound_id, std::make_index_sequence<4>());
        default: break;
    }
    auto** const arguments = static_cast<void**>(__builtin_alloca((outlined.count + 2) * sizeof(void*)));
    arguments[0] = &global;
    arguments[1] = &bound_id;
    for (uint32_t i = 0; i < outlined.count; ++i) arguments[i + 2] = outlined.arguments[i];
    arch::invoke(reinterpret_cast<arch::Outlined>(outlined.microtask), outlined.count + 2, arguments);
}

namespace {

void run(omp::Thread& thread, void* function, void* data) {
    const Outlined outlined{reinterpret_cast<Microtask>(function), thread.team->region.count, static_cast<void* const*>(data)};
    abi::call(outlined, static_cast<int32_t>(thread.num));
}

// The same for a known number of arguments, because many regions do little more than be called. The microtask reads its numbers
// where they lie, so that it is called without a frame (docs/decisions/0034-as-deep-in-calls.md).
template <size_t... at>
void run_with(omp::Thread& thread, void* function, void* data) {
    [[maybe_unused]] void* const* const arguments = static_cast<void**>(data);
    auto* const global = reinterpret_cast<int32_t*>(&thread.fiber->id);
    auto* const bound = reinterpret_cast<int32_t*>(&thread.num);
    reinterpret_cast<Microtask>(function)(global, bound, arguments[at]...);
}

template <size_t... at>
constexpr omp::Body run_these(std::index_sequence<at...>) {
    return run_with<at...>;
}

// For each number of arguments that a team keeps: for more, the count has to be read in the team.
template <size_t... count>
constexpr std::array<omp::Body, sizeof...(count)> run_by_count(std::index_sequence<count...>) {
    return {run_these(std::make_index_sequence<count>())...};
}

constexpr auto run_few = run_by_count(std::make_index_sequence<omp::Team::most_words + 1>());

omp::Bind take_bind(omp::Thread& thread) {
    const uint32_t pushed = thread.work.pushed.bind;
    thread.work.pushed.bind = 0;
    return abi::bind_clause(pushed);
}

// While a region runs whose num_threads clause has a list, the encountering task's nthreads-var continues with the rest of that
// list, so that the region's implicit tasks inherit it.
class ThreadListBelow {
public:
    explicit ThreadListBelow(omp::Thread& thread) {
        if (GOSSAMER_LIKELY(thread.work.pushed.num_threads_below == 0)) return;
        task_ = thread.task;
        own_ = std::exchange(task_->icvs.nthreads_next, std::exchange(thread.work.pushed.num_threads_below, 0));
    }
    ThreadListBelow(const ThreadListBelow&) = delete;
    ThreadListBelow& operator=(const ThreadListBelow&) = delete;
    ~ThreadListBelow() {
        if (GOSSAMER_UNLIKELY(task_ != nullptr)) task_->icvs.nthreads_next = own_;
    }

private:
    omp::Task* task_ = nullptr;
    uint16_t own_ = 0;
};

void fork(Outlined& outlined, bool if_clause) {
    omp::Thread& thread = omp::current();
    const uint32_t threads = thread.work.pushed.num_threads;
    thread.work.pushed.num_threads = 0;
    const omp::Region region{outlined.count < run_few.size() ? run_few[outlined.count] : run,
                             const_cast<void**>(outlined.arguments), take_bind(thread), outlined.count,
                             reinterpret_cast<void*>(outlined.microtask)};
    const ThreadListBelow below(thread);
    omp::parallel(thread, threads, if_clause, region);
}

void push_threads(int32_t threads, uint16_t below = 0) {
    omp::Pushed& pushed = omp::current().work.pushed;
    pushed.num_threads = threads > 0 ? static_cast<uint32_t>(threads) : 0;
    pushed.num_threads_below = below;
}

// The list's first element is for this construct, the others are for the nesting levels below (OpenMP 6.0, num_threads clause).
void push_thread_list(const int32_t* threads, uint32_t length) {
    if (length == 0) return push_threads(0);
    push_threads(threads[0], omp::keep_thread_list(threads + 1, length - 1));
}

}  // namespace

GOSSAMER_EXPORT void __kmpc_fork_call(Ident*, int32_t count, Microtask microtask, ...) {
    GOSSAMER_OUTLINED(outlined, microtask, count, microtask);
    fork(outlined, true);
}

// The region has one argument, or none if that is null.
GOSSAMER_EXPORT void __kmpc_fork_call_if(Ident*, int32_t, Microtask microtask, int32_t condition, void* argument) {
    Outlined outlined{microtask, argument != nullptr ? 1u : 0u, &argument};
    fork(outlined, condition != 0);
}

GOSSAMER_EXPORT void __kmpc_serialized_parallel(Ident*, int32_t) {
    omp::Thread& thread = omp::current();
    thread.work.pushed.num_threads = 0;
    const ThreadListBelow below(thread);
    omp::parallel_begin(thread, 1, false, {nullptr, nullptr, take_bind(thread)});
}

GOSSAMER_EXPORT void __kmpc_end_serialized_parallel(Ident*, int32_t) { omp::parallel_end(omp::current()); }

// Clauses of the next parallel construct.
GOSSAMER_EXPORT void __kmpc_push_num_threads(Ident*, int32_t, int32_t threads) { push_threads(threads); }

// Teams are exactly as wide as requested, so strict adds nothing.
GOSSAMER_EXPORT void __kmpc_push_num_threads_strict(Ident*, int32_t, int32_t threads, int, const char*) {
    push_threads(threads);
}

GOSSAMER_EXPORT void __kmpc_push_num_threads_list(Ident*, int32_t, uint32_t length, int32_t* threads) {
    push_thread_list(threads, length);
}

GOSSAMER_EXPORT void __kmpc_push_num_threads_list_strict(Ident*, int32_t, uint32_t length, int32_t* threads, int, const char*) {
    push_thread_list(threads, length);
}

GOSSAMER_EXPORT void __kmpc_pop_num_threads(Ident*, int32_t) { push_threads(0); }

GOSSAMER_EXPORT void __kmpc_push_proc_bind(Ident*, int32_t, int32_t bind) {
    omp::current().work.pushed.bind = static_cast<uint32_t>(bind);
}
