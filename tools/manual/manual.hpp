#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/cli/options.hpp"

/// The texts that are made from the tables of options (tools/cli/options.hpp).
namespace bombard::tools {

/// `bombard --help`. Lines of help have at most 80 columns.
std::string help(std::span<const Subcommand> subcommands);

/// `bombard SUBCOMMAND --help`, for one topic or, if none is named, for all of them.
std::string help(const Subcommand& subcommand, const std::string& topic_name);

/// The manual page, for man (groff).
std::string manual_page(std::span<const Subcommand> subcommands);

/// The names of subcommands, topics and options that can complete the last of the words after
/// `bombard`, each followed by a tab and its meaning. None where a value or a file's name stands.
std::vector<std::string> completions(std::span<const Subcommand> subcommands,
                                     std::span<const std::string> words);

/// "bombard solve jacobi A B"; without a topic "bombard solve PROBLEM FILE...".
std::string usage(const Subcommand& subcommand, const Topic* topic);

/// "-o, --output FILE", "--edition 1|2".
std::string signature(const Option& option);

/// "Give up after N iterations [10000]", and, if asked for, its topics: " (jacobi)".
std::string description(const Option& option, bool with_topics);

constexpr std::string_view about_arguments =
    "CELLS is the number of cells of the layer. STORM is a file (- is standard input): the number "
    "of its impacts, then a position and an energy for each of them.";

/// Lines as they are.
constexpr std::string_view examples_of_all =
    "  bombard generate --cells 1000000 --impacts 5000 --directory storms\n"
    "  bombard run 1000000 storms/*.txt --plot\n"
    "  bombard run 1000000 storms/*.txt --device cuda --output result.json\n";

constexpr std::pair<const char*, const char*> exit_codes[] = {
    {"0", "done"},
    {"1", "results differ, an iteration does not converge, or a program is wrong"},
    {"2", "bad usage or input, or a file that cannot be written"},
    {"3", "cannot run here: no such device, not enough memory or threads"},
    {"128 + N", "signal N ended the program; the storms that `run` had done are written"}};

}  // namespace bombard::tools
