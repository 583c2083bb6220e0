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

bool has_interpreter(std::ifstream& file, const ElfW(Ehdr) & header) {
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        ElfW(Phdr) segment{};
        const auto offset = header.e_phoff + std::uint64_t{i} * header.e_phentsize;
        if (read_at(file, static_cast<std::streamoff>(offset), segment) && segment.p_type == PT_INTERP) {
            return true;
        }
    }
    return false;
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
    if (!in || !read_at(in, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
        return std::nullopt;
    }
    if (header.e_ident[EI_CLASS] != (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32) || header.e_machine != own_machine()) {
        return "it is a program for another kind of processor than this Gossamer";
    }
    if (!has_interpreter(in, header)) {
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

}  // namespace gossamer::tool
