#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "bombard/simulation.hpp"
#include "sim/engine_chain.hpp"
#include "sim/plan.hpp"
#include "sim/progress.hpp"
#include "sim/storm_stream.hpp"
#include "sim/validation.hpp"
#include "tools/cli/ranks.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/cli/simulation_arguments.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

/// The plan of the engine and of the reference beside it.
Plan planned(const RunOptions& options, const StormStream& storms) {
  Plan plan =
      make_plan(options.cells, storms.expected(options.settings, Wanted::layer), communicator());
  plan.seconds += Validation::seconds(plan);
  plan.host_bytes += Validation::bytes(plan) + storms.bytes();
  require_memory(plan);
  return plan;
}

/// Runs both side by side.
std::vector<StormComparison> compared(const Arguments& given, const Plan& plan,
                                      StormStream& storms) {
  ProgressLine line(!given.has("quiet"));
  ProgressMeter meter(plan, [&](const Progress& progress) { line.show(progress); });
  Simulation simulation(
      plan, [&](double interactions) { meter.within(interactions); }, communicator());
  Validation validation(plan);
  const bool layers = has_layer(engine_of(plan));
  std::vector<StormComparison> result;
  for (std::int64_t i = 0; i < plan.storms; ++i) {
    const Storm storm = storms.take();
    const Maximum answer = simulation.apply(storm.impacts);
    const std::optional<Layer> layer = layers ? std::optional(simulation.layer()) : std::nullopt;
    result.push_back(validation.compare(storm, answer, layer ? &*layer : nullptr));
    if (!simulation.evidence().empty()) {
      result.back().evidence = simulation.evidence().back();
    }
    meter.done(std::ssize(storm.impacts));
  }
  return result;
}

int validate(const Arguments& given) {
  const RunOptions options = run_options(given);
  StormStream storms(options.storm_paths);
  const Plan plan = planned(options, storms);
  if (given.has("dry-run")) {
    print(report(plan, {}));
    return 0;
  }
  note_plan(given, plan);
  const std::vector<StormComparison> result = compared(given, plan, storms);
  if (given.has("verbose")) note_evidence(result);
  const std::string text = validation_report(plan, result);
  const bool agree = std::ranges::all_of(result, &StormComparison::agree);
  const std::size_t verdict = text.rfind('\n', text.size() - 2) + 1;
  print(text.substr(0, verdict) + styled(text.substr(verdict), agree ? green : bold_red, stdout));
  return agree ? 0 : 1;
}

}  // namespace

Subcommand validate_subcommand() {
  return {.name = "validate",
          .arguments = "CELLS STORM...",
          .summary = "compare an engine with the reference, bit for bit",
          .work = validate,
          .about =
              "Runs an engine beside the reference, storm by storm, and compares both answers and "
              "every cell of both layers bit for bit (a fast or a sparse engine has no layer: its "
              "maxima). With --precision double the reference adds all shares in long double, and "
              "maxima and cells agree within 5e-12 of the shares' magnitudes.\n"
              "The exit code is 0 when all agree, and 1 when anything differs.\n"
              "The reference uses one thread and is slow: it needs about one second per 1e9 cells "
              "times impacts.",
          .examples =
              "  bombard validate 35 storm_1.txt storm_2.txt\n"
              "  bombard validate 30000 storm_1.txt --engine cuda_staged\n",
          .groups = {computation(), messages_of_simulation()}};
}

}  // namespace bombard::tools
