// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/affinity/places.hpp"

#include <cstdlib>
#include <utility>

#include "omp/affinity/place_order.hpp"
#include "omp/icv/global_icvs.hpp"
#include "omp/icv/settings.hpp"

namespace gossamer::omp {

namespace {

constexpr std::uint32_t most_places = 0xffff;
constexpr std::uint32_t most_cpus = 1u << 22;

template <class T>
bool make_room(T*& array, std::uint32_t& room, std::uint32_t needed) {
    if (needed <= room) return true;
    std::uint32_t wanted = room == 0 ? 64 : room * 2;
    if (wanted < needed) wanted = needed;
    void* larger = std::realloc(array, std::size_t{wanted} * sizeof(T));
    if (larger == nullptr) return false;
    array = static_cast<T*>(larger);
    room = wanted;
    return true;
}

struct TheList {
    std::atomic<bool> ready{false};
    SpinLock building;
    PlaceList list;
};
constinit TheList the_list;

// The list names CPUs that the process may not use; `left` of its places have others.
void tell_left_out(const GlobalIcvs& icvs, std::uint32_t left) {
    const char* const named = setting_sources().name[static_cast<std::size_t>(Target::places)];
    TextBuffer<256> text;
    // Of KMP_AFFINITY's value they are a part.
    const bool is_part = named == nullptr || std::string_view(named) == "KMP_AFFINITY";
    text << (is_part ? "KMP_AFFINITY" : named) << (is_part ? ": proclist=" : "=");
    quote(text, icvs.places);
    text.finish();
    if (left == 0) {
        say("%s: names no CPU that this process may use; using cores", text.text().data());
    } else {
        say("%s: names CPUs that this process may not use; using %u of its places", text.text().data(), left);
    }
}

void read_list(const GlobalIcvs& icvs, PlaceList& list) {
    const os::CpuMask& allowed = os::startup_cpus();
    if (icvs.places != nullptr) {
        PlacesRead read =
            icvs.places_are_cpus ? read_cpu_places(icvs.places, allowed, list) : read_places(icvs.places, allowed, list);
        if (read.cpus_left_out > 0 && icvs.warnings) tell_left_out(icvs, list.size());
        if (list.size() > 0) return;
        list.clear();
    }
    read_places("cores", allowed, list);
}

void build(PlaceList& list) {
    const GlobalIcvs& icvs = globals();
    read_list(icvs, list);
    if (icvs.places_are_ordered) {
        order_places(list, icvs.place_order, group_of_machine);
    }
}

}  // namespace

bool PlaceList::add(const os::CpuMask& cpus) {
    std::uint32_t used = size_ == 0 ? 0 : starts_[size_];
    std::uint32_t count = cpus.count();
    if (size_ == most_places || used + count > most_cpus) return false;
    if (!make_room(cpus_, cpus_room_, used + count) || !make_room(starts_, starts_room_, size_ + 2)) return false;
    starts_[size_] = used;
    for (unsigned cpu = cpus.next(0); cpu != os::CpuMask::none; cpu = cpus.next(cpu + 1)) {
        cpus_[used++] = static_cast<std::uint16_t>(cpu);
    }
    starts_[++size_] = used;
    return true;
}

void PlaceList::clear() { size_ = 0; }

void PlaceList::release() {
    std::free(cpus_);
    std::free(starts_);
    cpus_ = nullptr;
    starts_ = nullptr;
    size_ = cpus_room_ = starts_room_ = 0;
}

void PlaceList::swap(PlaceList& other) {
    std::swap(cpus_, other.cpus_);
    std::swap(starts_, other.starts_);
    std::swap(size_, other.size_);
    std::swap(cpus_room_, other.cpus_room_);
    std::swap(starts_room_, other.starts_room_);
}

void PlaceList::show(TextSink& out) const {
    constexpr std::uint32_t most_shown = 64;
    out << size_ << ": ";
    for (std::uint32_t place = 0; place < size_ && place < most_shown; ++place) {
        os::CpuMask mask;
        for (std::uint16_t cpu : cpus(place)) mask.add(cpu);
        out << (place == 0 ? "{" : ",{");
        show_cpus(out, mask);
        out << '}';
    }
    if (size_ > most_shown) out << ",...";
}

const PlaceList& places() {
    // acquire pairs with the release below.
    if (GOSSAMER_UNLIKELY(!the_list.ready.load(std::memory_order_acquire))) {
        globals();  // outside the lock, so that no lock is held while the environment is read
        SpinGuard guard(the_list.building, os::yield_native);
        // relaxed: the lock orders it.
        if (!the_list.ready.load(std::memory_order_relaxed)) {
            build(the_list.list);
            the_list.ready.store(true, std::memory_order_release);
        }
    }
    return the_list.list;
}

void forget_places() {
    if (!the_list.building.is_held()) return;
    if (!the_list.ready.load(std::memory_order_relaxed)) renew(the_list);  // relaxed: the caller is alone
    the_list.building.unlock();
}

void show_cpus(TextSink& out, const os::CpuMask& cpus) {
    bool first = true;
    for (unsigned cpu = cpus.next(0); cpu != os::CpuMask::none;) {
        unsigned last = cpu;
        while (cpus.contains(last + 1)) ++last;
        if (!first) out << ',';
        first = false;
        out << cpu;
        if (last > cpu) out << '-' << last;
        cpu = cpus.next(last + 1);
    }
}

}  // namespace gossamer::omp
