// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar of each kind of setting (OpenMP 5.2 §21). Where the text does not follow it, a function returns nothing (or
// false) and changes nothing. The case of letters does not matter; blanks are allowed around every item.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "omp/icv/global_icvs.hpp"

namespace gossamer::omp {

// In place of starts_with, which calls substr (see slice).
constexpr bool begins_with(std::string_view text, std::string_view prefix) { return slice(text, 0, prefix.size()) == prefix; }

// 1 … 2147483647, and 0 … 2147483647.
std::optional<std::uint32_t> parse_positive(std::string_view text);
std::optional<std::uint32_t> parse_count(std::string_view text);

// The index of the word that the text is.
std::optional<std::uint32_t> parse_word(std::string_view text, std::initializer_list<const char*> words);

// OMP_NUM_THREADS: "4,3,2" (§21.1.2). Elements behind the list's capacity are checked and dropped.
bool parse_thread_list(std::string_view text, GlobalIcvs& icvs);

// OMP_PROC_BIND: true, false, or a list of primary, master, close, spread and unset (§21.1.7).
bool parse_bind_list(std::string_view text, GlobalIcvs& icvs);

// OMP_SCHEDULE: [monotonic: | nonmonotonic:] static | dynamic | guided | auto [, chunk] (§21.2.1). libomp's static_steal and
// trapezoidal stand for dynamic and guided, as in its calls (src/abi/kmpc/loop_dispatch.cpp).
std::optional<Schedule> parse_schedule(std::string_view text);

// OMP_STACKSIZE and the like, in bytes: more than 0, at most 1 TiB (§21.2.2). A number without a unit
// counts in units of `unit` bytes.
std::optional<std::uint64_t> parse_stack_size(std::string_view text, std::uint64_t unit);

// KMP_BLOCKTIME in microseconds: a number of ms, or with a unit us, ms, s, m, h, d; infinite is
// Waiting::for_ever, and so is 2147483647.
std::optional<std::uint64_t> parse_blocktime(std::string_view text);

// GOMP_SPINCOUNT: a number with an optional k, M, G or T (powers of 1000), or infinite.
std::optional<std::uint64_t> parse_spin_count(std::string_view text);

// KMP_AFFINITY: [modifier,...]type[,permute][,offset], in OpenMP's own terms.
struct KmpAffinity {
    Bind bind = Bind::no;
    const char* places = nullptr;  // "threads", "cores", ...; null where no granularity was given
    bool ordered = false;          // the places are wanted in the order `order`
    PlaceOrder order;
    bool reset = false;         // behind an outermost region its primary thread is free again
    std::string_view proclist;  // the text in the brackets of proclist=[...]; empty: there is none
};
std::optional<KmpAffinity> parse_kmp_affinity(std::string_view text);

}  // namespace gossamer::omp
