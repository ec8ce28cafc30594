#pragma once

#include <span>
#include <vector>

#include "tools/cli/options.hpp"

/// A table for each subcommand, next to the function that does its work. That function throws
/// InputError (exit code 2) and CannotRun (3), which main() turns into a message.
namespace bombard::tools {

Subcommand run_subcommand();
Subcommand validate_subcommand();
Subcommand generate_subcommand();
Subcommand devices_subcommand();
Subcommand solve_subcommand();
Subcommand study_subcommand();
Subcommand judge_subcommand();

/// All of them, in the order of the help.
std::span<const Subcommand> subcommands();

/// The group at the end of every table: `more`, then --quiet, --help and --version.
OptionGroup messages(std::vector<Option> more = {});

/// `bombard --version`.
int version();

}  // namespace bombard::tools
