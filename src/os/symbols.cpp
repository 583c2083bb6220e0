// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/symbols.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>

namespace gossamer::os {

void* next_symbol(const char* name) { return ::dlsym(RTLD_NEXT, name); }

void* any_symbol(const char* name) { return ::dlsym(RTLD_DEFAULT, name); }

namespace {

bool holds_this_library(const dl_phdr_info& object) {
    const auto here = reinterpret_cast<std::uintptr_t>(&any_symbol) - object.dlpi_addr;
    for (unsigned at = 0; at < object.dlpi_phnum; ++at) {
        const auto& header = object.dlpi_phdr[at];
        if (header.p_type == PT_LOAD && here - header.p_vaddr < header.p_memsz) return true;
    }
    return false;
}

}  // namespace

bool other_library_is_loaded(std::string_view name) {
    constexpr auto look = [](dl_phdr_info* object, std::size_t, void* wanted) {
        std::string_view file = object->dlpi_name;
        file.remove_prefix(file.rfind('/') + 1);  // npos + 1 is 0
        return file.starts_with(*static_cast<const std::string_view*>(wanted)) && !holds_this_library(*object) ? 1 : 0;
    };
    return ::dl_iterate_phdr(look, &name) != 0;
}

}  // namespace gossamer::os
