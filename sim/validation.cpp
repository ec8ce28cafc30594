#include "sim/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/profiling_range.hpp"
#include "sim/engines/engines.hpp"
#include "sim/preparation.hpp"
#include "sim/progress.hpp"

namespace bombard {

namespace {

/// The layers of validation in single precision that compare_layers() is given: the engine's and
/// the reference's, of a fast engine also its uncertainty.
std::int64_t compared_layers(Method method) {
  return method == Method::fast ? 3 : 2;
}

/// The work of the other ranks while rank 0 calls compare().
void take_part(EngineOfRanks& engine, Precision precision) {
  engine.apply(std::span<const Storm>());
  engine.layer();
  if (precision == Precision::binary32) engine.layer_uncertainty();
}

void require_dense(const Plan& plan) {
  if (plan.method != Method::sparse) return;
  throw InputError(fmt::format(
      "{} stores no layer that could be compared; take --method direct or fast (its maxima are "
      "those of `bombard run`)",
      plan.engine));
}

const EngineEntry& reference_entry() {
  return *find_engine("reference");
}

double reference_seconds(const Plan& plan) {
  if (plan.precision == Precision::binary32) {
    return estimated_seconds(reference_entry(), workload_of(plan), plan.speed);
  }
  return static_cast<double>(plan.cells) * static_cast<double>(plan.impacts) /
         reference_in_double_interactions_per_second;
}

}  // namespace

bool ValidationResult::agree() const {
  return std::all_of(storms.begin(), storms.end(),
                     [](const StormComparison& storm) { return storm.agree(); });
}

LayerComparison compare_layers(std::span<const float> layer, std::span<const float> reference,
                               std::span<const float> uncertainty) {
  LayerComparison comparison;
  comparison.bit_for_bit = uncertainty.empty();
  for (std::size_t k = 0; k < layer.size(); ++k) {
    const double difference = std::abs(double{layer[k]} - double{reference[k]});
    const bool same = comparison.bit_for_bit ? std::bit_cast<std::uint32_t>(layer[k]) ==
                                                   std::bit_cast<std::uint32_t>(reference[k])
                                             : difference <= double{uncertainty[k]};
    comparison.differing_cells += !same;
    if (reference[k] != 0) {
      comparison.largest_relative_error =
          std::max(comparison.largest_relative_error, difference / std::abs(double{reference[k]}));
    }
  }
  return comparison;
}

LayerComparison compare_layers(std::span<const double> layer, const ReferenceInDouble& reference,
                               double tolerance) {
  LayerComparison comparison;
  comparison.bit_for_bit = false;
  for (std::size_t k = 0; k < layer.size(); ++k) {
    const long double difference = std::abs(layer[k] - reference.layer()[k]);
    const long double magnitude = reference.magnitudes()[k];
    comparison.differing_cells += !(difference <= tolerance * magnitude);
    if (magnitude > 0) {
      comparison.largest_relative_error =
          std::max(comparison.largest_relative_error, static_cast<double>(difference / magnitude));
    }
  }
  return comparison;
}

StormComparison compare(DenseEngine& engine, DenseEngine& reference, const Storm& storm) {
  const Maximum answer = engine.apply({&storm, 1}).at(0);
  const auto layer = std::get<std::vector<float>>(engine.layer());
  const std::vector<float> uncertainty = engine.layer_uncertainty();
  const Maximum expected = reference.apply({&storm, 1}).at(0);
  return {storm.name,
          static_cast<std::int64_t>(storm.impacts.size()),
          answer,
          expected,
          answer == expected,
          compare_layers(layer, std::get<std::vector<float>>(reference.layer()), uncertainty)};
}

StormComparison compare(DenseEngine& engine, ReferenceInDouble& reference, const Storm& storm) {
  const Maximum answer = engine.apply({&storm, 1}).at(0);
  reference.apply(storm);
  return {storm.name,
          static_cast<std::int64_t>(storm.impacts.size()),
          answer,
          reference.maximum(),
          reference.may_be_maximum(answer, tolerance_in_double),
          compare_layers(std::get<std::vector<double>>(engine.layer()), reference,
                         tolerance_in_double)};
}

Plan plan_of_validation(const RunOptions& options, Communicator& ranks) {
  Preparation prepared = planned(options, ranks, {.compared = true}, false);
  Plan plan = std::move(prepared.plan);
  require_dense(plan);
  const double more_seconds = reference_seconds(plan);
  for (double* seconds : {&plan.seconds, &plan.least_seconds, &plan.most_seconds}) {
    *seconds += more_seconds;
  }
  // A copy of the engine's layer is in the plan.
  plan.host_bytes +=
      plan.precision == Precision::binary32
          ? reference_entry().bytes(prepared.engine_options) +
                byte_count({plan.cells, compared_layers(plan.method) - 1, sizeof(float)})
          : byte_count({plan.cells, ReferenceInDouble::bytes_a_cell});
  return plan;
}

ValidationResult validate(const RunOptions& options, Communicator& ranks,
                          const ProgressSink& progress, const PlanSink& selected) {
  Preparation prepared = prepare(options, ranks, {.compared = true}, selected);
  const Plan& plan = prepared.plan;
  require_dense(plan);
  ValidationResult result{plan, {}};
  const bool first = ranks.is_first();  // which has the reference
  const auto run = [&](auto* reference, double reference_seconds) {
    EngineOfRanks engine(ranks, engine_of(plan), prepared.engine_options);
    ProgressMeter meter(plan, reference_seconds, progress);
    for (std::int64_t i = 0; i < plan.storms; ++i) {
      const ProfilingRange range("storm");
      if (!first) {
        take_part(engine, plan.precision);
        continue;
      }
      const std::vector<Storm> storm = prepared.storms->take(1);
      result.storms.push_back(compare(engine, *reference, storm.front()));
      meter.done(1, static_cast<std::int64_t>(storm.front().impacts.size()));
    }
    add_evidence(engine, result.storms);
  };

  const auto bytes = [&](double of_cell) {
    return first ? static_cast<std::int64_t>(of_cell * static_cast<double>(plan.cells)) : 0;
  };
  std::int64_t& beside = prepared.engine_options.bytes_beside;
  if (plan.precision == Precision::binary64) {
    beside = bytes(sizeof(double));  // the copy of the layer to compare
    if (plan.on_gpu) require_host_memory(beside, "the copy of the layer to compare");
    std::optional<ReferenceInDouble> reference;
    if (first) reference.emplace(plan.cells, plan.rule);
    run(reference ? &*reference : nullptr, reference_seconds(plan));
  } else {
    // Both engines and the copies of their layers.
    const auto of_copies = static_cast<double>(compared_layers(plan.method) * sizeof(float));
    beside = engine_of(plan).bytes(prepared.engine_options) + bytes(of_copies);
    std::unique_ptr<Engine> reference;
    if (first) reference = reference_entry().make(prepared.engine_options);
    beside = bytes(of_copies);
    run(reference ? reference->dense() : nullptr, reference_seconds(plan));
  }
  return result;
}

}  // namespace bombard
