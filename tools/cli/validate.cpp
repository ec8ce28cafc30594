#include "sim/validation.hpp"
#include "tools/cli/ranks.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/cli/simulation_arguments.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

int validate(const Arguments& given) {
  const RunOptions options = run_options(given);
  Communicator& ranks = communicator();
  if (given.has("dry-run")) {
    if (ranks.is_first()) print(report(plan_of_run(options, {}, ranks, true), {}));
    return 0;
  }
  const ValidationResult result = [&] {
    ProgressLine line(!given.has("quiet"));
    return bombard::validate(
        options, ranks, [&line](const Progress& progress) { line.show(progress); },
        selection_notes(given));
  }();
  if (!ranks.is_first()) return 0;
  if (given.has("verbose")) note_evidence(result.storms);
  const std::string text = report(result);
  const std::size_t verdict = text.rfind('\n', text.size() - 2) + 1;
  print(text.substr(0, verdict) +
        styled(text.substr(verdict), result.agree() ? Style::good : Style::error, stdout));
  return result.agree() ? 0 : 1;
}

}  // namespace

Subcommand validate_subcommand() {
  return {
      .name = "validate",
      .arguments = "CELLS STORM...",
      .summary = "compare an engine with the reference, bit for bit",
      .about =
          "Runs an engine beside the reference, storm by storm, and compares both answers and "
          "every cell of both layers bit for bit (the layer of a fast engine: within the "
          "uncertainty that it states). With --precision double the reference adds all shares in "
          "long double, and maxima and cells agree within 5e-12 of the shares' magnitudes.\n"
          "The exit code is 0 when all agree, and 1 when anything differs.\n"
          "The reference uses one thread and is slow: it needs about one second per 1e9 cells "
          "times impacts.",
      .examples =
          "  bombard validate 35 storm_1.txt storm_2.txt\n"
          "  bombard validate 30000 storm_1.txt --engine cuda_staged\n",
      .groups = {computation(), messages_of_simulation()},
      .work = validate,
      .in_all_ranks = true};
}

}  // namespace bombard::tools
