// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/depend.hpp"

#include <cstdlib>
#include <new>

#include "os/os.hpp"

namespace gossamer::omp {

struct DependRank {
    DependLine* line = nullptr;
    DependRank* next = nullptr;
    DependEntry* waiting = nullptr;  // its entries, newest first, until its turn comes
    Task* newest = nullptr;          // the task that joined last
    std::uint32_t unfinished = 0;
    DependKind kind = DependKind::in;
    DependGate gate{};  // the line's, in its first

    // `next`, the first that waits, takes the place of the line's first.
    void become(const DependRank& following) {
        next = following.next;
        waiting = following.waiting;
        newest = following.newest;
        unfinished = following.unfinished;
        kind = following.kind;
    }
};

// One cache line, with the rank whose turn it is: what most tasks change of an address is all there.
struct alignas(cache_line) DependLine {
    const void* address = nullptr;
    DependLine* next = nullptr;  // in its bucket
    DependRank* last = &first;
    DependRank first{.line = this};  // unfinished 0: the line is idle, and has no other rank

    bool is_idle() const { return first.unfinished == 0; }

    void set_gate() {
        if (is_idle()) {
            first.gate.set_idle();
        } else if (last == &first) {
            first.gate.set_running(first.kind);
        } else {
            first.gate.set_waiting();
        }
    }
};
static_assert(sizeof(DependLine) == cache_line);

namespace {

constexpr std::size_t node_size = sizeof(DependLine);
constexpr std::size_t nodes_in_chunk = 64;
constexpr std::uint32_t first_bits = 6;  // of the number of buckets

struct Node {
    Node* next;
};

[[noreturn]] void no_memory() { fatal("out of memory for tasks' dependences"); }

// Fibonacci hashing: the upper bits of the product depend on all of the address (Knuth, TAOCP 3, §6.4).
std::size_t bucket_of(const void* address, std::uint32_t bits) {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address)) * 0x9e3779b97f4a7c15u >> (64 - bits);
}

bool is_shared(DependKind kind) { return kind == DependKind::in || kind == DependKind::inoutset; }

// Tables without tasks, for the next tasks that have children with dependences.
struct Spare {
    SpinLock lock;
    DependTable* first = nullptr;
    std::uint32_t count = 0;
};
constexpr std::uint32_t most_spare = 64;
constexpr std::size_t most_spare_lines = 1024;
constinit Spare spare;

}  // namespace

DependTable& DependTable::take() {
    {
        SpinGuard guard(spare.lock, os::yield_native);
        if (DependTable* const table = spare.first) {
            spare.first = table->next_spare_;
            --spare.count;
            return *table;
        }
    }
    void* const memory = std::malloc(sizeof(DependTable));
    if (memory == nullptr) no_memory();
    return *::new (memory) DependTable;
}

void DependTable::give(DependTable& table) {
    if (table.most_lines_ <= most_spare_lines) {
        SpinGuard guard(spare.lock, os::yield_native);
        if (spare.count < most_spare) {
            ++spare.count;
            table.next_spare_ = spare.first;
            spare.first = &table;
            return;
        }
    }
    table.~DependTable();
    std::free(&table);
}

void DependTable::forget_locks() {
    spare.lock.~SpinLock();
    ::new (&spare.lock) SpinLock;
}

DependTable::~DependTable() {
    std::free(buckets_);
    while (chunks_ != nullptr) {
        Node* const chunk = static_cast<Node*>(chunks_);
        chunks_ = chunk->next;
        std::free(chunk);
    }
}

// A rank or a line.
inline void* DependTable::take_node() {
    if (GOSSAMER_UNLIKELY(free_nodes_ == nullptr)) more_nodes();
    Node* const node = static_cast<Node*>(free_nodes_);
    free_nodes_ = node->next;
    return node;
}

inline void DependTable::give_node(void* node) {
    static_cast<Node*>(node)->next = static_cast<Node*>(free_nodes_);
    free_nodes_ = node;
}

void DependTable::more_nodes() {
    char* const chunk = static_cast<char*>(std::aligned_alloc(cache_line, (1 + nodes_in_chunk) * node_size));
    if (chunk == nullptr) no_memory();
    reinterpret_cast<Node*>(chunk)->next = static_cast<Node*>(chunks_);
    chunks_ = chunk;
    for (std::size_t i = nodes_in_chunk; i > 0; --i) give_node(chunk + i * node_size);
}

// Before one more line: addresses must not pile up.
void DependTable::make_room() {
    const std::size_t count = buckets_ == nullptr ? 0 : std::size_t{1} << bits_;
    if (count != 0 && 2 * idle_ > lines_) return forget_idle(count);
    const std::uint32_t bits = count == 0 ? first_bits : bits_ + 1;
    auto** const buckets = static_cast<DependLine**>(std::calloc(std::size_t{1} << bits, sizeof(DependLine*)));
    if (buckets == nullptr) no_memory();
    for (std::size_t i = 0; i < count; ++i) {
        for (DependLine* line = buckets_[i]; line != nullptr;) {
            DependLine* const next = line->next;
            DependLine*& bucket = buckets[bucket_of(line->address, bits)];
            line->next = bucket;
            bucket = line;
            line = next;
        }
    }
    std::free(buckets_);
    buckets_ = buckets;
    bits_ = bits;
    most_lines_ = std::size_t{1} << bits;
}

void DependTable::forget_idle(std::size_t buckets) {
    for (std::size_t i = 0; i < buckets; ++i) {
        for (DependLine** at = &buckets_[i]; *at != nullptr;) {
            DependLine* const line = *at;
            if (!line->is_idle()) {
                at = &line->next;
                continue;
            }
            *at = line->next;
            give_node(line);
            --lines_;
        }
    }
    idle_ = everything_ != nullptr && everything_->is_idle() ? 1 : 0;
}

// Only who adds changes which lines there are, so it needs no lock for this.
inline DependLine* DependTable::find_line(const void* address) const {
    for (DependLine* line = buckets_[bucket_of(address, bits_)]; line != nullptr; line = line->next) {
        if (line->address == address) return line;
    }
    return nullptr;
}

// The address's line, which may be a new one.
inline DependLine& DependTable::line_of(const void* address) {
    if (GOSSAMER_UNLIKELY(lines_ >= most_lines_)) make_room();
    if (DependLine* const line = find_line(address)) return *line;
    DependLine*& bucket = buckets_[bucket_of(address, bits_)];
    DependLine* const line = ::new (take_node()) DependLine{address, bucket};
    bucket = line;
    ++lines_;
    ++idle_;
    return *line;
}

DependEntry* DependTable::entry_in(Task& task, const DependRank& rank) {
    for (std::uint32_t i = 0; i < task.entry_count; ++i) {
        if (task.entries[i].rank == &rank) return &task.entries[i];
    }
    return nullptr;
}

// A further item of `task` with the address of `rank`, which it has joined last. False: nothing is to be done for it.
bool DependTable::enter_again(Task& task, DependEntry*& joining, DependRank& rank, DependKind& kind) {
    if (rank.kind == kind || rank.kind == DependKind::exclusive) return false;
    if (rank.unfinished == 1) {
        rank.kind = DependKind::exclusive;
        return false;
    }
    joining = entry_in(task, rank);
    rank.newest = nullptr;
    --rank.unfinished;
    if (&rank != &rank.line->first) {
        rank.waiting = joining->next;  // it was the newest
        --task.predecessors;
    }
    kind = DependKind::exclusive;
    return true;
}

inline void DependTable::enter(Task& task, DependEntry& entry, DependLine& line, DependKind kind) {
    DependRank* rank = line.last;
    DependEntry* joining = &entry;
    if (rank->unfinished == 0) {
        --idle_;
        rank->kind = kind;
    } else {
        if (GOSSAMER_UNLIKELY(rank->newest == &task) && !enter_again(task, joining, *rank, kind)) return line.set_gate();
        if (rank->kind != kind || !is_shared(kind)) {
            rank->next = ::new (take_node()) DependRank{.line = &line, .kind = kind};
            rank = line.last = rank->next;
        }
    }
    ++rank->unfinished;
    rank->newest = &task;
    joining->task = &task;
    joining->rank = rank;
    if (rank != &line.first) {
        joining->next = rank->waiting;
        rank->waiting = joining;
        ++task.predecessors;
    }
    line.set_gate();
}

// The line on which an omp_all_memory is exclusive, and every other task an in. Those that came while it was empty are not
// on it; one rank stands for all of them.
void DependTable::enter_everything(Task& task, DependEntry& entry, DependKind kind) {
    if (everything_ == nullptr) {
        everything_ = ::new (take_node()) DependLine;
        ++idle_;
    }
    if (everything_->is_idle() && outside_ != 0) {
        --idle_;
        outside_rank_ = &everything_->first;
        outside_rank_->kind = DependKind::in;
        outside_rank_->unfinished = outside_;
        outside_rank_->newest = nullptr;
    }
    enter(task, entry, *everything_, kind);
}

bool DependTable::add(Task& task, Dependences dependences, DependEntry* entries) {
    task.entries = entries;
    task.predecessors = 0;
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
        if (GOSSAMER_UNLIKELY(everything_ != nullptr && !everything_->is_idle())) {
            enter_everything(task, last, DependKind::in);
        } else {
            ++outside_;
        }
    }
    live_.store(live() + 1, std::memory_order_relaxed);
    return task.predecessors == 0;
}

// One task of `rank`, which is its line's first, is complete.
inline void DependTable::leave(DependRank& rank, Task*& ready) {
    if (--rank.unfinished != 0) return;
    if (GOSSAMER_UNLIKELY(&rank == outside_rank_)) outside_rank_ = nullptr;
    DependRank* const next = rank.next;
    if (next == nullptr) {
        ++idle_;
        return rank.line->set_gate();
    }
    // The next one takes its place. All its tasks are still in its list.
    rank.become(*next);
    if (rank.line->last == next) {
        rank.line->last = &rank;
        rank.line->set_gate();
    }
    give_node(next);
    for (DependEntry* entry = rank.waiting; entry != nullptr; entry = entry->next) {
        entry->rank = &rank;
        if (--entry->task->predecessors != 0) continue;
        entry->task->next = ready;
        ready = entry->task;
    }
    rank.waiting = nullptr;
}

bool DependTable::lets_begin(Dependences dependences) const {
    if (live() == 0) return true;
    for (const Dependence& each : dependences) {
        if (GOSSAMER_UNLIKELY(each.kind == DependKind::all_memory)) return false;
        if (GOSSAMER_UNLIKELY(buckets_ == nullptr)) continue;
        const DependLine* const line = find_line(each.address);
        if (line != nullptr && !line->first.gate.lets_begin(each.kind)) return false;
    }
    return everything_ == nullptr || everything_->first.gate.lets_begin(DependKind::in);
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
    live_.store(live() - 1, std::memory_order_release);  // pairs with live; the lock joins the removals before
    return ready;
}

}  // namespace gossamer::omp
