// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/memory/allocator_text.hpp"

#include <array>

#include "base/base.hpp"

namespace gossamer::omp {

namespace {

struct Word {
    const char* name;
    std::uintptr_t value;
};

constexpr Word allocators[] = {{"omp_default_mem_alloc", 1}, {"omp_large_cap_mem_alloc", 2}, {"omp_const_mem_alloc", 3},
                               {"omp_high_bw_mem_alloc", 4}, {"omp_low_lat_mem_alloc", 5},   {"omp_cgroup_mem_alloc", 6},
                               {"omp_pteam_mem_alloc", 7},   {"omp_thread_mem_alloc", 8}};

constexpr Word spaces[] = {{"omp_default_mem_space", 0},
                           {"omp_large_cap_mem_space", 1},
                           {"omp_const_mem_space", 2},
                           {"omp_high_bw_mem_space", 3},
                           {"omp_low_lat_mem_space", 4}};

constexpr Word keys[] = {{"sync_hint", 1}, {"alignment", 2}, {"access", 3}, {"pool_size", 4},
                         {"fallback", 5},  {"fb_data", 6},   {"pinned", 7}, {"partition", 8}};

constexpr Word values[] = {{"default", trait::by_default},
                           {"false", trait::no},
                           {"true", trait::yes},
                           {"contended", trait::contended},
                           {"uncontended", trait::uncontended},
                           {"serialized", trait::serialized},
                           {"sequential", trait::serialized},
                           {"private", trait::private_},
                           {"all", trait::all},
                           {"device", trait::all},
                           {"thread", trait::thread},
                           {"pteam", trait::pteam},
                           {"cgroup", trait::cgroup},
                           {"default_mem_fb", trait::default_mem_fb},
                           {"null_fb", trait::null_fb},
                           {"abort_fb", trait::abort_fb},
                           {"allocator_fb", trait::allocator_fb},
                           {"environment", trait::environment},
                           {"nearest", trait::nearest},
                           {"blocked", trait::blocked},
                           {"interleaved", trait::interleaved}};

template <std::size_t size>
std::optional<std::uintptr_t> look_up(const Word (&words)[size], std::string_view text) {
    for (const Word& word : words) {
        if (equal_ignoring_case(trim(text), word.name)) return word.value;
    }
    return std::nullopt;
}

std::optional<Trait> parse_trait(std::string_view text) {
    auto equals = text.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    auto key = look_up(keys, slice(text, 0, equals));
    if (!key) return std::nullopt;
    std::string_view value = slice(text, equals + 1);
    Trait trait{static_cast<TraitKey>(*key), 0};
    if (auto word = look_up(values, value)) {
        trait.value = *word;
    } else if (trait.key == TraitKey::fb_data) {
        auto allocator = look_up(allocators, value);
        if (!allocator) return std::nullopt;
        trait.value = *allocator;
    } else {
        auto number = parse_size(value, 1);
        if (!number) return std::nullopt;
        trait.value = static_cast<std::uintptr_t>(*number);
    }
    return trait;
}

}  // namespace

std::optional<AllocatorHandle> parse_allocator(std::string_view text) {
    if (auto predefined = look_up(allocators, text)) return *predefined;
    auto colon = text.find(':');
    auto space = look_up(spaces, slice(text, 0, colon));
    if (!space) return std::nullopt;
    std::array<Trait, 16> traits;
    std::size_t count = 0;
    if (colon != std::string_view::npos) {
        Splitter items(slice(text, colon + 1));
        while (auto item = items.next()) {
            auto trait = parse_trait(*item);
            if (!trait || count == traits.size()) return std::nullopt;
            traits[count++] = *trait;
        }
    }
    AllocatorHandle made = init_allocator(*space, std::span(traits).first(count));
    if (made == null_allocator) return std::nullopt;
    return made;
}

}  // namespace gossamer::omp
