// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/affinity/zones.hpp"

#include <cstdlib>

#include "omp/affinity/places.hpp"

namespace gossamer::omp {

namespace {

os::CpuMask cpus_of(uint32_t zone) {
    if (zone == 0) return os::startup_cpus();
    os::CpuMask mask;
    for (const uint16_t cpu : places().cpus(zone - 1)) mask.add(cpu);
    return mask;
}

int bind_to(uint32_t zone) { return os::bind_affinity(cpus_of(zone)); }

int bind_thread_to(pthread_t thread, uint32_t zone) { return os::bind_thread(thread, cpus_of(zone)); }

// Deals carriers to places in rounds, to each place as many as it has processors:
// so the first round covers most of the machine.
uint32_t zone_of_carrier(uint32_t carrier) {
    const PlaceList& list = places();
    for (uint32_t round = 0;; ++round) {
        bool any = false;
        for (uint32_t place = 0; place < list.size(); ++place) {
            if (list.cpus(place).size() <= round) continue;
            any = true;
            if (carrier-- == 0) return place + 1;
        }
        if (!any) return carrier % list.size() + 1;  // more carriers than processors
    }
}

// Where a carrier is: the groups of the first processor of its place.
struct Location {
    unsigned groups[4];  // core, cache, memory node, socket
};
constinit Location* locations = nullptr;

void locate(uint32_t carriers) {
    locations = static_cast<Location*>(std::malloc(carriers * sizeof(Location)));
    for (uint32_t carrier = 0; locations != nullptr && carrier < carriers; ++carrier) {
        const unsigned cpu = places().cpus(zone_of_carrier(carrier) - 1)[0];
        constexpr os::Domain domains[] = {os::Domain::core, os::Domain::last_cache, os::Domain::numa_node, os::Domain::socket};
        for (uint32_t level = 0; level < 4; ++level) locations[carrier].groups[level] = os::group_of(domains[level], cpu);
    }
}

uint32_t distance(uint32_t carrier, uint32_t other) {
    for (uint32_t level = 0; level < 4; ++level) {
        if (locations[carrier].groups[level] == locations[other].groups[level]) return level;
    }
    return 4;
}

constinit ZoneHomes homes_by_zone;

void sort_homes(uint32_t zones, uint32_t carriers) {
    std::free(homes_by_zone.first);
    homes_by_zone.first = static_cast<uint32_t*>(std::calloc(zones + 2 + carriers, sizeof(uint32_t)));
    if (homes_by_zone.first == nullptr) return;
    homes_by_zone.homes = homes_by_zone.first + zones + 2;
    sort_homes(homes_by_zone, zones, carriers, zone_of_carrier);
}

}  // namespace

void configure_zones(fiber::Config& config, const GlobalIcvs& icvs) {
    bool any = false;
    for (uint32_t level = 0; level < icvs.bind_count; ++level) any |= icvs.bind[level] != Bind::no;
    if (!any) return;
    const PlaceList& list = places();
    if (list.size() == 0) return;
    config.zones = list.size();
    config.bind = bind_to;
    config.bind_thread = bind_thread_to;
    config.zone_of = zone_of_carrier;
    if (!binds(icvs.bind[0])) return sort_homes(config.zones, config.carriers);
    os::CpuMask all;
    for (uint32_t place = 0; place < list.size(); ++place) {
        for (const uint16_t cpu : list.cpus(place)) all.add(cpu);
    }
    if (config.carriers > all.count()) config.carriers = all.count();
    sort_homes(config.zones, config.carriers);
    locate(config.carriers);
    if (locations != nullptr) config.distance = distance;
}

const ZoneHomes& zone_homes() { return homes_by_zone; }

}  // namespace gossamer::omp
