// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "info.hpp"
#include "run.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace tool = gossamer::tool;

namespace {

constexpr int column = 28;

// CLI11 does not see the command and its arguments, so its own usage line would lack them.
class RunFormatter : public CLI::Formatter {
public:
    RunFormatter() { column_width(column); }
    std::string make_usage(const CLI::App*, std::string) const override {
        return "Usage: gossamer run [options] [--] command [argument ...]\n";
    }
};

bool takes_value(const CLI::App& app, const std::string& name) {
    const CLI::Option* option = app.get_option_no_throw(name);
    return option != nullptr && option->get_items_expected_min() > 0;
}

// CLI11's own text names neither the program nor what there is to choose from.
std::string failure(const CLI::App*, const CLI::Error& error) {
    return std::string("gossamer: ") + error.what() + "\nRun with --help for more information.\n";
}

// The first word, if it is neither a command of ours nor an option; else null.
const char* unknown_command(int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') return nullptr;
    const std::string_view word(argv[1]);
    return word == "run" || word == "info" ? nullptr : argv[1];
}

// The index in argv[from..] at which the command begins: a "--", or the first word that is neither an option of ours nor
// an option's value. All further words belong to the command, even if they look like options.
int find_command(const CLI::App& run, int from, int argc, char** argv) {
    for (int i = from; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--") {
            return i;
        }
        if (word.size() < 2 || word[0] != '-') {
            return i;
        }
        const bool is_long = word[1] == '-';
        // The value is the next word after --name and after -xn, but not in --name=value or -n4.
        if (takes_value(run, is_long ? word : std::string("-") + word.back())) {
            ++i;
        }
    }
    return argc;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Gossamer runs OpenMP programs, unchanged, with fibers for threads.", "gossamer");
    app.set_version_flag("--version", std::string("gossamer ") + GOSSAMER_VERSION);
    app.require_subcommand(1);
    app.footer("gossamer run --help and gossamer info --help list the options.");
    app.get_formatter()->column_width(column);
    app.failure_message(failure);

    tool::Run what;
    tool::Settings run_settings;
    CLI::App& run = *app.add_subcommand("run", "Run a command on Gossamer");
    run.formatter(std::make_shared<RunFormatter>());
    run_settings.add_to(run);
    bool no_audit = false;
    run.add_flag("--no-audit", no_audit, "Do not replace the copies of other runtimes that packages bring along");
    run.add_flag("-v,--verbose", what.verbose, "Show the environment variables that are set for the command");
    run.footer(
        "The exit status is the command's own, and signals reach it directly. 125: Gossamer itself failed,\n"
        "126: the command cannot be run, 127: there is no such command.\n"
        "Options set environment variables, which the command's children inherit, so scripts work too.\n"
        "Examples:\n"
        "  gossamer run ./program\n"
        "  gossamer run -n 4,8 python3 train.py");

    tool::Settings info_settings;
    CLI::App& info = *app.add_subcommand("info", "Show carriers, places and the settings in force here");
    info_settings.add_to(info);

    if (argc < 2) {
        std::fprintf(stderr, "%s", app.help().c_str());
        return tool::exit_failed;
    }
    if (const char* const word = unknown_command(argc, argv)) {
        std::fprintf(stderr, "gossamer: %s: no such command; to run a program: gossamer run %s\n", word, word);
        return tool::exit_failed;
    }
    const bool runs = std::string_view(argv[1]) == "run";
    const int command = runs ? find_command(run, 2, argc, argv) : argc;
    try {
        app.parse(command, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : tool::exit_failed;
    }
    if (info.parsed()) {
        return tool::info(info_settings);
    }

    const bool marked = command < argc && std::string_view(argv[command]) == "--";
    what.command.assign(argv + std::min(argc, command + marked), argv + argc);
    what.audit = !no_audit;
    if (what.command.empty()) {
        std::fprintf(stderr, "gossamer: no command to run; usage: gossamer run [options] [--] command [argument ...]\n");
        return tool::exit_failed;
    }
    return tool::run(what, run_settings);
}
