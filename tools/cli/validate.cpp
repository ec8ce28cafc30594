#include "sim/validation.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/cli/simulation_arguments.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

constexpr const char* about_validate =
    "Runs an engine beside the reference, storm by storm, and compares both answers and every cell "
    "of\n"
    "both layers bit for bit (the layer of a fast engine: within the uncertainty that it states).\n"
    "With --precision double the reference adds all shares in long double, and maxima and cells "
    "agree\n"
    "within 5e-12 of the shares' magnitudes.\n"
    "Exit code 0 when all agree, 1 when anything differs.\n"
    "The reference uses one thread and is slow: it needs about one second per 1e9 cells times "
    "impacts.\n";

constexpr const char* examples_of_validate =
    "\nExamples:\n"
    "  bombard validate 35 storm_1.txt storm_2.txt\n"
    "  bombard validate 30000 storm_1.txt --engine cuda_staged --reduction inhouse\n";

}  // namespace

int validate(int argc, char** argv) {
  cxxopts::Options options("bombard validate", about_validate);
  options.custom_help("CELLS STORM... [OPTION...]");
  add_simulation_options(options);
  const cxxopts::ParseResult parsed = parse(options, argc, argv, "validate");
  if (shows_help(parsed, options, {"Computation", "Messages"}, examples_of_validate)) return 0;

  const SimulationArguments arguments = simulation_arguments(parsed, "validate");
  if (parsed.count("dry-run") != 0) {
    if (arguments.ranks->is_first()) {
      print(report(plan_of_run(arguments.options, *arguments.ranks, true), {}));
    }
    return 0;
  }
  const ValidationResult result = [&] {
    ProgressLine line(!arguments.quiet);
    return bombard::validate(
        arguments.options, *arguments.ranks,
        [&line](const Progress& progress) { line.show(progress); },
        selection_notes(arguments, parsed));
  }();
  if (!arguments.ranks->is_first()) return 0;
  if (arguments.verbose) note_evidence(result.storms);
  print(report(result));
  return result.agree() ? 0 : 1;
}

}  // namespace bombard::tools
