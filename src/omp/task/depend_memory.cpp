// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of tables of dependences: the stock of tables without tasks, a table's nodes, its buckets.
#include <cstdlib>
#include <new>

#include "omp/task/depend_line.hpp"
#include "os/os.hpp"

namespace gossamer::omp {

namespace {

constexpr std::size_t node_size = sizeof(DependLine);
constexpr std::size_t nodes_in_chunk = 64;
constexpr std::uint32_t first_bits = 8;    // of the number of buckets
constexpr std::size_t buckets_a_line = 4;  // at least: a look-up for a new address mostly ends at an empty one

[[noreturn]] void no_memory() { fatal("out of memory for tasks' dependences"); }

// The stock of tables without tasks.
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

void DependTable::forget_locks() { renew_if_locked(spare); }

DependTable::~DependTable() {
    std::free(buckets_);
    while (chunks_ != nullptr) {
        DependNode* const chunk = chunks_;
        chunks_ = chunk->next;
        std::free(chunk);
    }
}

void DependTable::more_nodes() {
    char* const chunk = static_cast<char*>(std::aligned_alloc(cache_line, (1 + nodes_in_chunk) * node_size));
    if (chunk == nullptr) no_memory();
    chunks_ = ::new (chunk) DependNode{chunks_};
    for (std::size_t i = nodes_in_chunk; i > 0; --i) give_node(chunk + i * node_size);
}

// Makes room for one more line: by forgetting idle ones if these are the majority, so that addresses do not pile up; else by
// doubling the buckets.
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
    most_lines_ = (std::size_t{1} << bits) / buckets_a_line;
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

}  // namespace gossamer::omp
