#pragma once

#include <cxxopts.hpp>
#include <string>
#include <vector>

#include "sim/simulation.hpp"

namespace bombard::tools {

/// What `run` and `validate` share: CELLS STORM... and the options that say how to compute and how
/// much to say on standard error.
struct SimulationArguments {
  SimulationOptions options;
  bool quiet = false;
  bool verbose = false;
};

void add_simulation_options(cxxopts::Options& options);

/// Throws InputError for a missing argument or a value that is none.
SimulationArguments simulation_arguments(const cxxopts::ParseResult& parsed,
                                         const std::string& subcommand);

/// Tells which engine was chosen and why (verbose), and which options it does not use (unless
/// quiet).
SelectionSink selection_notes(const SimulationArguments& arguments,
                              const cxxopts::ParseResult& parsed);

}  // namespace bombard::tools
