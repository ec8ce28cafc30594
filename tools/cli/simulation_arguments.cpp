#include "tools/cli/simulation_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "bombard/simulation.hpp"
#include "bombard/words.hpp"
#include "inputs/token.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

/// Finds out whether the cells were named after a storm.
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

OptionGroup computation(std::vector<Option> more) {
  std::vector<Option> options{
      {"cells", "N", "Cells of the layer, instead of CELLS before the storms"},
      {"device", "auto|cpu|cuda|cuda:N", "Where to compute; cuda:N is GPU number N", "auto"},
      {"method", "auto|direct|fast|sparse",
       "direct does all the arithmetic; fast does little of it, and in single precision gives the "
       "same maxima; sparse is like fast, but stores no layer",
       "auto"},
      {"precision", "single|double", "The rule's sums in binary32, or the true sums in binary64",
       "single"},
      {"engine", fmt::format("NAME={}", fmt::join(engine_names(), "|")),
       fmt::format("One of {}; without it, the one that should be fastest is chosen",
                   fmt::join(engine_names(), ", "))},
      {"threads", "N",
       "Threads of an engine on the CPU, or those that send storms to a GPU; without it, all "
       "cores"},
      {"reduction", "cub|inhouse", "The code by which cuda_staged finds the maximum", "cub"},
      {"edition", "1|2",
       "The rule of this edition of the assignment: 2 (2018 and later), or 1 (2017/18: neither "
       "energies nor T are divided by CELLS)",
       "2"},
      {"attenuation", "LAW",
       "What the distance n does to a share: power:B divides it by n^B. In single precision B is "
       "0.5; in double precision any B from 0.1 to 8, exponential:RANGE multiplies it by "
       "exp(-(n-1)/RANGE), and damped:B:RANGE does both",
       "power:0.5"},
      {"threshold", "T",
       "A share between -T/CELLS and T/CELLS is not added; in edition 1, between -T and T. Double "
       "precision adds every share",
       "0.001"},
      {"dry-run", "",
       "Say what would run, how long it would take and how much memory it needs; compute nothing"}};
  for (Option& option : more) options.push_back(std::move(option));
  return {"Computation", std::move(options)};
}

OptionGroup messages_of_simulation() {
  return messages(
      {{"verbose", "",
        "Say which engine was chosen and why, and how a fast engine found its maxima"}});
}

RunOptions run_options(const Arguments& given) {
  if (given.has("quiet") && given.has("verbose")) {
    throw InputError("--quiet and --verbose contradict each other; leave one out");
  }
  RunOptions options;
  const std::vector<std::string>& words = given.words();
  if (words.empty()) {
    throw InputError(fmt::format("CELLS and STORM are missing; {}", given.see_help()));
  }
  if (given.has("cells")) {
    options.cells = given.number("cells", 1);
    options.storm_paths = words;
  } else {
    require_cells_first(words, given.subcommand().name);
    options.cells = whole_number(words.front(), "CELLS", 1);
    options.storm_paths.assign(words.begin() + 1, words.end());
  }
  if (options.storm_paths.empty()) {
    throw InputError(
        fmt::format("STORM is missing: give one or more storm files, or - for standard input; {}",
                    given.see_help()));
  }

  SimulationSettings& settings = options.settings;
  settings.device = parse_device(given.text("device"));
  settings.method = parse_method(given.text("method"));
  settings.engine = given.given("engine").value_or("");
  // A named engine brings its own precision.
  if (given.has("precision") || settings.engine.empty()) {
    settings.precision = parse_precision(given.text("precision"));
  }
  if (given.has("threads")) {
    settings.threads = static_cast<int>(given.number("threads", 1, most_threads));
  }
  settings.reduction = parse_reduction(given.text("reduction"));
  settings.rule = {.edition = parse_edition(given.text("edition")),
                   .attenuation = parse_attenuation(given.text("attenuation")),
                   .threshold = parse_threshold(given.text("threshold"))};
  return options;
}

void note_plan(const Arguments& given, const Plan& plan) {
  if (given.has("quiet")) return;
  if (given.has("verbose")) {
    note(fmt::format("engine {} on {}: {}", plan.engine, plan.device, plan.reason));
    note(fmt::format("rule of edition {}, attenuation {}, threshold {}",
                     static_cast<int>(plan.rule.edition), name_of(plan.rule.attenuation),
                     plan.rule.threshold));
  }
  if (given.has("reduction") && plan.engine != "cuda_staged") {
    note(fmt::format("--reduction has no effect on {}, only on cuda_staged", plan.engine));
  }
  if (!given.has("threads")) return;
  const std::int64_t threads = given.number("threads", 1);
  if (threads > plan.cores) {
    note(fmt::format("--threads {} is more than the {} cores there are", threads, plan.cores));
  }
}

}  // namespace bombard::tools
