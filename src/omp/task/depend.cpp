// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/depend.hpp"

#include <cstdlib>
#include <new>

namespace gossamer::omp {

struct DependRank {
    DependLine* line = nullptr;
    DependRank* next = nullptr;
    DependEntry* waiting = nullptr;  // its entries, newest first, until its turn comes
    Task* newest = nullptr;          // the task that joined last
    std::uint32_t unfinished = 0;
    DependKind kind = DependKind::in;
};

struct DependLine {
    const void* address = nullptr;
    DependLine* next = nullptr;  // in its bucket
    DependRank* first = nullptr;
    DependRank* last = nullptr;
};

namespace {

constexpr std::size_t node_size = sizeof(DependRank) > sizeof(DependLine) ? sizeof(DependRank) : sizeof(DependLine);
constexpr std::size_t nodes_in_chunk = 64;
constexpr std::size_t first_buckets = 64;

struct Node {
    Node* next;
};

[[noreturn]] void no_memory() { fatal("out of memory for tasks' dependences"); }

std::size_t bucket_of(const void* address, std::size_t count) {
    return mix64(reinterpret_cast<std::uintptr_t>(address)) & (count - 1);
}

bool is_shared(DependKind kind) { return kind == DependKind::in || kind == DependKind::inoutset; }

}  // namespace

DependTable::~DependTable() {
    std::free(buckets_);
    while (chunks_ != nullptr) {
        Node* const chunk = static_cast<Node*>(chunks_);
        chunks_ = chunk->next;
        std::free(chunk);
    }
}

// A rank or a line.
void* DependTable::take_node() {
    if (free_nodes_ == nullptr) {
        char* const chunk = static_cast<char*>(std::malloc(sizeof(Node) + nodes_in_chunk * node_size));
        if (chunk == nullptr) no_memory();
        reinterpret_cast<Node*>(chunk)->next = static_cast<Node*>(chunks_);
        chunks_ = chunk;
        for (std::size_t i = nodes_in_chunk; i-- > 0;) give_node(chunk + sizeof(Node) + i * node_size);
    }
    Node* const node = static_cast<Node*>(free_nodes_);
    free_nodes_ = node->next;
    return node;
}

void DependTable::give_node(void* node) {
    static_cast<Node*>(node)->next = static_cast<Node*>(free_nodes_);
    free_nodes_ = node;
}

void DependTable::grow() {
    const std::size_t count = bucket_count_ == 0 ? first_buckets : 2 * bucket_count_;
    auto** const buckets = static_cast<DependLine**>(std::calloc(count, sizeof(DependLine*)));
    if (buckets == nullptr) no_memory();
    for (std::size_t i = 0; i < bucket_count_; ++i) {
        for (DependLine* line = buckets_[i]; line != nullptr;) {
            DependLine* const next = line->next;
            DependLine*& bucket = buckets[bucket_of(line->address, count)];
            line->next = bucket;
            bucket = line;
            line = next;
        }
    }
    std::free(buckets_);
    buckets_ = buckets;
    bucket_count_ = count;
}

DependLine& DependTable::line_of(const void* address) {
    if (lines_ >= bucket_count_) grow();
    DependLine*& bucket = buckets_[bucket_of(address, bucket_count_)];
    for (DependLine* line = bucket; line != nullptr; line = line->next) {
        if (line->address == address) return *line;
    }
    DependLine* const line = ::new (take_node()) DependLine{address, bucket};
    bucket = line;
    ++lines_;
    return *line;
}

// A line without ranks: addresses must not pile up.
void DependTable::forget_line(DependLine& line) {
    if (&line == everything_) return;
    DependLine** at = &buckets_[bucket_of(line.address, bucket_count_)];
    while (*at != &line) at = &(*at)->next;
    *at = line.next;
    --lines_;
    give_node(&line);
}

DependEntry* DependTable::entry_in(Task& task, const DependRank& rank) {
    for (std::uint32_t i = 0; i < task.entry_count; ++i) {
        if (task.entries[i].rank == &rank) return &task.entries[i];
    }
    return nullptr;
}

void DependTable::enter(Task& task, DependEntry& entry, DependLine& line, DependKind kind) {
    DependRank* rank = line.last;
    DependEntry* joining = &entry;
    if (rank != nullptr && rank->newest == &task) {
        // A second item with the same address.
        if (rank->kind == kind || rank->kind == DependKind::exclusive) return;
        if (rank->unfinished == 1) {
            rank->kind = DependKind::exclusive;
            return;
        }
        joining = entry_in(task, *rank);
        rank->newest = nullptr;
        --rank->unfinished;
        if (rank != line.first) {
            rank->waiting = joining->next;  // it was the newest
            --task.predecessors;
        }
        kind = DependKind::exclusive;
    }
    if (rank == nullptr || rank->kind != kind || !is_shared(kind)) {
        rank = ::new (take_node()) DependRank;
        rank->line = &line;
        rank->kind = kind;
        (line.last == nullptr ? line.first : line.last->next) = rank;
        line.last = rank;
    }
    ++rank->unfinished;
    rank->newest = &task;
    joining->task = &task;
    joining->rank = rank;
    if (rank != line.first) {
        joining->next = rank->waiting;
        rank->waiting = joining;
        ++task.predecessors;
    }
}

// The line on which an omp_all_memory is exclusive, and every other task an in. Those that came while it was empty are not
// on it; one rank stands for all of them.
void DependTable::enter_everything(Task& task, DependEntry& entry, DependKind kind) {
    if (everything_ == nullptr) everything_ = ::new (take_node()) DependLine;
    if (everything_->first == nullptr && outside_ != 0) {
        outside_rank_ = ::new (take_node()) DependRank;
        outside_rank_->line = everything_;
        outside_rank_->kind = DependKind::in;
        outside_rank_->unfinished = outside_;
        everything_->first = everything_->last = outside_rank_;
    }
    enter(task, entry, *everything_, kind);
}

bool DependTable::add(Task& task, Dependences dependences, DependEntry* entries) {
    task.entries = entries;
    task.entry_count = static_cast<std::uint32_t>(entries_for(dependences.size()));
    for (std::uint32_t i = 0; i < task.entry_count; ++i) ::new (entries + i) DependEntry;
    bool all = false;
    for (const Dependence& each : dependences) all = all || each.kind == DependKind::all_memory;
    DependEntry& last = entries[dependences.size()];
    if (GOSSAMER_UNLIKELY(all)) {
        enter_everything(task, last, DependKind::exclusive);
    } else {
        for (std::size_t i = 0; i < dependences.size(); ++i) {
            enter(task, entries[i], line_of(dependences[i].address), dependences[i].kind);
        }
        if (GOSSAMER_UNLIKELY(everything_ != nullptr && everything_->first != nullptr)) {
            enter_everything(task, last, DependKind::in);
        } else {
            ++outside_;
        }
    }
    live_.store(live() + 1, std::memory_order_relaxed);
    return task.predecessors == 0;
}

// One task of `rank`, which is its line's first, is complete.
void DependTable::leave(DependRank& rank, Task*& ready) {
    if (--rank.unfinished != 0) return;
    DependLine& line = *rank.line;
    DependRank* const next = rank.next;
    line.first = next;
    if (&rank == outside_rank_) outside_rank_ = nullptr;
    give_node(&rank);
    if (next == nullptr) {
        line.last = nullptr;
        forget_line(line);
        return;
    }
    for (DependEntry* entry = next->waiting; entry != nullptr; entry = entry->next) {
        if (--entry->task->predecessors != 0) continue;
        entry->task->next = ready;
        ready = entry->task;
    }
    next->waiting = nullptr;
}

Task* DependTable::remove(Task& task) {
    Task* ready = nullptr;
    const bool outside = task.entries[task.entry_count - 1].rank == nullptr;
    for (std::uint32_t i = 0; i < task.entry_count; ++i) {
        DependRank* const rank = task.entries[i].rank;
        if (rank == nullptr) continue;
        if (rank->newest == &task) rank->newest = nullptr;  // its memory may be another task's next
        leave(*rank, ready);
    }
    if (outside) {
        --outside_;
        if (GOSSAMER_UNLIKELY(outside_rank_ != nullptr)) leave(*outside_rank_, ready);
    }
    live_.store(live() - 1, std::memory_order_relaxed);
    return ready;
}

}  // namespace gossamer::omp
