// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The settings as texts for people.
#include "omp/affinity/places.hpp"
#include "omp/icv/settings.hpp"
#include "os/os.hpp"

namespace gossamer::omp {

void show_environment(TextSink& out, const GlobalIcvs& icvs, bool verbose) {
    out << "OPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP='202111'\n";
    for (std::size_t at = 0; at < target_count; ++at) {
        auto target = static_cast<Target>(at);
        if (target > last_standard_target && !verbose) break;
        out << "  [host] " << variable_of(target) << "='";
        show(out, target, icvs);
        out << "'\n";
    }
    out << "OPENMP DISPLAY ENVIRONMENT END";
}

void describe_settings(TextSink& out) {
    const GlobalIcvs& icvs = globals();
    const Sources& sources = setting_sources();
    out << "carriers  " << icvs.carriers << " (CPUs " << icvs.num_procs << ", within the quota " << icvs.quota << ")\n";
    out << "places    ";
    places().show(out);
    out << "\nsettings\n";
    for (std::size_t at = 0; at < target_count; ++at) {
        auto target = static_cast<Target>(at);
        out << "  " << variable_of(target) << "='";
        show(out, target, icvs);
        out << "' (";
        if (sources.name[at] == nullptr) {
            out << "default";
        } else {
            out << "from " << sources.name[at] << (sources.all_suffix[at] ? "_ALL" : "");
        }
        out << ")\n";
    }
    for (const char* name : settings_without_effect()) {
        if (os::env(name)) out << "  " << name << " (set, without effect here)\n";
    }
}

}  // namespace gossamer::omp
