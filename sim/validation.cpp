#include "sim/validation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "kernels/base/profiling_range.hpp"
#include "sim/engines/engines.hpp"
#include "sim/preparation.hpp"
#include "sim/progress.hpp"

namespace bombard {

namespace {

/// Compares cell by cell: allowed(k, difference) says whether cell k agrees, and errors are
/// relative to the measures.
template <class Value, class Reference, class Allowed>
LayerComparison compare_cells(std::span<const Value> layer, std::span<const Reference> reference,
                              std::span<const Reference> measures, const Allowed& allowed) {
  LayerComparison comparison;
  for (std::size_t k = 0; k < layer.size(); ++k) {
    const auto difference = std::abs(static_cast<long double>(layer[k]) - reference[k]);
    comparison.differing_cells += !allowed(k, difference);
    if (measures[k] != 0) {
      comparison.largest_relative_error =
          std::max(comparison.largest_relative_error,
                   static_cast<double>(difference / std::abs(measures[k])));
    }
  }
  return comparison;
}

StormComparison compared(const Storm& storm, const Answer& answer, const Maximum& reference,
                         bool maxima_agree, const LayerComparison& layer) {
  return {storm.name, std::ssize(storm.impacts), answer.maximum, reference, maxima_agree, layer};
}

using Comparison = std::function<StormComparison(const Storm&, const Answer&)>;

/// compare() with the reference of the plan's precision, which begins with a layer of 0.
Comparison comparison_of(const Plan& plan, const EngineOptions& options) {
  if (plan.precision == Precision::binary64) {
    return [reference = std::make_shared<ReferenceInDouble>(plan.cells, plan.rule)](
               const Storm& storm, const Answer& answer) {
      return compare(storm, answer, *reference);
    };
  }
  return [reference = std::shared_ptr<Engine>(find_engine("reference")->make(options))](
             const Storm& storm, const Answer& answer) {
    return compare(storm, answer, *reference->dense());
  };
}

}  // namespace

bool ValidationResult::agree() const {
  return std::ranges::all_of(storms, &StormComparison::agree);
}

LayerComparison compare_layers(std::span<const float> layer, std::span<const float> reference,
                               std::span<const float> uncertainty) {
  const auto allowed = [&](std::size_t k, long double difference) {
    return uncertainty.empty() ? std::bit_cast<std::uint32_t>(layer[k]) ==
                                     std::bit_cast<std::uint32_t>(reference[k])
                               : difference <= uncertainty[k];
  };
  LayerComparison comparison = compare_cells(layer, reference, reference, allowed);
  comparison.bit_for_bit = uncertainty.empty();
  return comparison;
}

LayerComparison compare_layers(std::span<const double> layer, const ReferenceInDouble& reference,
                               double tolerance) {
  const auto allowed = [&](std::size_t k, long double difference) {
    return difference <= tolerance * reference.magnitudes()[k];
  };
  LayerComparison comparison =
      compare_cells(layer, reference.layer(), reference.magnitudes(), allowed);
  comparison.bit_for_bit = false;
  return comparison;
}

StormComparison compare(const Storm& storm, const Answer& answer, DenseEngine& reference) {
  const Maximum expected = reference.apply({&storm, 1}).at(0);
  return compared(
      storm, answer, expected, answer.maximum == expected,
      compare_layers(std::get<std::vector<float>>(answer.layer),
                     std::get<std::vector<float>>(reference.layer()), answer.uncertainty));
}

StormComparison compare(const Storm& storm, const Answer& answer, ReferenceInDouble& reference) {
  reference.apply(storm);
  return compared(
      storm, answer, reference.maximum(),
      reference.may_be_maximum(answer.maximum, tolerance_in_double),
      compare_layers(std::get<std::vector<double>>(answer.layer), reference, tolerance_in_double));
}

Plan plan_of_validation(const RunOptions& options, Communicator& ranks) {
  return planned(options, ranks, {.compared = true}).plan;
}

ValidationResult validate(const RunOptions& options, Communicator& ranks,
                          const ProgressSink& progress, const PlanSink& selected) {
  Preparation prepared = prepare(options, ranks, {.compared = true}, selected);
  ValidationResult result{prepared.plan, {}};
  EngineOfRanks engine(ranks, engine_of(prepared.plan), prepared.engine_options);
  Comparison compare_with_reference;  // on rank 0
  if (ranks.is_first()) {
    prepared.engine_options.bytes_beside = 0;  // the engine has asked for all
    compare_with_reference = comparison_of(prepared.plan, prepared.engine_options);
  }
  ProgressMeter meter(prepared.plan, progress);
  for (std::int64_t i = 0; i < prepared.plan.storms; ++i) {
    const ProfilingRange range("storm");
    const std::vector<Storm> storm =
        ranks.is_first() ? prepared.storms->take(1) : std::vector<Storm>();
    const Maximum maximum = engine.apply(storm, 1).front();
    const Answer answer{maximum, engine.layer(), engine.layer_uncertainty()};
    if (!ranks.is_first()) continue;
    result.storms.push_back(compare_with_reference(storm.front(), answer));
    meter.done(1, std::ssize(storm.front().impacts));
  }
  add_evidence(engine, result.storms);
  return result;
}

}  // namespace bombard
