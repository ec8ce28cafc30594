#include "sim/validation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "inputs/byte_count.hpp"
#include "sim/engine_chain.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/engines.hpp"
#include "sim/plan.hpp"

namespace bombard {

namespace {

/// Compares cell by cell: allowed(k, difference) says whether cell k agrees; errors of more than
/// `least` are reported relative to the measures.
template <class Value, class Reference, class Allowed>
LayerComparison compare_cells(std::span<const Value> layer, std::span<const Reference> reference,
                              std::span<const Reference> measures, long double least,
                              const Allowed& allowed) {
  LayerComparison comparison;
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

LayerComparison compare_layers(std::span<const float> layer, std::span<const float> reference) {
  const auto same = [&](std::size_t k, long double) {
    return std::bit_cast<std::uint32_t>(layer[k]) == std::bit_cast<std::uint32_t>(reference[k]);
  };
  return compare_cells(layer, reference, reference, 0, same);
}

LayerComparison compare_layers(std::span<const double> layer, const ReferenceInDouble& reference,
                               double tolerance) {
  const auto allowed = [&](std::size_t k, long double difference) {
    return difference <= reference.slack(k, tolerance);
  };
  return compare_cells(layer, reference.layer(), reference.magnitudes(), ReferenceInDouble::least,
                       allowed);
}

Validation::Validation(const Plan& plan) {
  if (plan.precision == Precision::binary64) {
    in_double_.emplace(plan.cells, plan.rule);
  } else {
    reference_ = find_engine("reference")->make(engine_options(plan));
  }
}

double Validation::seconds(const Plan& plan) {
  if (plan.precision == Precision::binary32) {
    return find_engine("reference")
        ->seconds({plan.cells, plan.impacts, plan.storms}, processor_speed(1));
  }
  constexpr double interactions_per_second = 2e8;  // one thread and long double
  return static_cast<double>(plan.cells) * static_cast<double>(plan.impacts) /
         interactions_per_second;
}

std::int64_t Validation::bytes(const Plan& plan) {
  if (plan.precision == Precision::binary64) {
    return byte_count({plan.cells, ReferenceInDouble::bytes_a_cell});
  }
  const std::int64_t copy = has_layer(engine_of(plan)) ? bytes_of_cell(plan.precision) : 0;
  return find_engine("reference")->bytes(engine_options(plan)) + byte_count({plan.cells, copy});
}

StormComparison Validation::compare(const Storm& storm, const Maximum& answer, const Layer* layer) {
  StormComparison found{storm.name, std::ssize(storm.impacts), answer, {}, false};
  if (reference_) {
    found.reference = reference_->apply({storm.impacts});
    found.maxima_agree = answer == found.reference;
    if (layer != nullptr) {
      found.layer = compare_layers(std::get<std::vector<float>>(*layer),
                                   std::get<std::vector<float>>(reference_->layer()));
    }
  } else {
    in_double_->apply(storm);
    found.reference = in_double_->maximum();
    found.maxima_agree = in_double_->may_be_maximum(answer, tolerance_in_double);
    if (layer != nullptr) {
      found.layer =
          compare_layers(std::get<std::vector<double>>(*layer), *in_double_, tolerance_in_double);
    }
  }
  return found;
}

}  // namespace bombard
