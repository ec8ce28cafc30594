#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cxxopts.hpp>
#include <string>
#include <vector>

#include "sim/simulation.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

/// What `run` and `validate` share: CELLS STORM... and the options that say how to compute and how
/// much to say on standard error.
struct SimulationArguments {
  RunOptions options;
  Communicator* ranks;
  bool quiet = false;
  bool verbose = false;
};

void add_simulation_options(cxxopts::Options& options);

/// Throws InputError for a missing argument or a value that is none.
SimulationArguments simulation_arguments(const cxxopts::ParseResult& parsed,
                                         const std::string& subcommand);

/// Tells which engine was chosen and why (verbose), and which options it does not use (unless
/// quiet).
PlanSink selection_notes(const SimulationArguments& arguments, const cxxopts::ParseResult& parsed);

/// Tells how a fast engine came to the maximum of each of the storms that `run` or `validate` has
/// results of.
template <class Storms>
void note_evidence(const Storms& storms) {
  std::size_t number = 0;
  for (const auto& storm : storms) {
    ++number;
    if (storm.evidence) note(fmt::format("storm {}: {}", number, report(*storm.evidence)));
  }
}

}  // namespace bombard::tools
