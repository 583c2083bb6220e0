// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/App.hpp>

#include <string>
#include <utility>
#include <vector>

namespace gossamer::tool {

// Changes to environment variables, in the order of the calls.
class Environment {
public:
    void set(std::string name, std::string value) { changes_.emplace_back(std::move(name), std::move(value)); }

    // Puts `value` in front of the variable's list, unless the list has it already.
    void prepend(const std::string& name, const std::string& value);

    // Makes the changes in this process, for the program that it becomes. `verbose` shows each change on stderr.
    void apply(bool verbose) const;

private:
    std::vector<std::pair<std::string, std::string>> changes_;
};

// The options of `run` and `info` that set environment variables of the runtime.
class Settings {
public:
    void add_to(CLI::App& app);

    // Sets one variable for each option that was given.
    void write_to(Environment& environment) const;

private:
    std::string threads_, carriers_, wait_policy_, levels_, bind_, places_, stack_size_, schedule_, chaos_;
    bool display_env_ = false;
    bool stats_ = false;
};

}  // namespace gossamer::tool
