#include "tools/judge/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace bombard::judge {

namespace {

/// The error relative to the right value; infinite if that is 0, and for a value that is not a
/// number.
double relative_error(double value, double right) {
  if (value == right) return 0;
  const double error = std::abs(value - right) / std::abs(right);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

/// The right maxima, or those of the same impacts with positive energies: the sizes to which
/// roundings are relative.
std::vector<Maximum> sizes_of_sums(Case tried, const std::vector<Maximum>& maxima) {
  bool is_positive = true;
  for (Storm& storm : tried.storms) {
    for (Impact& impact : storm.impacts) {
      is_positive = is_positive && impact.energy >= 0;
      impact.energy = std::abs(std::max(impact.energy, -std::numeric_limits<std::int32_t>::max()));
    }
  }
  return is_positive ? maxima : right_answer(tried);
}

/// Whether, apart from roundings, the rule's layer has a peak in this cell, and no peak elsewhere
/// that is higher by more than is allowed. A layer of zeros has no roundings.
bool may_be_maximum(std::size_t k, const std::vector<float>& layer, double rounding,
                    double allowed) {
  const auto rise = [&](std::size_t cell) {
    return layer[cell] - std::max(layer[cell - 1], layer[cell + 1]);
  };
  if (k == 0 || k + 1 >= layer.size() || layer[k] <= 0 || rise(k) < -rounding) return false;
  double least = 0;  // what no rounding takes from the highest peak
  for (std::size_t cell = 1; cell + 1 < layer.size(); ++cell) {
    if (rise(cell) > rounding) least = std::max(least, layer[cell] - allowed);
  }
  return layer[k] >= least;
}

/// "position 5 in place of 7, maximum 2.5 in place of 2.000000 (off by ...)"
std::string text_of(const Maximum& printed, const Maximum& right) {
  const std::string position =
      printed.position == right.position
          ? fmt::format("position {}", right.position)
          : fmt::format("position {} in place of {}", printed.position, right.position);
  if (says(printed.value, right.value)) {
    return fmt::format("{}, maximum {:f}", position, right.value);
  }
  const double error = relative_error(printed.value, right.value);
  return fmt::format("{}, maximum {} in place of {:f}{}", position, printed.value, right.value,
                     says_less(printed.value, right.value) ? ", with too few digits: %f is meant"
                     : std::isfinite(error) ? fmt::format(" (off by {:.1e} of it)", error)
                                            : "");
}

/// The first place where two runs of a program differ by more than is allowed, and how far each is
/// from the right maximum; empty if there is none.
std::string difference_between(const std::vector<Maximum>& one, const std::vector<Maximum>& other,
                               const PreparedCase& prepared, const std::vector<double>& allowed) {
  const std::vector<Maximum>& expected = prepared.right;
  for (std::size_t storm = 0; storm < expected.size(); ++storm) {
    const double a = one[storm].value, b = other[storm].value;
    const bool is_near = !(std::abs(a - b) > allowed[storm]) && std::isnan(a) == std::isnan(b);
    if (one[storm].position == other[storm].position && is_near) continue;
    return fmt::format("storm {}: {}, then {}", storm + 1, text_of(one[storm], expected[storm]),
                       text_of(other[storm], expected[storm]));
  }
  return {};
}

}  // namespace

std::vector<double> rounding_errors(const Case& tried, const std::vector<Maximum>& maxima) {
  constexpr double unit = 0x1p-24;     // half a unit in the last place of a float near 1
  constexpr double deviations = 5;     // standard deviations
  constexpr double of_an_order = 0.2;  // for two sums, in units, times the root of the additions
  constexpr double of_relaxation = 3;  // the roundings of the relaxation
  constexpr double of_a_share = 4;     // units: another formula for the root and its quotients
  constexpr double of_a_third = 0.5;   // units for each relaxation: 1.0f / 3 is too large by this
  constexpr double of_digits = 1e-6;   // two numbers with six decimals
  const std::vector<Maximum> sizes = sizes_of_sums(tried, maxima);
  RightLayers layers(tried);
  std::vector<double> errors;
  double impacts = 0;
  double size = 0;
  double bias = 0;
  for (std::size_t storm = 0; storm < sizes.size(); ++storm) {
    impacts = std::max(impacts, static_cast<double>(tried.storms[storm].impacts.size()));
    size = std::max({size, sizes[storm].value, maxima[storm].value});
    if (size == 0) size = std::ranges::max(layers.after(storm + 1));  // there is no peak
    const double deviation = of_an_order * std::sqrt(impacts + of_relaxation) *
                             std::pow(static_cast<double>(storm + 1), 0.4);
    bias += of_a_third * size;
    errors.push_back(of_digits + unit * (bias + size * (of_a_share + deviations * deviation)));
  }
  return errors;
}

void add_answer(const std::vector<Maximum>& maxima, const std::vector<Maximum>& first,
                const std::vector<double>& allowed, CaseJudgement& judgement) {
  const PreparedCase& prepared = *judgement.prepared;
  const std::vector<Maximum>& expected = prepared.right;
  Facts& facts = judgement.facts;
  if (facts.of_digits == Verdict::right) judgement.maxima = maxima;
  judgement.distance = std::fmax(judgement.distance, 0);
  RightLayers layers(prepared);
  std::size_t elsewhere = 0;  // storms with another position
  bool exceeds = false;       // the right maximum: a neighbour is as high, and roundings decide
  for (std::size_t storm = 0; storm < expected.size(); ++storm) {
    const Maximum &is = maxima[storm], &should_be = expected[storm];
    if (says(is, should_be)) continue;
    double right = should_be.value;
    bool may_be = is.position == should_be.position, is_of_the_layer = is == Maximum{};
    if (!may_be && is.position >= 0 && is.position < prepared.cells) {
      const std::vector<float>& layer = layers.after(storm + 1);
      const auto k = static_cast<std::size_t>(is.position);
      is_of_the_layer = is_of_the_layer || says(is.value, layer[k]);
      may_be = may_be_maximum(k, layer, prepared.roundings[storm], allowed[storm]);
      if (may_be) {
        right = layer[k];
        exceeds = exceeds || right > should_be.value + allowed[storm];
        ++elsewhere;
      }
    }
    facts.layer_is_right = facts.layer_is_right && is_of_the_layer;
    judgement.distance = std::fmax(judgement.distance, relative_error(is.value, right));
    const bool is_within = may_be && std::abs(is.value - right) <= allowed[storm];
    const Verdict verdict = is_within ? Verdict::rounding : Verdict::wrong;
    if (verdict <= facts.of_digits) continue;
    facts.of_digits = verdict;
    facts.has_few_digits = says_less(is.value, should_be.value);
    judgement.complaint =
        fmt::format("storm {} of {}: {}", storm + 1, expected.size(), text_of(is, should_be));
  }
  // Roundings take one side and the other. A program that never takes the rule's, in so many
  // storms, has another reason.
  constexpr std::size_t storms_that_tell = 16;
  const bool is_always = elsewhere == expected.size() && elsewhere >= storms_that_tell;
  if (exceeds && is_always) facts.of_digits = Verdict::wrong;
  facts.with_tolerance = facts.with_tolerance && !exceeds;
  facts.differ = facts.differ || maxima != first;
  if (judgement.between_runs.empty()) {
    judgement.between_runs = difference_between(first, maxima, prepared, allowed);
    facts.differ_by_more = !judgement.between_runs.empty();
  }
}

}  // namespace bombard::judge
