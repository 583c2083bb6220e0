// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Our reader against hwloc's idea of machines that are not here: hwloc builds one from a description, the test writes what
// Linux would show of it, and both must tell the same groups. Skipped where hwloc is not installed.
#include "os/topology.hpp"

#include <gtest/gtest.h>

#if __has_include(<hwloc.h>) && __has_include(<hwloc/autogen/config.h>)  // the latter lies with the machine it is for
#include <dlfcn.h>
#include <hwloc.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace gossamer::os {
namespace {

namespace fs = std::filesystem;

// hwloc by name, so that the test needs it neither to link nor to run.
struct Hwloc {
    void* library = ::dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);

    template <class Function>
    Function* get(const char* name) const {
        return reinterpret_cast<Function*>(::dlsym(library, name));
    }
    decltype(hwloc_topology_init)* init = get<decltype(hwloc_topology_init)>("hwloc_topology_init");
    decltype(hwloc_topology_set_synthetic)* describe =
        get<decltype(hwloc_topology_set_synthetic)>("hwloc_topology_set_synthetic");
    decltype(hwloc_topology_load)* load = get<decltype(hwloc_topology_load)>("hwloc_topology_load");
    decltype(hwloc_topology_destroy)* destroy = get<decltype(hwloc_topology_destroy)>("hwloc_topology_destroy");
    decltype(hwloc_get_type_depth)* depth = get<decltype(hwloc_get_type_depth)>("hwloc_get_type_depth");
    decltype(hwloc_get_obj_by_depth)* at = get<decltype(hwloc_get_obj_by_depth)>("hwloc_get_obj_by_depth");
    decltype(hwloc_bitmap_isset)* isset = get<decltype(hwloc_bitmap_isset)>("hwloc_bitmap_isset");
};

struct Level {
    hwloc_obj_type_t type;
    Domain domain;
};
constexpr Level levels[] = {{HWLOC_OBJ_CORE, Domain::core},
                            {HWLOC_OBJ_L3CACHE, Domain::last_cache},
                            {HWLOC_OBJ_NUMANODE, Domain::numa_node},
                            {HWLOC_OBJ_PACKAGE, Domain::socket}};

class SyntheticMachine {
public:
    SyntheticMachine(const Hwloc& hwloc, const char* description, unsigned cpus) : hwloc_(hwloc), cpus_(cpus) {
        root_ = fs::temp_directory_path() / ("topology_hwloc." + std::to_string(::getpid()));
        hwloc_.init(&topology_);
        good_ = hwloc_.describe(topology_, description) == 0 && hwloc_.load(topology_) == 0;
    }
    ~SyntheticMachine() {
        hwloc_.destroy(topology_);
        fs::remove_all(root_);
    }
    bool good() const { return good_; }

    // The object of a level that holds a processor, by its rank; the whole machine's where there is no such level.
    int object(hwloc_obj_type_t type, unsigned cpu) const {
        const int depth = hwloc_.depth(topology_, type);
        for (unsigned rank = 0;; ++rank) {
            const hwloc_obj_t object = hwloc_.at(topology_, depth, rank);
            if (object == nullptr) return 0;
            if (hwloc_.isset(object->cpuset, cpu) != 0) return static_cast<int>(rank);
        }
    }

    std::string members(hwloc_obj_type_t type, unsigned cpu) const {
        std::string list;
        for (unsigned other = 0; other < cpus_; ++other) {
            if (object(type, other) == object(type, cpu)) list += (list.empty() ? "" : ",") + std::to_string(other);
        }
        return list;
    }

    void write() {
        unsigned most = 0;
        for (unsigned cpu = 0; cpu < cpus_; ++cpu) {
            const std::string folder = "cpu/cpu" + std::to_string(cpu) + "/";
            put(folder + "topology/core_cpus_list", members(HWLOC_OBJ_CORE, cpu));
            put(folder + "topology/package_cpus_list", members(HWLOC_OBJ_PACKAGE, cpu));
            put(folder + "cache/index0/level", "1");
            put(folder + "cache/index0/shared_cpu_list", members(HWLOC_OBJ_CORE, cpu));
            put(folder + "cache/index1/level", "3");
            put(folder + "cache/index1/shared_cpu_list", members(HWLOC_OBJ_L3CACHE, cpu));
            const int node = object(HWLOC_OBJ_NUMANODE, cpu);
            put(folder + "node" + std::to_string(node) + "/here", "");
            if (static_cast<unsigned>(node) > most) most = static_cast<unsigned>(node);
        }
        put("node/online", most == 0 ? "0" : "0-" + std::to_string(most));
    }

    void compare() const {
        for (const Level& level : levels) {
            std::vector<unsigned> groups;
            for (unsigned cpu = 0; cpu < cpus_; ++cpu) groups.push_back(group_of(level.domain, cpu, root_.c_str()));
            for (unsigned a = 0; a < cpus_; ++a) {
                for (unsigned b = 0; b < cpus_; ++b) {
                    ASSERT_EQ(groups[a] == groups[b], object(level.type, a) == object(level.type, b))
                        << "processors " << a << " and " << b << ", level " << static_cast<int>(level.domain);
                }
            }
        }
    }

private:
    void put(const std::string& name, const std::string& text) {
        fs::create_directories((root_ / name).parent_path());
        std::ofstream(root_ / name) << text << '\n';
    }

    const Hwloc& hwloc_;
    unsigned cpus_;
    hwloc_topology_t topology_ = nullptr;
    bool good_ = false;
    fs::path root_;
};

void compare(const char* description, unsigned cpus) {
    const Hwloc hwloc;
    if (hwloc.library == nullptr) GTEST_SKIP() << "hwloc is not installed";
    SyntheticMachine machine(hwloc, description, cpus);
    ASSERT_TRUE(machine.good()) << description;
    machine.write();
    machine.compare();
}

TEST(TopologyByHwloc, TwoPackagesOf28Cores) { compare("package:2 [numa] l3:1 core:28 pu:1", 56); }

TEST(TopologyByHwloc, FourNodesOf16CoresOfTwoThreads) { compare("package:4 [numa] l3:2 core:8 pu:2", 128); }

// Siblings far apart, as Linux numbers the processors of most Intel machines.
TEST(TopologyByHwloc, SiblingsFarApart) {
    compare("package:2 [numa] l3:1 core:4 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)", 16);
}

}  // namespace
}  // namespace gossamer::os
#endif
