#include "tools/judge/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace bombard::judge {

namespace {

/// Of the right value; infinite beside a 0, and for what is not a number.
double relative_error(double value, double right) {
  if (value == right) return 0;
  const double error = std::abs(value - right) / std::abs(right);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

bool is_within(double tolerance, const Case& tried, std::size_t storm,
               const PrintedMaximum& printed, const PrintedMaximum& right) {
  if (relative_error(printed.value, right.value) > tolerance) return false;
  if (printed.position == right.position) return true;
  const bool inside = printed.position > 0 && printed.position < tried.cells - 1;
  return inside &&
         relative_error(right_value(tried, storm + 1, printed.position), right.value) <= tolerance;
}

/// "position 5 is wrong, 7 is right; ..."
std::string difference(const PrintedMaximum& printed, const PrintedMaximum& right) {
  const std::string position =
      printed.position == right.position
          ? fmt::format("position {}", right.position)
          : fmt::format("position {} in place of {}", printed.position, right.position);
  if (printed.value == right.value) return fmt::format("{}, maximum {:f}", position, right.value);
  const double error = relative_error(printed.value, right.value);
  return fmt::format("{}, maximum {} in place of {:f}{}", position, printed.value, right.value,
                     std::isfinite(error) ? fmt::format(" (off by {:.1e} of it)", error) : "");
}

}  // namespace

std::string first_difference(const Case& tried, const RightAnswer& right,
                             const std::vector<PrintedMaximum>& maxima,
                             std::optional<double> tolerance) {
  const std::vector<PrintedMaximum> expected = printed(right.maxima);
  for (std::size_t storm = 0; storm < expected.size(); ++storm) {
    if (maxima[storm] == expected[storm]) continue;
    if (tolerance && is_within(*tolerance, tried, storm, maxima[storm], expected[storm])) continue;
    return fmt::format("storm {} of {}: {}", storm + 1, expected.size(),
                       difference(maxima[storm], expected[storm]));
  }
  return {};
}

bool only_roundings_differ(const RightAnswer& right, const std::vector<PrintedMaximum>& maxima) {
  constexpr double much_for_roundings = 1e-4;
  const std::vector<PrintedMaximum> expected = printed(right.maxima);
  return std::ranges::equal(maxima, expected, [](const auto& is, const auto& should_be) {
    return is.position == should_be.position &&
           relative_error(is.value, should_be.value) <= much_for_roundings;
  });
}

}  // namespace bombard::judge
