#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "bombard/storm.hpp"
#include "kernels/layer/cell_range.hpp"
#include "kernels/layer/scaled_impact.hpp"
#include "kernels/share/reach.hpp"
#include "sim/engines/storm_view.hpp"

/// The shares that the rule counts: all of them, or those of an impact up to a distance.
namespace bombard {

/// The rule in a layer of a certain size. Where its attenuation has a law, the arithmetic in
/// binary32 decides which shares count, even in double precision.
using AnyLayerRule = std::variant<LayerRule<SquareRootLaw>, LayerRule<GeneralLaw>, TrueRule>;

AnyLayerRule layer_rule(const Rule& rule, std::int64_t cells);

/// use(rule) for the kernels of single precision: its attenuations have laws.
template <class Use>
auto with_law(const AnyLayerRule& rule, const Use& use) {
  if (const auto* const of_roots = std::get_if<LayerRule<SquareRootLaw>>(&rule)) {
    return use(*of_roots);
  }
  return use(std::get<LayerRule<GeneralLaw>>(rule));
}

/// Whether the rule adds every share of a storm of this extent in these cells: then no share needs
/// a test, and no reach has to be known. A share does not grow with the distance, each of its
/// roundings being monotone, so one share decides for all: the weakest energy at the farthest
/// distance. A no concerns the weakest impact alone: it might not count everywhere if it lay
/// farthest away.
bool every_share_counts(const AnyLayerRule& rule, const StormExtent& storm, const CellRange& cells);

/// The impact as the kernels of the rule take it.
inline ScaledImpact scaled(const EnergyScale& energy, const Impact& impact,
                           std::int32_t reach = ScaledImpact::any) {
  return {impact.position, energy(impact.energy), reach};
}

/// The reaches of energies (kernels/share/reach.hpp), each of a small energy found only once.
class Reaches {
 public:
  explicit Reaches(const AnyLayerRule& rule) : rule_(rule) {}

  /// The reach of an energy in thousands. Its sign has no influence.
  std::int64_t of(std::int32_t energy);
  /// The reach of each impact of a storm; none where every share counts in these cells.
  std::vector<std::int64_t> of(const StormView& storm, const CellRange& cells);

  const AnyLayerRule& rule() const { return rule_; }

 private:
  AnyLayerRule rule_;
  std::vector<std::int64_t> of_small_;  ///< by the magnitude of the energy; -1 while unknown
};

/// None of these cells counts more of the impacts: an upper bound, near the number of those that
/// reach the most crowded cell.
std::int64_t most_in_a_cell(std::span<const Impact> impacts, Reaches& reaches,
                            const CellRange& cells);

}  // namespace bombard
