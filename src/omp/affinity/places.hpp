// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The place list (place-partition-var of the initial task; OpenMP 5.2 §10.1.3, §21.1.6).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/base.hpp"
#include "omp/icv/icv.hpp"
#include "omp/icv/text_sink.hpp"
#include "os/os.hpp"

namespace gossamer::omp {

// Places 0 … size-1, each a set of CPU numbers in ascending order. Filled by one thread, then only read.
class PlaceList {
public:
    constexpr PlaceList() = default;
    PlaceList(const PlaceList&) = delete;
    PlaceList& operator=(const PlaceList&) = delete;
    ~PlaceList() = default;  // frees nothing: the process's list lasts to its end; release() frees others

    std::uint32_t size() const { return size_; }
    std::span<const std::uint16_t> cpus(std::uint32_t place) const {
        return {cpus_ + starts_[place], starts_[place + 1] - starts_[place]};
    }

    // "2: {0},{1}"; a long list is cut.
    void show(TextSink& out) const;

    // Adds a place of these CPUs. False where memory or the list's bounds (65535 places) are exhausted.
    bool add(const os::CpuMask& cpus);
    void clear();
    void release();
    void swap(PlaceList& other);

private:
    std::uint16_t* cpus_ = nullptr;
    std::uint32_t* starts_ = nullptr;  // starts_[i] … starts_[i + 1] are place i's part of cpus_
    std::uint32_t size_ = 0;
    std::uint32_t cpus_room_ = 0;
    std::uint32_t starts_room_ = 0;
};

// Whether a text follows the grammar of OMP_PLACES (§21.1.6), and that of GOMP_CPU_AFFINITY: "0-3 5 8-14:2".
bool valid_places(std::string_view text);
bool valid_cpu_places(std::string_view text);

// Reads such a text into `out`: of each place the CPUs that are in `allowed`; a place without any is left out. An abstract name
// makes as many places as there are, or as it asks for.
struct PlacesRead {
    bool valid = false;               // the text follows the grammar, and there was memory
    std::uint32_t cpus_left_out = 0;  // CPUs of the text that are not in `allowed`
};
PlacesRead read_places(std::string_view text, const os::CpuMask& allowed, PlaceList& out);
PlacesRead read_cpu_places(std::string_view text, const os::CpuMask& allowed, PlaceList& out);

// The process's places: what the user named, or one for each core. Built on first use. Never suspends.
const PlaceList& places();
void forget_places();  // in the child of a fork, whose parent's other threads may have been building it

// A task's place-partition-var: consecutive places of the list.
struct PlacePartition {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};
inline PlacePartition place_partition(const Icvs& icvs) {
    if (icvs.place_count == 0) return {0, places().size()};
    return {icvs.place_first, icvs.place_count};
}

// Writes the set as "0-3,6".
void show_cpus(TextSink& out, const os::CpuMask& cpus);

}  // namespace gossamer::omp
