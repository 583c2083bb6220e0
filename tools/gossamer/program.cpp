// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.hpp"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

namespace gossamer::tool {

namespace {

template <class T>
bool read_at(std::ifstream& file, std::streamoff offset, T& out) {
    file.clear();
    file.seekg(offset);
    return static_cast<bool>(file.read(reinterpret_cast<char*>(&out), sizeof out));
}

// The library and this command are built for the same machine.
ElfW(Half) own_machine() {
    std::ifstream self("/proc/self/exe", std::ios::binary);
    ElfW(Ehdr) header{};
    return read_at(self, 0, header) ? header.e_machine : ElfW(Half){EM_NONE};
}

// The first segment of the program for which `is(segment)`.
template <class Is>
std::optional<ElfW(Phdr)> find_segment(std::ifstream& file, const ElfW(Ehdr) & header, Is is) {
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        ElfW(Phdr) segment{};
        const auto offset = header.e_phoff + std::uint64_t{i} * header.e_phentsize;
        if (read_at(file, static_cast<std::streamoff>(offset), segment) && is(segment)) {
            return segment;
        }
    }
    return std::nullopt;
}

std::optional<ElfW(Phdr)> find_segment_of_type(std::ifstream& file, const ElfW(Ehdr) & header, ElfW(Word) type) {
    return find_segment(file, header, [type](const ElfW(Phdr) & segment) { return segment.p_type == type; });
}

// A program of this machine's kind, opened; its header is in `header`.
bool read_header(std::ifstream& in, ElfW(Ehdr) & header) {
    return in && read_at(in, 0, header) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
}

bool is_for_this_machine(const ElfW(Ehdr) & header) {
    return header.e_ident[EI_CLASS] == (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32) && header.e_machine == own_machine();
}

}  // namespace

std::optional<std::string> find_program(const std::string& command) {
    if (command.empty()) {
        return std::nullopt;
    }
    if (command.find('/') != std::string::npos) {
        return access(command.c_str(), F_OK) == 0 ? std::optional(command) : std::nullopt;
    }
    const char* path = std::getenv("PATH");
    const std::string folders = path != nullptr ? path : "/bin:/usr/bin";
    for (std::size_t begin = 0; begin <= folders.size();) {
        const std::size_t end = std::min(folders.find(':', begin), folders.size());
        const std::string folder = folders.substr(begin, end - begin);
        const std::string file = (folder.empty() ? "." : folder) + "/" + command;
        struct stat status{};
        if (access(file.c_str(), X_OK) == 0 && stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
            return file;
        }
        begin = end + 1;
    }
    return std::nullopt;
}

std::optional<std::string> why_not_loadable(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    ElfW(Ehdr) header{};
    if (!read_header(in, header)) {
        return std::nullopt;
    }
    if (!is_for_this_machine(header)) {
        return "it is a program for another kind of processor than this Gossamer";
    }
    if (!find_segment_of_type(in, header, PT_INTERP)) {
        return "it is statically linked";
    }
    struct stat status{};
    if (stat(file.c_str(), &status) != 0) {
        return std::nullopt;
    }
    const bool other_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != getuid();
    const bool other_group = (status.st_mode & S_ISGID) != 0 && status.st_gid != getgid();
    if (other_user || other_group) {
        return "it is set-user-id or set-group-id, so the system ignores LD_PRELOAD for it";
    }
    if (getuid() != 0 && getxattr(file.c_str(), "security.capability", nullptr, 0) > 0) {
        return "it carries file capabilities, so the system ignores LD_PRELOAD for it";
    }
    return std::nullopt;
}

std::optional<std::string> needed_sanitizer(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    ElfW(Ehdr) header{};
    if (!read_header(in, header) || !is_for_this_machine(header)) {
        return std::nullopt;
    }
    const auto dynamic = find_segment_of_type(in, header, PT_DYNAMIC);
    if (!dynamic) {
        return std::nullopt;
    }
    std::vector<ElfW(Xword)> needed;
    ElfW(Addr) names = 0;
    for (std::uint64_t at = 0; at + sizeof(ElfW(Dyn)) <= dynamic->p_filesz; at += sizeof(ElfW(Dyn))) {
        ElfW(Dyn) entry{};
        if (!read_at(in, static_cast<std::streamoff>(dynamic->p_offset + at), entry) || entry.d_tag == DT_NULL) {
            break;
        }
        if (entry.d_tag == DT_NEEDED) {
            needed.push_back(entry.d_un.d_val);
        } else if (entry.d_tag == DT_STRTAB) {
            names = entry.d_un.d_ptr;
        }
    }
    const auto holder = find_segment(in, header, [names](const ElfW(Phdr) & segment) {
        return segment.p_type == PT_LOAD && segment.p_vaddr <= names && names - segment.p_vaddr < segment.p_filesz;
    });
    if (!holder) {
        return std::nullopt;
    }
    for (const ElfW(Xword) offset : needed) {
        in.clear();
        in.seekg(static_cast<std::streamoff>(holder->p_offset + (names - holder->p_vaddr) + offset));
        std::string name;
        if (std::getline(in, name, '\0') && (name.starts_with("libasan.so") || name.starts_with("libtsan.so"))) {
            return name;
        }
    }
    return std::nullopt;
}

}  // namespace gossamer::tool
