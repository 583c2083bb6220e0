// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/affinity/affinity.hpp"

#include <cstring>

#include "omp/affinity/places.hpp"
#include "omp/icv/icv.hpp"
#include "omp/team/ancestors.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {

namespace {

constexpr std::size_t longest_format = 1023;

struct FormatVar {
    SpinLock lock;
    bool set = false;  // omp_set_affinity_format has been called; before, OMP_AFFINITY_FORMAT's value holds
    std::size_t length = 0;
    char text[longest_format] = {};
};
constinit FormatVar format_var;

struct Field {
    bool zero = false;
    bool right = false;
    std::uint32_t width = 0;
    char letter = 0;  // 0: no such field
};

constexpr struct {
    char letter;
    const char* name;
} names[] = {{'t', "team_num"},         {'T', "num_teams"},      {'L', "nesting_level"}, {'n', "thread_num"},
             {'N', "num_threads"},      {'a', "ancestor_tnum"},  {'H', "host"},          {'P', "process_id"},
             {'i', "native_thread_id"}, {'A', "thread_affinity"}};

// Takes the field behind a '%' off the text: [[[0].]size](letter | {name}).
Field take_field(std::string_view& text) {
    Field field;
    if (!text.empty() && text.front() == '0') {
        field.zero = true;
        text.remove_prefix(1);
    }
    if (!text.empty() && text.front() == '.') {
        field.right = true;
        text.remove_prefix(1);
    }
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
        if (field.width < 1000) field.width = field.width * 10 + static_cast<std::uint32_t>(text.front() - '0');
        text.remove_prefix(1);
    }
    if (text.empty()) return field;
    if (text.front() == '{') {
        auto end = text.find('}');
        std::string_view name = slice(text, 1, end == std::string_view::npos ? end : end - 1);
        for (auto& known : names) {
            if (name == known.name) field.letter = known.letter;
        }
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    } else {
        for (auto& known : names) {
            if (text.front() == known.letter) field.letter = known.letter;
        }
        text.remove_prefix(1);
    }
    return field;
}

void show_value(TextSink& out, char letter, Thread& thread) {
    switch (letter) {
        case 't': out << team_num(thread); return;
        case 'T': out << num_teams(thread); return;
        case 'L': out << thread.team->level; return;
        case 'n': out << thread.num; return;
        case 'N': out << thread.team->size; return;
        case 'a': out << ancestor_num(thread, static_cast<std::int32_t>(thread.team->level) - 1); return;
        case 'H': {
            char host[256];
            os::host_name(host, sizeof host);
            out << host;
            return;
        }
        case 'P': out << static_cast<std::int64_t>(os::process_id()); return;
        case 'i': out << static_cast<std::int64_t>(os::kernel_thread_id()); return;
        case 'A': {
            os::CpuMask mask;
            // A thread that is not bound may run wherever the process may, whichever carrier it is on now.
            const bool bound = !fiber::zoned() || fiber::zone() != 0;
            show_cpus(out, bound && os::affinity(mask) == 0 ? mask : os::startup_cpus());
            return;
        }
        default: out << "undefined"; return;
    }
}

constexpr bool is_number(char letter) { return letter != 0 && letter != 'H' && letter != 'A'; }

void show_field(TextSink& out, const Field& field, Thread& thread) {
    TextBuffer<4096> value;
    show_value(value, field.letter, thread);
    std::string_view text = value.text();
    std::size_t padding = text.size() < field.width ? field.width - text.size() : 0;
    bool zeros = field.zero && field.right && is_number(field.letter);
    if (zeros && !text.empty() && text.front() == '-') {
        out << '-';
        text.remove_prefix(1);
    }
    if (field.right) {
        while (padding-- > 0) out << (zeros ? '0' : ' ');
        out << text;
    } else {
        out << text;
        while (padding-- > 0) out << ' ';
    }
}

void expand(TextSink& out, std::string_view format, Thread& thread) {
    while (!format.empty()) {
        char letter = format.front();
        format.remove_prefix(1);
        if (letter != '%') {
            out << letter;
        } else if (!format.empty() && format.front() == '%') {
            out << '%';
            format.remove_prefix(1);
        } else {
            show_field(out, take_field(format), thread);
        }
    }
}

// Writes a line, which ends with a newline even if it was cut.
void write_line(std::string_view line) {
    TextBuffer<4097> ended;
    ended << line << '\n';
    os::write_error(ended.text());
}

// The outermost descriptor of the same OpenMP thread: a team's primary thread is the thread that met the construct.
Thread& same_thread_outside(Thread& thread) {
    Thread* each = &thread;
    while (each->num == 0 && each->team->parent != nullptr) each = each->team->parent;
    return *each;
}

// A digest of everything that all threads of the team display alike.
std::uint64_t digest_of_region(const Team& team) {
    TextBuffer<longest_format> format;
    get_affinity_format(format);
    std::uint64_t digest = format.length();
    const auto add = [&digest](std::uint64_t value) { digest = mix64(digest ^ value); };
    for (char letter : format.text()) add(static_cast<unsigned char>(letter));
    add(os::process_id());
    add(team.level);
    add(team.size);
    add(team.parent->num);
    return digest;
}

}  // namespace

void set_affinity_format(std::string_view format) {
    SpinGuard guard(format_var.lock, os::yield_native);
    format_var.length = format.size() < longest_format ? format.size() : longest_format;
    std::memcpy(format_var.text, format.data(), format_var.length);
    format_var.set = true;
}

void get_affinity_format(TextSink& out) {
    const char* initial = globals().affinity_format;
    SpinGuard guard(format_var.lock, os::yield_native);
    if (format_var.set) {
        out << std::string_view(format_var.text, format_var.length);
    } else {
        out << initial;
    }
}

// The text may be half of the old and half of the new one; its length is within bounds either way.
void forget_affinity_format_lock() { format_var.lock.unlock(); }

void format_affinity(TextSink& out, std::string_view format, Thread& thread) {
    if (!format.empty()) return expand(out, format, thread);
    TextBuffer<longest_format> var;
    get_affinity_format(var);
    expand(out, var.text(), thread);
}

void display_affinity(std::string_view format, Thread& thread) {
    TextBuffer<4096> line;
    format_affinity(line, format, thread);
    write_line(line.text());
}

bool affinity_is_new(Team& team) {
    const std::uint64_t region = digest_of_region(team);
    const bool bound = team.dealing.bind != Bind::no;
    bool any = false;
    for (std::uint32_t num = 0; num < team.size; ++num) {
        const std::uint64_t zone = bound ? team.threads[num].zone : 0;
        const std::uint64_t digest = mix64(region ^ mix64(std::uint64_t{num} << 32 | zone));
        Thread& thread = same_thread_outside(team.threads[num]);
        any |= thread.affinity_digest != digest;
        thread.affinity_digest = digest;
    }
    return any;
}

namespace {

// libgomp, loaded beside this library (LD_PRELOAD) though nobody calls it, binds the initial thread to the first place as it is
// loaded, where the user asks for binding. All that this process starts would inherit that. Before other constructors of this
// library look at the mask.
[[gnu::constructor(101)]] void undo_binding_at_load() {
    const bool asked = os::env("OMP_PROC_BIND") || os::env("OMP_PLACES") || os::env("GOMP_CPU_AFFINITY");
    if (GOSSAMER_LIKELY(!asked)) return;
    const os::CpuMask& before = os::cpus_at_load();
    os::CpuMask now;
    if (os::affinity(now) != 0 || before.count() <= now.count() || os::common(before, now) != now) return;
    if (os::other_library_is_loaded("libgomp")) os::bind_affinity(before);
}

}  // namespace

}  // namespace gossamer::omp
