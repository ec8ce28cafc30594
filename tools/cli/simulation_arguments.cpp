#include "tools/cli/simulation_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "bombard/simulation.hpp"
#include "bombard/words.hpp"
#include "inputs/token.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/ranks.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

/// Finds out that the cells were named behind a storm.
void require_cells_first(const std::vector<std::string>& arguments, const std::string& subcommand) {
  const auto number = std::ranges::find_if(arguments, [](const std::string& text) {
    return number_of<std::uint64_t>(text).has_value();
  });
  std::error_code error;
  if (number == arguments.begin() || number == arguments.end() ||
      !std::filesystem::is_regular_file(arguments.front(), error)) {
    return;
  }
  throw InputError(
      fmt::format("CELLS comes first: bombard {} {} {}", subcommand, *number, arguments.front()));
}

}  // namespace

void add_simulation_options(cxxopts::Options& options) {
  add_options(
      options, "Computation",
      {{"cells", "Cells of the layer, instead of CELLS before the storms", "N"},
       {"device", "auto, cpu, cuda or cuda:N (the GPU of that number)", "DEVICE", "auto"},
       {"method",
        "auto, direct (all the arithmetic), fast (little of it; in single precision the same "
        "maxima) or sparse (as fast, and no layer is stored)",
        "METHOD", "auto"},
       {"precision", "single (the rule's sums in binary32) or double (the true sums in binary64)",
        "PRECISION", "single"},
       {"engine",
        fmt::format("One of {}; without it, the one that should be quickest is chosen",
                    fmt::join(engine_names(), ", ")),
        "NAME"},
       {"threads", "Threads of an engine on the processor; without it, all cores", "N"},
       {"reduction", "The code that finds the maximum on a GPU: cub or inhouse", "NAME", "cub"},
       {"edition",
        "The rule of this edition of the assignment: 2 (2018 and later), or 1 (2017/18: neither "
        "energies nor T are divided by CELLS)",
        "1|2", "2"},
       {"attenuation",
        "What the distance n does to a share: power:B divides it by n^B, B = 0.25, 0.5 .. 4; in "
        "double precision any B from 0.1 to 8, and exponential:RANGE multiplies it by "
        "exp(-(n-1)/RANGE)",
        "LAW", "power:0.5"},
       {"threshold",
        "A share between -T/CELLS and T/CELLS is not added; in edition 1, between -T and T", "T",
        "0.001"},
       {"dry-run", "Say what would run, how long and in how much memory, and compute nothing"}});
  add_options(
      options, "Messages",
      {{"quiet", "No notes and no progress on standard error"},
       {"v,verbose", "Say which engine was chosen and why, and how a fast one came to its maxima"},
       {"h,help", "Show this help"}});
}

SimulationArguments simulation_arguments(const cxxopts::ParseResult& parsed,
                                         const std::string& subcommand) {
  SimulationArguments arguments;
  arguments.quiet = parsed.count("quiet") != 0;
  arguments.verbose = parsed.count("verbose") != 0;
  if (arguments.quiet && arguments.verbose) {
    throw InputError("--quiet and --verbose contradict each other; leave one out");
  }

  RunOptions& options = arguments.options;
  arguments.ranks = &communicator();
  const std::vector<std::string>& unmatched = parsed.unmatched();
  if (unmatched.empty()) {
    throw InputError(
        fmt::format("CELLS and STORM are missing; see `bombard {} --help`", subcommand));
  }
  if (const auto cells = given(parsed, "cells")) {
    options.cells = whole_number(*cells, "--cells", 1);
    options.storm_paths = unmatched;
  } else {
    require_cells_first(unmatched, subcommand);
    options.cells = whole_number(unmatched.front(), "CELLS", 1);
    options.storm_paths.assign(unmatched.begin() + 1, unmatched.end());
  }
  if (options.storm_paths.empty()) {
    throw InputError(
        fmt::format("STORM is missing: give one or more storm files, or - for standard input; see "
                    "`bombard {} --help`",
                    subcommand));
  }

  const auto word = [&](const char* option) { return parsed[option].as<std::string>(); };
  SimulationSettings& settings = options.settings;
  settings.device = parse_device(word("device"));
  settings.method = parse_method(word("method"));
  settings.engine = given(parsed, "engine").value_or("");
  // An engine that is named brings its precision along.
  if (parsed.count("precision") != 0 || settings.engine.empty()) {
    settings.precision = parse_precision(word("precision"));
  }
  if (const auto threads = given(parsed, "threads")) {
    settings.threads = static_cast<int>(whole_number(*threads, "--threads", 1, most_threads));
  }
  settings.reduction = parse_reduction(word("reduction"));
  settings.rule = {.edition = parse_edition(word("edition")),
                   .attenuation = parse_attenuation(word("attenuation")),
                   .threshold = parse_threshold(word("threshold"))};
  return arguments;
}

PlanSink selection_notes(const SimulationArguments& arguments, const cxxopts::ParseResult& parsed) {
  if (arguments.quiet) return {};
  const bool verbose = arguments.verbose;
  const bool reduction = parsed.count("reduction") != 0;
  return [verbose, reduction, threads = arguments.options.settings.threads](const Plan& plan) {
    if (verbose) {
      note(fmt::format("engine {} on {}: {}", plan.engine, plan.device, plan.reason));
      note(fmt::format("rule of edition {}, attenuation {}, threshold {}",
                       static_cast<int>(plan.rule.edition), name_of(plan.rule.attenuation),
                       plan.rule.threshold));
    }
    if (reduction && !plan.on_gpu) {
      note(
          fmt::format("--reduction has no effect on {}, which runs on the processor", plan.engine));
    }
    if (threads > 0 && plan.on_gpu) {
      note(fmt::format("--threads has no effect on {}, which runs on a GPU", plan.engine));
    } else if (threads > plan.cores) {
      note(fmt::format("--threads {} is more than the {} cores there are", threads, plan.cores));
    }
  };
}

}  // namespace bombard::tools
