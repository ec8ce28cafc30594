#include "tools/benchmark/maximum_check.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <span>
#include <vector>

#include "kernels/base/share_out.hpp"
#include "sim/engines/engines.hpp"
#include "sim/validation.hpp"

namespace bombard {

namespace {

// Interactions that take seconds: on a GPU, on the processor, one thread in long double.
constexpr double seconds_on_device = 1e13;
constexpr double seconds_on_processor = 1e10;
constexpr double seconds_in_long_double = 1e8;

bool near(double a, double b, double tolerance) {
  return std::fabs(a - b) <= tolerance * std::fabs(b);
}

/// Two relaxations reach two cells.
constexpr std::int64_t reach = 2;
using Neighbours = std::array<long double, 2 * reach + 1>;

/// The sums of the shares in cell `first` and those behind it.
Neighbours shares(std::span<const Impact> impacts, std::int64_t first) {
  Neighbours sums{};
  for (const Impact& impact : impacts) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const std::int64_t cell = first + static_cast<std::int64_t>(i);
      const auto n = static_cast<double>(std::abs(impact.position - cell) + 1);
      sums[i] += impact.energy / std::sqrt(n);
    }
  }
  return sums;
}

/// The same by all cores, a block of impacts at a time.
Neighbours all_shares(const Storm& storm, std::int64_t first) {
  constexpr std::size_t block_impacts = std::size_t{1} << 20;
  const std::span<const Impact> impacts = storm.impacts;
  std::vector<Neighbours> of_block((impacts.size() + block_impacts - 1) / block_impacts);
  cpu::share_out(static_cast<std::int64_t>(of_block.size()), omp_get_max_threads(),
                 [&](const auto& each) {
                   each([&](std::int64_t block) {
                     const auto b = static_cast<std::size_t>(block);
                     const auto rest = impacts.subspan(b * block_impacts);
                     of_block[b] = shares(rest.first(std::min(rest.size(), block_impacts)), first);
                   });
                 });
  Neighbours sums{};
  for (const Neighbours& block : of_block) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += block[i];
  }
  return sums;
}

/// The value of an inner cell after the storm fell `times` times, at most twice.
long double true_value(const Storm& storm, int times, std::int64_t cells, std::int64_t cell) {
  const std::int64_t first = std::max<std::int64_t>(0, cell - reach);
  const auto count = static_cast<std::size_t>(std::min(cells - 1, cell + reach) - first + 1);
  const Neighbours added = all_shares(storm, first);
  Neighbours layer{};
  for (int time = 0; time < times; ++time) {
    for (std::size_t i = 0; i < count; ++i) layer[i] += added[i];
    const Neighbours copy = layer;
    for (std::size_t i = 1; i + 1 < count; ++i) {
      layer[i] = (copy[i - 1] + copy[i] + copy[i + 1]) / 3;
    }
  }
  return layer[static_cast<std::size_t>(cell - first)] * 1000 / static_cast<long double>(cells);
}

}  // namespace

MaximumCheck::MaximumCheck(std::int64_t cells, const Storm& storm, int times, bool with_device)
    : cells_(cells),
      storm_(storm),
      times_(times),
      // One a share, energies having one sign, and a few more (docs/methods.md, The bound).
      roundings_(std::expm1((times * static_cast<double>(storm.impacts.size()) + 20) * 0x1p-24)) {
  const double interactions =
      times * static_cast<double>(cells) * static_cast<double>(storm.impacts.size());
  if (interactions <= (with_device ? seconds_on_device : seconds_on_processor)) {
    const EngineEntry& direct = *find_engine(with_device ? "cuda_direct" : "cpu_direct");
    const auto engine = direct.make({.part = whole_layer(cells),
                                     .storms = times,
                                     .rule = {.threshold = 0},
                                     .keep_layer = false});
    for (int time = 0; time < times; ++time) rule_ = engine->apply({&storm, 1}).at(0);
  }
  if (interactions <= seconds_in_long_double) {
    reference_.emplace(cells, Rule{.threshold = 0});
    for (int time = 0; time < times; ++time) reference_->apply(storm);
  }
}

bool MaximumCheck::right_in_single(const Maximum& maximum) {
  if (!rule_) rule_ = maximum;
  return maximum == *rule_ && is_true_value(maximum, roundings_);
}

bool MaximumCheck::right_in_double(const Maximum& maximum) {
  if (!in_double_) in_double_ = maximum;
  return is_true_value(maximum, tolerance_in_double) && maximum.position == in_double_->position &&
         (!reference_ || reference_->may_be_maximum(maximum, tolerance_in_double)) &&
         (!rule_ || near(rule_->value, maximum.value, roundings_));
}

bool MaximumCheck::right_about(double value, const Maximum& expected, Precision precision) const {
  constexpr double in_single = 1e-6;
  return near(value, expected.value,
              precision == Precision::binary64 ? tolerance_in_double : in_single + roundings_);
}

bool MaximumCheck::is_true_value(const Maximum& maximum, double tolerance) {
  const std::int64_t cell = maximum.position;
  if (cell < 1 || cell > cells_ - 2) return false;
  if (!true_values_.contains(cell)) true_values_[cell] = true_value(storm_, times_, cells_, cell);
  return near(maximum.value, static_cast<double>(true_values_[cell]), tolerance);
}

}  // namespace bombard
