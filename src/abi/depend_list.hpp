// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A construct's dependences, decoded; on the stack unless there are many.
#pragma once

#include <cstdlib>
#include <new>

#include "omp/omp.hpp"

namespace gossamer::abi {

class DependList {
public:
    explicit DependList(std::size_t capacity) : items_(reinterpret_cast<omp::Dependence*>(here_)) {
        if (capacity <= few) return;
        items_ = static_cast<omp::Dependence*>(std::malloc(capacity * sizeof(omp::Dependence)));
        if (items_ == nullptr) fatal("out of memory for a task's dependences");
    }
    ~DependList() {
        if (items_ != reinterpret_cast<omp::Dependence*>(here_)) std::free(items_);
    }
    DependList(const DependList&) = delete;
    DependList& operator=(const DependList&) = delete;

    // At most `capacity` times.
    void add(const void* address, omp::DependKind kind) { ::new (items_ + size_++) omp::Dependence{address, kind}; }

    // For a wait behind which the compiler may execute a block that has to run alone of its mutexinoutset: the wait is for all
    // earlier tasks of the set, and the caller generates no later one meanwhile.
    void put_sets_in_order() {
        for (std::size_t i = 0; i < size_; ++i) {
            if (items_[i].kind == omp::DependKind::mutexinoutset) items_[i].kind = omp::DependKind::exclusive;
        }
    }

    omp::Dependences all() const { return {items_, size_}; }

private:
    static constexpr std::size_t few = 16;
    alignas(omp::Dependence) char here_[few * sizeof(omp::Dependence)];  // bytes, so that it is not cleared for each task
    omp::Dependence* items_;
    std::size_t size_ = 0;
};

}  // namespace gossamer::abi
