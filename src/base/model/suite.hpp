// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/model/atomics.hpp"

namespace gossamer::model {

/// A scenario is a struct with
///   static constexpr unsigned threads;   // at most max_threads
///   static constexpr bool may_sleep;     // whether an execution may end with a thread asleep on a token
///   static constexpr unsigned preemptions;  // may be left out: explore only executions with so few of them
///   static constexpr bool fences_all;    // may be left out: whether it calls fence_all
///   void run(unsigned thread);           // what each thread does
///   void finish();                       // what must hold at the end, seen from outside
/// It is constructed anew for each execution.
///
/// A suite checks its scenarios twice: as the source is written, where no execution may violate anything, and
/// once with each single memory order of the source weakened, where some scenario must notice. An order that
/// may be weakened unnoticed has to be listed with the reason why it stands.
class Suite {
public:
    struct Report {
        std::uint64_t executions = 0;
        std::uint64_t states = 0;
        std::string violation;
    };

    explicit Suite(const char* name) : name_(name) {}

    template <class Scenario>
    void add(const char* name) {
        scenarios_.push_back({name, &explore<Scenario>, {}});
    }

    /// `function` and `op` name the order; every order that fits is meant.
    void unnoticed(std::string_view function, Op op, std::memory_order order, std::string_view why) {
        unnoticed_.push_back({function, op, order, why, false});
    }

    /// The exit status of the program. An argument names one scenario, to be checked alone and as the source
    /// is written.
    int run(int argc = 1, char** argv = nullptr) {
        std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
        catch_stray_pointers();
        bool good = true;
        const std::string_view only = argc > 1 ? argv[1] : "";
        for (Scenario& scenario : scenarios_) {
            if (only.empty() || only == scenario.name) good = check(scenario) && good;
        }
        if (good && only.empty()) good = mutate();
        std::printf("%s: %s\n", name_, good ? "holds" : "FAILED");
        return good ? 0 : 1;
    }

    /// All executions of a scenario, or those up to the first violation, whose trace the machine still holds.
    template <class S>
    static Report explore() {
        static std::optional<S> scenario;
        Machine& machine = Machine::the();
        Report report;
        machine.start_exploration();
        machine.preemption_bound = Machine::unbounded;
        if constexpr (requires { S::preemptions; }) machine.preemption_bound = S::preemptions;
        machine.fences_all = false;
        if constexpr (requires { S::fences_all; }) machine.fences_all = S::fences_all;
        do {
            machine.start_execution();
            scenario.emplace();
            const Machine::End end = machine.execute(S::threads, [](unsigned thread) { scenario->run(thread); });
            if (end == Machine::End::stuck && !S::may_sleep) machine.violate("a thread sleeps for good");
            if (end == Machine::End::finished || end == Machine::End::stuck) scenario->finish();
            scenario.reset();
            ++report.executions;
            report.violation = machine.violation();
        } while (report.violation.empty() && machine.advance());
        report.states = machine.states();
        return report;
    }

private:
    using Sites = std::map<decltype(std::declval<Site>().key()), Site>;

    struct Scenario {
        const char* name;
        Report (*explore)();
        Sites sites;
    };

    struct Unnoticed {
        std::string_view function;
        Op op;
        std::memory_order order;
        std::string_view why;
        bool met;
    };

    /// A weakened order may well lead a thread to a pointer that is not there yet: a violation like any
    /// other.
    static void catch_stray_pointers() {
        static char stack[64 * 1024];
        stack_t alternative{};
        alternative.ss_sp = stack;
        alternative.ss_size = sizeof stack;
        struct sigaction action{};
        action.sa_handler = [](int) { Machine::the().violate("a stray pointer was followed"); };
        action.sa_flags = SA_ONSTACK | SA_NODEFER;
        if (sigaltstack(&alternative, nullptr) != 0 || sigaction(SIGSEGV, &action, nullptr) != 0) std::abort();
    }

    bool check(Scenario& scenario) {
        Machine& machine = Machine::the();
        machine.mutation = {};
        machine.sites = &scenario.sites;
        const auto start = std::chrono::steady_clock::now();
        const Report report = scenario.explore();
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        machine.sites = nullptr;
        std::printf("%s / %s: %llu executions, %llu states, %.1f s\n", name_, scenario.name,
                    static_cast<unsigned long long>(report.executions), static_cast<unsigned long long>(report.states),
                    spent.count());
        if (report.violation.empty()) return true;
        std::printf("  VIOLATION: %s\n", report.violation.c_str());
        machine.print_trace();
        return false;
    }

    bool mutate() {
        Sites sites;
        for (const Scenario& scenario : scenarios_) sites.insert(scenario.sites.begin(), scenario.sites.end());
        bool good = true;
        for (const auto& [key, site] : sites) {
            for (const std::memory_order weaker : weakenings(site)) good = notice(site, weaker) && good;
        }
        for (const Unnoticed& entry : unnoticed_) {
            if (entry.met) continue;
            std::printf("  listed as unnoticed, but no such order is: %s %s %s\n", std::string(entry.function).c_str(),
                        name_of(entry.op), name_of(entry.order));
            good = false;
        }
        return good;
    }

    bool notice(const Site& site, std::memory_order weaker) {
        const std::string function = function_of(site.where);
        std::printf("  %s:%u %s: %s%s %s -> %s: ", file_of(site.where), site.where.line(), function.c_str(), name_of(site.op),
                    site.failure ? " (failing)" : "", name_of(site.order), name_of(weaker));
        std::fflush(stdout);
        Machine::the().mutation = {&site, weaker};
        std::string noticed;
        for (const Scenario& scenario : scenarios_) {
            if (!scenario.sites.contains(site.key())) continue;
            const Report report = scenario.explore();
            if (report.violation.empty()) continue;
            noticed = report.violation + " (" + scenario.name + ", execution " + std::to_string(report.executions) + ")";
            break;
        }
        Machine::the().mutation = {};
        if (!noticed.empty()) {
            std::printf("noticed: %s\n", noticed.c_str());
            return true;
        }
        for (Unnoticed& entry : unnoticed_) {
            if (entry.function != function || entry.op != site.op || entry.order != site.order) continue;
            entry.met = true;
            std::printf("unnoticed, as %.*s\n", static_cast<int>(entry.why.size()), entry.why.data());
            return true;
        }
        std::printf("UNNOTICED\n");
        return false;
    }

    static std::vector<std::memory_order> weakenings(const Site& site) {
        using enum std::memory_order;
        switch (site.order) {
            case seq_cst:
                if (site.op == Op::load) return {acquire};
                if (site.op == Op::store) return {release};
                return {acq_rel};
            case acq_rel: return {acquire, release};
            case acquire:
            case release: return {relaxed};
            default: return {};
        }
    }

    static const char* file_of(const std::source_location& where) {
        const std::string_view file = where.file_name();
        return file.data() + file.rfind('/') + 1;
    }

    /// The bare name out of a signature such as "bool ns::Deque<T, A>::push(T) [with ...]".
    static std::string function_of(const std::source_location& where) {
        std::string_view name = where.function_name();
        name = name.substr(0, name.find('('));
        return std::string(name.substr(name.find_last_of(": ") + 1));
    }

    const char* name_;
    std::vector<Scenario> scenarios_;
    std::vector<Unnoticed> unnoticed_;
};

}  // namespace gossamer::model
