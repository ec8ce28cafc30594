#include "sim/validation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "kernels/base/profiling_range.hpp"
#include "sim/engines/engines.hpp"
#include "sim/preparation.hpp"
#include "sim/progress.hpp"

namespace bombard {

namespace {

/// Compares cell by cell: allowed(k, difference) says whether cell k agrees; errors of more than
/// `least` are reported relative to the measures.
template <class Value, class Reference, class Allowed>
LayerComparison compare_cells(std::span<const Value> layer, std::span<const Reference> reference,
                              std::span<const Reference> measures, bool bit_for_bit,
                              long double least, const Allowed& allowed) {
  LayerComparison comparison{.bit_for_bit = bit_for_bit};
  for (std::size_t k = 0; k < layer.size(); ++k) {
    const auto difference = std::abs(static_cast<long double>(layer[k]) - reference[k]);
    comparison.differing_cells += !allowed(k, difference);
    if (measures[k] != 0 && difference > least) {
      comparison.largest_relative_error =
          std::max(comparison.largest_relative_error,
                   static_cast<double>(difference / std::abs(measures[k])));
    }
  }
  return comparison;
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
  return compare_cells(layer, reference, reference, uncertainty.empty(), 0, allowed);
}

LayerComparison compare_layers(std::span<const double> layer, const ReferenceInDouble& reference,
                               double tolerance) {
  const auto allowed = [&](std::size_t k, long double difference) {
    return difference <= reference.slack(k, tolerance);
  };
  return compare_cells(layer, reference.layer(), reference.magnitudes(), false,
                       ReferenceInDouble::least, allowed);
}

StormComparison compare(const Storm& storm, const Answer& answer, Engine& reference) {
  const Maximum expected = reference.apply({storm.impacts});
  return {storm.name,
          std::ssize(storm.impacts),
          answer.maximum,
          expected,
          answer.maximum == expected,
          compare_layers(std::get<std::vector<float>>(answer.layer),
                         std::get<std::vector<float>>(reference.layer()), answer.uncertainty)};
}

StormComparison compare(const Storm& storm, const Answer& answer, ReferenceInDouble& reference) {
  reference.apply(storm);
  return {
      storm.name,
      std::ssize(storm.impacts),
      answer.maximum,
      reference.maximum(),
      reference.may_be_maximum(answer.maximum, tolerance_in_double),
      compare_layers(std::get<std::vector<double>>(answer.layer), reference, tolerance_in_double)};
}

ValidationResult validate(const RunOptions& options, Communicator& ranks,
                          const ProgressSink& progress, const PlanSink& selected) {
  Preparation prepared = prepare(options, ranks, {.compared = true}, selected);
  ValidationResult result{prepared.plan, {}};
  EngineOfRanks engine(ranks, engine_of(prepared.plan), prepared.engine_options);
  std::unique_ptr<Engine> reference;  // one of the two, on rank 0
  std::optional<ReferenceInDouble> reference_in_double;
  if (ranks.is_first() && prepared.plan.precision == Precision::binary64) {
    reference_in_double.emplace(prepared.plan.cells, prepared.plan.rule);
  } else if (ranks.is_first()) {
    prepared.engine_options.bytes_beside = 0;  // the engine has asked for all
    reference = find_engine("reference")->make(prepared.engine_options);
  }
  ProgressMeter meter(prepared.plan, progress);
  for (std::int64_t i = 0; i < prepared.plan.storms; ++i) {
    const ProfilingRange range("storm");
    if (ranks.is_first()) prepared.storms->wait_for(1);  // a later mistake ends this at once
    const std::vector<Storm> storm =
        ranks.is_first() ? prepared.storms->take(1) : std::vector<Storm>();
    const Maximum maximum = engine.apply(storm, 1).front();
    const Answer answer{maximum, engine.layer(), engine.layer_uncertainty()};
    if (!ranks.is_first()) continue;
    result.storms.push_back(reference ? compare(storm.front(), answer, *reference)
                                      : compare(storm.front(), answer, *reference_in_double));
    meter.done(1, std::ssize(storm.front().impacts));
  }
  add_evidence(engine, result.storms);
  return result;
}

}  // namespace bombard
