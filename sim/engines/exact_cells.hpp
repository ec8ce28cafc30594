#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "kernels/layer/cell_range.hpp"
#include "kernels/layer/divisor_table.hpp"
#include "kernels/layer/rule.hpp"
#include "kernels/layer/scaled_impact.hpp"

namespace bombard {

/// The rule's values, to the last bit, of a few cells of a large layer (docs/methods.md, Screen and
/// confirm). After storm i they depend on the cells up to i away, so a range of cells stands on a
/// wider one after the storm before, and so on down to the layer of zeros. What has been computed
/// is kept, for the next storms stand on it.
template <class Law>
class ExactCells {
 public:
  /// `total` cells in the layer. Uses up to so many threads.
  ExactCells(std::int64_t total, const LayerRule<Law>& rule, int threads = 1)
      : total_(total), rule_(rule), threads_(threads) {}

  /// The next storm's impacts, in file order; impacts without energy may be left out.
  void add_storm(std::vector<ScaledImpact> impacts);

  /// Interactions, impacts times cells, that evaluate(ranges) will compute, a range's cells rounded
  /// up to the vectors that they fill.
  double cost(const std::vector<CellRange>& ranges) const;

  /// Computes the cells after the last storm. Ranges lie in the layer, are ascending and do not
  /// touch.
  void evaluate(const std::vector<CellRange>& ranges);

  /// The values of cells after the last storm; empty unless the range, or one that it lies in, has
  /// been evaluated since. Valid until the next call of evaluate().
  std::span<const float> values(const CellRange& range) const;

  /// Lets go of all that came before the last storm: later storms will stand on cells known now.
  void forget_earlier_storms();

 private:
  /// Ranges by their first cells; none lies within another.
  using Known = std::map<std::int64_t, std::vector<float>>;
  struct Storm {
    std::vector<ScaledImpact> impacts;
    Known after;  ///< cells known after the storm
  };

  /// Some cells of a range, and where their values go.
  struct Piece {
    CellRange cells;
    float* after;
  };

  static CellRange range_of(const typename Known::value_type& known);
  static typename Known::const_iterator find(const Known& known, const CellRange& range);
  std::vector<CellRange> missing(std::size_t storm, const std::vector<CellRange>& ranges) const;
  std::vector<CellRange> before(const std::vector<CellRange>& ranges) const;
  std::vector<CellRange> with_reserve(const std::vector<CellRange>& ranges) const;
  CellRange filled(std::size_t storm, const CellRange& range) const;
  void evaluate(std::size_t storm, const std::vector<CellRange>& ranges);
  void compute(std::size_t storm, const std::vector<Piece>& pieces, double interactions) const;
  void compute(std::size_t storm, const Piece& piece) const;
  static void keep(Known& known, const CellRange& range, std::vector<float>&& values);

  std::int64_t total_;
  LayerRule<Law> rule_;
  int threads_;
  std::vector<Storm> storms_;  ///< the first one stands on zeros
  cpu::DivisorTable<Law> divisors_;
};

}  // namespace bombard
