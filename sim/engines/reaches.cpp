#include "sim/engines/reaches.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace bombard {

namespace {

// Energies of published waves and of generated ones are below this. 512 KiB.
constexpr std::int64_t small_energies = 1 << 16;

// most_in_a_cell() counts by sections of the layer, at most this number and more than half of it: a
// percent too much for an impact that reaches over a fifth of the layer.
constexpr std::int64_t most_sections = 1024;

}  // namespace

AnyLayerRule layer_rule(const Rule& rule, std::int64_t cells) {
  const EnergyScale energy = energy_scale(rule, cells);
  const float smallest = rule.smallest_share(cells);
  if (rule.attenuation == square_root_attenuation) {
    return LayerRule<SquareRootLaw>{{}, energy, smallest};
  }
  if (const auto law = GeneralLaw::of(rule.attenuation)) {
    return LayerRule<GeneralLaw>{*law, energy, smallest};
  }
  return TrueRule{rule.attenuation, rule.scale_in_double(cells),
                  rule.smallest_share_in_double(cells)};
}

bool every_share_counts(const AnyLayerRule& rule, const StormExtent& storm,
                        const CellRange& cells) {
  if (storm.impacts == 0) return true;
  const std::int64_t farthest =
      1 + std::max(std::abs(cells.end - 1 - storm.lowest), std::abs(storm.highest - cells.begin));
  if (const auto* const true_rule = std::get_if<TrueRule>(&rule)) {
    // 2^31 can be an energy's magnitude, but only its negative is an energy.
    return reach(*true_rule, static_cast<std::int32_t>(-storm.weakest)) >= farthest;
  }
  return with_law(rule, [&](const auto& of_law) {
    return of_law.adds(of_law.energy(storm.weakest), static_cast<float>(farthest));
  });
}

std::int64_t Reaches::of(std::int32_t energy) {
  const auto find = [&] {
    return std::visit([&](const auto& rule) { return reach(rule, energy); }, rule_);
  };
  const std::int64_t magnitude = std::abs(std::int64_t{energy});
  if (magnitude >= small_energies) return find();
  if (of_small_.empty()) of_small_.assign(small_energies, -1);
  std::int64_t& known = of_small_[static_cast<std::size_t>(magnitude)];
  if (known < 0) known = find();
  return known;
}

std::vector<std::int64_t> Reaches::of(const StormView& storm, const CellRange& cells) {
  std::vector<std::int64_t> reaches;
  if (every_share_counts(rule_, storm.extent, cells)) return reaches;
  reaches.reserve(storm.impacts.size());
  for (const Impact& impact : storm.impacts) reaches.push_back(of(impact.energy));
  return reaches;
}

std::int64_t most_in_a_cell(std::span<const Impact> impacts, Reaches& reaches,
                            const CellRange& cells) {
  // A section has a power of two of cells: a division for each impact would take longer than
  // everything else.
  const auto least_width =
      static_cast<std::uint64_t>((cells.count() + most_sections - 1) / most_sections);
  const int shift = std::countr_zero(std::bit_ceil(least_width));
  std::vector<std::int64_t> more(most_sections + 1);  // than in the section before
  for (const Impact& impact : impacts) {
    const std::int64_t reach = reaches.of(impact.energy);
    const CellRange counted = cells.common({impact.position - reach + 1, impact.position + reach})
                                  .counted_from(cells.begin);
    if (counted.count() <= 0) continue;
    ++more[static_cast<std::size_t>(counted.begin >> shift)];
    --more[static_cast<std::size_t>(((counted.end - 1) >> shift) + 1)];
  }
  std::int64_t here = 0, most = 0;
  for (const std::int64_t change : more) most = std::max(most, here += change);
  return most;
}

}  // namespace bombard
