// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar of places. OpenMP 5.2 §21.1.6:
//
//     list     = interval { "," interval }              interval = [ "!" ] place [ ":" count [ ":" stride ] ]
//     place    = "{" resource { "," resource } "}"      resource = [ "!" ] number [ ":" count [ ":" stride ] ]
//
// or an abstract name with an optional count in parentheses. An interval repeats its place, moved by stride each time. "!"
// takes a resource out of the place, or leaves out every place of the list that is equal to this one. As in other runtimes, a
// bare number is a place of one CPU.
#include "omp/affinity/groups.hpp"
#include "omp/affinity/places.hpp"

namespace gossamer::omp {

namespace {

constexpr std::int64_t most_repeats = 0xffff;

// Takes items off the front of a text.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(trim(text)) {}

    bool at_end() const { return rest_.empty(); }

    bool take(char letter) {
        if (rest_.empty() || rest_.front() != letter) return false;
        rest_.remove_prefix(1);
        skip_blanks();
        return true;
    }

    // True if there was a blank, or the text is at its end.
    bool take_blanks() {
        if (rest_.empty()) return true;
        std::size_t before = rest_.size();
        skip_blanks();
        return rest_.size() != before;
    }

    bool number(std::int64_t& value, bool may_be_negative = false) {
        std::size_t length = may_be_negative && !rest_.empty() && (rest_[0] == '-' || rest_[0] == '+') ? 1 : 0;
        while (length < rest_.size() && rest_[length] >= '0' && rest_[length] <= '9') ++length;
        auto parsed = parse_signed(slice(rest_, 0, length));
        if (!parsed || *parsed > INT32_MAX || *parsed < -INT32_MAX) return false;
        value = *parsed;
        rest_.remove_prefix(length);
        return true;
    }

    bool digit_next() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }
    void skip_blanks() { rest_ = trim(rest_); }

    std::string_view word() {
        std::string_view word = leading_word(rest_);
        rest_.remove_prefix(word.size());
        skip_blanks();
        return word;
    }

private:
    std::string_view rest_;
};

struct Repeat {
    std::int64_t count = 1;
    std::int64_t stride = 1;
};

// [ ":" count [ ":" stride ] ]
bool read_repeat(Reader& reader, Repeat& repeat) {
    reader.skip_blanks();
    if (!reader.take(':')) return true;
    if (!reader.number(repeat.count) || repeat.count < 1) return false;
    reader.skip_blanks();
    if (reader.take(':')) {
        if (!reader.number(repeat.stride, true)) return false;
        reader.skip_blanks();
    }
    return true;
}

// CPU numbers out of range are left out like CPUs that the process may not use.
struct Place {
    os::CpuMask cpus;
    std::uint32_t out_of_range = 0;

    void add(std::int64_t cpu) {
        if (cpu >= 0 && cpu < os::CpuMask::capacity) {
            cpus.add(static_cast<unsigned>(cpu));
        } else {
            ++out_of_range;
        }
    }
    void remove(std::int64_t cpu) {
        if (cpu >= 0 && cpu < os::CpuMask::capacity) cpus.remove(static_cast<unsigned>(cpu));
    }
};

bool read_resource(Reader& reader, Place& place) {
    bool out = reader.take('!');
    std::int64_t first = 0;
    Repeat repeat;
    if (!reader.number(first) || !read_repeat(reader, repeat)) return false;
    if (repeat.count > os::CpuMask::capacity) return false;
    for (std::int64_t at = 0; at < repeat.count; ++at) {
        if (out) {
            place.remove(first + at * repeat.stride);
        } else {
            place.add(first + at * repeat.stride);
        }
    }
    return true;
}

bool read_place(Reader& reader, Place& place) {
    if (reader.digit_next()) {
        std::int64_t cpu = 0;
        if (!reader.number(cpu)) return false;
        place.add(cpu);
        return true;
    }
    if (!reader.take('{')) return false;
    do {
        if (!read_resource(reader, place)) return false;
    } while (reader.take(','));
    return reader.take('}');
}

Place moved(const Place& place, std::int64_t by) {
    Place result;
    result.out_of_range = place.out_of_range;
    for (unsigned cpu = place.cpus.next(0); cpu != os::CpuMask::none; cpu = place.cpus.next(cpu + 1)) {
        result.add(cpu + by);
    }
    return result;
}

// Calls visit(place, leave_out) for every place of a list. False: the text is wrong, or visit has returned false.
template <class Visit>
bool walk_list(std::string_view text, Visit&& visit) {
    Reader reader(text);
    do {
        bool out = reader.take('!');
        Place place;
        Repeat repeat;
        if (!read_place(reader, place) || !read_repeat(reader, repeat) || repeat.count > most_repeats) return false;
        for (std::int64_t at = 0; at < repeat.count; ++at) {
            if (!visit(moved(place, at * repeat.stride), out)) return false;
        }
    } while (reader.take(','));
    return reader.at_end();
}

// "0-3 5 8-14:2", with blanks or commas between.
template <class Visit>
bool walk_cpus(std::string_view text, Visit&& visit) {
    Reader reader(text);
    if (reader.at_end()) return false;
    while (!reader.at_end()) {
        std::int64_t first = 0;
        if (!reader.number(first)) return false;
        std::int64_t last = first;
        std::int64_t stride = 1;
        if (reader.take('-')) {
            if (!reader.number(last) || last < first) return false;
            if (reader.take(':') && (!reader.number(stride) || stride < 1)) return false;
        }
        if ((last - first) / stride >= most_repeats) return false;
        for (std::int64_t cpu = first; cpu <= last; cpu += stride) {
            Place place;
            place.add(cpu);
            if (!visit(place, false)) return false;
        }
        bool separated = reader.take_blanks();
        if (reader.take(',')) {
            if (reader.at_end()) return false;
            separated = true;
        }
        if (!separated) return false;
    }
    return true;
}

struct Abstract {
    os::Domain domain = os::Domain::core;
    std::int64_t count = most_repeats;
    std::int64_t stride = 1;
};

// name [ "(" count [ ":" stride ] ")" ]; the stride is OpenMP 6.0's.
std::optional<Abstract> read_abstract(std::string_view text) {
    constexpr struct {
        const char* name;
        os::Domain domain;
    } names[] = {{"threads", os::Domain::thread},
                 {"cores", os::Domain::core},
                 {"ll_caches", os::Domain::last_cache},
                 {"numa_domains", os::Domain::numa_node},
                 {"sockets", os::Domain::socket}};
    Reader reader(text);
    std::string_view word = reader.word();
    for (auto& known : names) {
        if (!equal_ignoring_case(word, known.name)) continue;
        Abstract abstract;
        abstract.domain = known.domain;
        if (reader.take('(')) {
            if (!reader.number(abstract.count) || abstract.count < 1) return std::nullopt;
            reader.skip_blanks();
            if (reader.take(':') && (!reader.number(abstract.stride) || abstract.stride < 1)) return std::nullopt;
            reader.skip_blanks();
            if (!reader.take(')')) return std::nullopt;
        }
        if (!reader.at_end()) return std::nullopt;
        return abstract;
    }
    return std::nullopt;
}

// One place for each group of allowed CPUs, in the order of their first members.
void list_groups(const Abstract& abstract, const os::CpuMask& allowed, PlaceList& out) {
    const Groups groups(abstract.domain, allowed, group_of_machine);
    std::int64_t found = 0;
    std::int64_t listed = 0;
    groups.each(allowed, [&](const os::CpuMask& place) {
        if (found++ % abstract.stride != 0) return true;
        return out.add(place) && ++listed < abstract.count;
    });
}

bool same(std::span<const std::uint16_t> cpus, const os::CpuMask& mask) {
    if (cpus.size() != mask.count()) return false;
    for (std::uint16_t cpu : cpus) {
        if (!mask.contains(cpu)) return false;
    }
    return true;
}

// Removes from the list the places that are equal to `place`. False: there is no memory.
bool leave_out(PlaceList& list, const os::CpuMask& place) {
    PlaceList kept;
    bool enough = true;
    for (std::uint32_t at = 0; at < list.size(); ++at) {
        if (same(list.cpus(at), place)) continue;
        os::CpuMask mask;
        for (std::uint16_t cpu : list.cpus(at)) mask.add(cpu);
        enough = enough && kept.add(mask);
    }
    list.clear();
    for (std::uint32_t at = 0; at < kept.size(); ++at) {
        os::CpuMask mask;
        for (std::uint16_t cpu : kept.cpus(at)) mask.add(cpu);
        enough = enough && list.add(mask);
    }
    kept.release();
    return enough;
}

// The visitor that builds a list.
auto collector(const os::CpuMask& allowed, PlaceList& out, PlacesRead& read) {
    return [&](const Place& place, bool out_of_list) {
        os::CpuMask usable = os::common(place.cpus, allowed);
        if (out_of_list) return leave_out(out, usable);
        read.cpus_left_out += place.out_of_range + place.cpus.count() - usable.count();
        return usable.count() == 0 || out.add(usable);
    };
}

constexpr auto accept_all = [](const Place&, bool) { return true; };

}  // namespace

bool valid_places(std::string_view text) { return read_abstract(text).has_value() || walk_list(text, accept_all); }

bool valid_cpu_places(std::string_view text) { return walk_cpus(text, accept_all); }

PlacesRead read_places(std::string_view text, const os::CpuMask& allowed, PlaceList& out) {
    PlacesRead read;
    if (auto abstract = read_abstract(text)) {
        list_groups(*abstract, allowed, out);
        read.valid = true;
    } else {
        read.valid = walk_list(text, collector(allowed, out, read));
    }
    return read;
}

PlacesRead read_cpu_places(std::string_view text, const os::CpuMask& allowed, PlaceList& out) {
    PlacesRead read;
    read.valid = walk_cpus(text, collector(allowed, out, read));
    return read;
}

}  // namespace gossamer::omp
