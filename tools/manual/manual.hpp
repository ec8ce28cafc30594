#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/cli/options.hpp"

/// The texts that are made from the tables of options (tools/cli/options.hpp). The manual pages of
/// packages are made from the help, by help2man.
namespace bombard::tools {

/// `bombard --help`. Lines of help have at most 80 columns.
std::string help(std::span<const Subcommand> subcommands);

/// `bombard SUBCOMMAND --help`, for one topic or, if none is named, for all of them.
std::string help(const Subcommand& subcommand, const std::string& topic_name);

/// The names of subcommands, topics and options that can complete the last of the words after
/// `bombard`, each followed by a tab and its meaning. None where a value or a file's name stands.
std::vector<std::string> completions(std::span<const Subcommand> subcommands,
                                     std::span<const std::string> words);

}  // namespace bombard::tools
