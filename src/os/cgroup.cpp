// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/cgroup.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/base.hpp"
#include "os/small_file.hpp"

namespace gossamer::os {

namespace {

using FileText = SmallFile<8192>;

// A path that is built up and cut back; what does not fit makes it invalid until it is cut again.
class Path {
public:
    explicit Path(std::string_view start) { add(start); }

    void add(std::string_view part) {
        if (!fits_ || length_ + part.size() >= sizeof bytes_) {
            fits_ = false;
            return;
        }
        std::memcpy(bytes_ + length_, part.data(), part.size());
        length_ += part.size();
        bytes_[length_] = '\0';
    }

    void cut(std::size_t length) {
        length_ = length;
        bytes_[length] = '\0';
        fits_ = true;
    }

    // Where the last component begins (its slash), not before `root`.
    std::size_t parent(std::size_t root) const {
        std::size_t at = length_;
        while (at > root && bytes_[at - 1] != '/') --at;
        return at > root ? at - 1 : root;
    }

    bool exists() const { return fits_ && ::access(bytes_, F_OK) == 0; }
    bool fits() const { return fits_; }
    std::size_t length() const { return length_; }
    const char* c_str() const { return bytes_; }

private:
    char bytes_[4096] = {};
    std::size_t length_ = 0;
    bool fits_ = true;
};

class Tightest {
public:
    void consider(double cpus) {
        if (!found_ || cpus < *found_) found_ = cpus;
    }
    std::optional<double> get() const { return found_; }

private:
    std::optional<double> found_;
};

Parsed<std::int64_t> number_in(Path& folder, std::string_view file) {
    std::size_t length = folder.length();
    folder.add(file);
    Parsed<std::int64_t> number = folder.fits() ? parse_signed(FileText(folder.c_str()).text()) : TextError::empty;
    folder.cut(length);
    return number;
}

// cpu.max: "QUOTA PERIOD" in microseconds, or "max PERIOD".
void consider_v2(Path& folder, Tightest& tightest) {
    std::size_t length = folder.length();
    folder.add("/cpu.max");
    if (folder.fits()) {
        FileText file(folder.c_str());
        Splitter words(trim(file.text()), ' ');
        auto first = words.next();
        auto second = words.next();
        if (first && second) {
            auto quota = parse_unsigned(*first);
            auto period = parse_unsigned(*second);
            if (quota && period && *quota > 0 && *period > 0) {
                tightest.consider(static_cast<double>(*quota) / static_cast<double>(*period));
            }
        }
    }
    folder.cut(length);
}

// Two files in microseconds; a quota of -1 is no limit.
void consider_v1(Path& folder, Tightest& tightest) {
    auto quota = number_in(folder, "/cpu.cfs_quota_us");
    auto period = number_in(folder, "/cpu.cfs_period_us");
    if (quota && period && *quota > 0 && *period > 0) {
        tightest.consider(static_cast<double>(*quota) / static_cast<double>(*period));
    }
}

// From the group's own folder up to the mount's root.
void walk_up(Path& folder, std::string_view group, void (*consider)(Path&, Tightest&), Tightest& tightest) {
    std::size_t root = folder.length();
    while (!group.empty() && group.back() == '/') group.remove_suffix(1);
    // "/.." leads out of our namespace: the kernel says so of groups that this mount does not show.
    if (group.find("/..") == std::string_view::npos) folder.add(group);
    if (!folder.exists()) folder.cut(root);
    for (;;) {
        consider(folder, tightest);
        if (folder.length() <= root) return;
        folder.cut(folder.parent(root));
    }
}

bool names_cpu(std::string_view controllers) {
    Splitter names(controllers);
    while (auto name = names.next()) {
        if (*name == "cpu") return true;
    }
    return false;
}

}  // namespace

// Each line of /proc/self/cgroup is "ID:CONTROLLERS:PATH"; version 2 has ID 0 and no controllers
// (cgroups(7)).
std::optional<double> cpu_quota(const char* proc_self_cgroup, const char* mount_root) {
    FileText file(proc_self_cgroup);
    Tightest tightest;
    Splitter lines(file.text(), '\n');
    while (auto line = lines.next()) {
        std::string_view rest = *line;
        std::size_t first = rest.find(':');
        std::size_t second = first == std::string_view::npos ? first : rest.find(':', first + 1);
        if (second == std::string_view::npos) continue;
        std::string_view controllers(rest.data() + first + 1, second - first - 1);
        std::string_view group(rest.data() + second + 1, rest.size() - second - 1);

        if (controllers.empty()) {
            // A hybrid layout mounts version 2 below "unified".
            for (std::string_view mount : {"", "/unified"}) {
                Path folder(mount_root);
                folder.add(mount);
                walk_up(folder, group, consider_v2, tightest);
            }
        } else if (names_cpu(controllers)) {
            // Mounted under the controllers' full list, or as "cpu" alone.
            Path full(mount_root);
            full.add("/");
            full.add(controllers);
            if (!full.exists()) {
                full = Path(mount_root);
                full.add("/cpu");
            }
            walk_up(full, group, consider_v1, tightest);
        }
    }
    return tightest.get();
}

}  // namespace gossamer::os
