#include "sim/engines/costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/base/timer.hpp"
#include "kernels/base/unit_roundoff.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/screened/error_bound.hpp"

namespace bombard {

namespace {

// When the rule's roundings are worth more than this number of times the spread of the layer's
// values, nearly every cell is a candidate, and a fast engine has to do all the arithmetic after
// all. This was seen with several powers of the distance (docs/journal.md, Choosing a device).
constexpr double most_spreads = 3;

// Impacts that an engine without a layer sorts in a second, and the seconds for which a run may
// find out first whether its impacts share a few cells.
constexpr double sorted_per_second = 1.5e7;
constexpr double of_few_cells = 0.3;

// The measured storms keep all threads busy for about half a millisecond each, the first of them to
// make tables and threads. The quickest of the others counts: the rest may have waited for another
// process.
constexpr std::int64_t measured_storms = 6;
constexpr Workload many_interactions{1 << 15, 128, 1};
constexpr Workload many_cells{1 << 18, 64, 1};
// The seconds for a storm of the thread on which the costs were measured.
constexpr double typical_seconds_of_interactions = 1.04e-3;
constexpr double typical_seconds_of_cells = 1.0e-3;

/// The sum of n^-power for n = 1 .. most, by the trapezoidal rule.
double sum_of_powers(double power, double most) {
  const double integral =
      power == 1 ? std::log(most) : (std::pow(most, 1 - power) - 1) / (1 - power);
  return integral + (1 + std::pow(most, -power)) / 2;
}

/// Whether an engine finds the maxima of random impacts without all the arithmetic. In double
/// precision nothing has to be proved. In single each impact adds a share n^-p to cells on both
/// sides, up to about half the layer away: the mean and the deviation of a cell's value follow from
/// the sums of n^-p and n^-2p. Half a rounding for each impact bounds what the rule's value is off
/// by.
bool provable(const EngineEntry& engine, const Workload& workload, Outcome outcome) {
  if (engine.precision == Precision::binary64) return true;
  if (workload.impacts >= ErrorBound::most_impacts) return false;
  if (outcome != Outcome::at_random) return outcome == Outcome::few_candidates;
  const auto impacts = static_cast<double>(workload.impacts);
  const auto cells = static_cast<double>(workload.cells);
  if (impacts < 1) return true;
  const double power = workload.attenuation.power;  // in single precision there is no range
  const double farthest = std::max(1.0, cells / 2);
  const double of_cell = 2 * impacts / cells;
  const double spread = std::sqrt(of_cell * sum_of_powers(2 * power, farthest)) /
                        (of_cell * sum_of_powers(power, farthest));
  return impacts * unit_roundoff_binary32 / 2 < most_spreads * spread;
}

/// Seconds that an engine takes for such a storm.
double measured_seconds(const char* name, const Workload& workload, int threads) {
  const std::unique_ptr<Engine> engine = find_engine(name)->make_on_processor(
      {.part = whole_layer(workload.cells), .storms = measured_storms, .threads = threads});
  Storm storm{"", {}};
  for (std::int64_t i = 0; i < workload.impacts; ++i) {
    storm.impacts.push_back({i * workload.cells / workload.impacts, 1000});
  }
  engine->apply({&storm, 1});
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t i = 1; i < measured_storms; ++i) {
    const WallTimer timer;
    engine->apply({&storm, 1});
    least = std::min(least, timer.seconds());
  }
  return least;
}

/// On a busy machine threads wait for each other longer than so little work takes: then one thread
/// tells more than all.
ProcessorSpeed measure(int threads) {
  const double interactions_by_one = measured_seconds("cpu_direct", many_interactions, 1);
  const double interactions =
      std::min(interactions_by_one, measured_seconds("cpu_direct", many_interactions, threads));
  const double cells = std::min(measured_seconds("cpu_double", many_cells, 1),
                                measured_seconds("cpu_double", many_cells, threads));
  return {.interactions = typical_seconds_of_interactions / interactions,
          .passes = typical_seconds_of_cells / cells,
          .one_thread = typical_seconds_of_interactions / interactions_by_one};
}

/// An engine without a layer: in every storm it goes through the sources of all storms so far.
/// Where their neighbourhoods cover the layer, or nothing is proved, an engine that stores the
/// layer does the work after all.
double seconds_without_layer(const EngineEntry& engine, const Workload& workload,
                             const ProcessorSpeed& speed, Outcome outcome) {
  const auto cells = static_cast<double>(workload.cells);
  const auto impacts = static_cast<double>(workload.impacts);
  const auto storms = static_cast<double>(workload.storms);
  const double passed = impacts * (storms + 1) / 2;
  const double seconds =
      (engine.costs.start_seconds + engine.costs.of_passes(cells, passed, storms)) / speed.passes;
  const double neighbourhoods = (impacts + 2) * (storms + 2);
  const bool in_double = engine.precision == Precision::binary64;
  const bool covered = neighbourhoods_cover(neighbourhoods, cells);
  const bool proved = provable(engine, workload, outcome);
  // Where impacts share a few cells, to sort them is nearly all.
  if (proved && !covered) {
    const bool may_share_cells = outcome == Outcome::few_candidates && !in_double;
    return may_share_cells ? std::min(seconds, of_few_cells + impacts / sorted_per_second)
                           : seconds;
  }
  const double stored = estimated_seconds(*find_engine(in_double ? "cpu_double" : "cpu_fast"),
                                          workload, speed, outcome);
  // Every impact's cell may be a candidate, 16 of them computed together (1e5 impacts on 1e15
  // cells: 2 s on two cores).
  constexpr double interactions_of_candidate = 6;
  const double confirmed = interactions_of_candidate * impacts * impacts /
                           engine.costs.interactions_per_second / speed.interactions;
  return seconds + (covered ? stored : std::min(stored, confirmed));
}

double speed_of(const EngineEntry& engine, const ProcessorSpeed& speed) {
  if (engine.on_device) return 1;
  if (engine.make_on_processor == make_reference) return speed.one_thread;
  return engine.method == Method::direct ? speed.interactions : speed.passes;
}

}  // namespace

ProcessorSpeed typical_speed(int threads) {
  const auto count = static_cast<double>(thread_count({.part = {}, .threads = threads}));
  return {count, count, 1};
}

const ProcessorSpeed& measured_speed(int threads) {
  static std::mutex measuring;
  static std::map<int, ProcessorSpeed> known;
  const std::scoped_lock lock(measuring);
  const auto at = known.find(threads);
  return at != known.end() ? at->second : known.emplace(threads, measure(threads)).first->second;
}

double estimated_seconds(const EngineEntry& engine, const Workload& workload,
                         const ProcessorSpeed& speed, Outcome outcome) {
  if (engine.method == Method::sparse) {
    return seconds_without_layer(engine, workload, speed, outcome);
  }
  const auto cells = static_cast<double>(workload.cells);
  const auto impacts = static_cast<double>(workload.impacts);
  const Costs& costs = engine.costs;
  const auto storms = static_cast<double>(workload.storms);
  const double passes = costs.start_seconds + costs.of_passes(cells, impacts, storms);
  const bool counts =
      costs.counting != nullptr && workload.attenuation == square_root_attenuation && storms > 0;
  const double time =
      counts ? std::min(1.0, time_of_counting(cells, impacts / storms, 0, *costs.counting)) : 1;
  double interactions = costs.of_interactions(cells, impacts) * time;
  const double of_engine = speed_of(engine, speed);
  if (engine.method == Method::direct) return (passes + interactions) / of_engine;
  const bool part_counted = time < 1 && !engine.on_device && !workload.stored_layer;
  if (part_counted && outcome == Outcome::at_random) {
    interactions *= 1 - (1 - part_in_question) / storms;
  }
  if (provable(engine, workload, outcome)) interactions = 0;
  return passes / of_engine + interactions / (engine.on_device ? 1 : speed.interactions);
}

double time_of_counting(double cells, double impacts, double before, const CountingCosts& costs) {
  constexpr double units_of_sum = 0x1p23;
  if (impacts < costs.fewest_impacts) return 1;
  const double all = before + impacts;
  // The part of the growth from one impact to all of them that is this storm's.
  const double part = std::log2(all / std::max(before, 1.0)) / std::log2(all);
  const double by_rule = (costs.impacts_by_rule + costs.by_rule_of_root * std::sqrt(cells)) * part;
  if (impacts <= by_rule) return 1;
  // The sum of all shares in a cell is impacts / cells times twice the integral of n^(-1/2).
  const double integral = 2 * std::sqrt(cells / 2 + 1) - 1;
  const double energy = units_of_sum / (2 * all / cells * integral);
  // The mean of sum^(-2/3) in this storm, as a part of the mean from a sum of 0 to the same end.
  const double growth = all / impacts * (1 - std::cbrt(before / all));
  const double nearest = std::cbrt(std::pow(16 * energy, 2)) * growth;
  const double of_cell = costs.of_ends + costs.of_open * 6 * nearest / cells + by_rule / impacts;
  return of_cell * std::max(1.0, costs.fewest_cells / cells);
}

}  // namespace bombard
