#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/convolution/cpu/convolved_layer.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard {

/// A fast layer with the bounds of its cells, and which of them may be the rule's maximum. The
/// search looks at cells in groups and skips most of these: docs/methods.md, Why a cell may be
/// dropped. (On a GPU: cuda::ConvolvedLayer::screen().)
class Screening {
 public:
  virtual ~Screening() = default;

  /// The least that the rule's value of a cell can be.
  virtual double lower(std::int64_t cell) const = 0;
  /// How far that is from the fast layer's value at most, relative to it.
  virtual double relative_bound(std::int64_t cell) const = 0;

  /// The largest strict local maximum of the fast layer that is above 0 by more than the absolute
  /// part of the bound, the smallest position among equals.
  virtual std::optional<std::int64_t> best_peak() const = 0;

  /// Cells whose rule's value may be a strict local maximum above 0 and at least `least`, but for
  /// those that may reach `most`; ascending. None when there are more than `limit`, or when more
  /// cells would have to be looked at than is reasonable.
  virtual std::optional<std::vector<std::int64_t>> candidates(double least, double most,
                                                              std::size_t limit) const = 0;

  /// A value that no more than about `count` groups of cells may reach; 0 when these are all.
  double reached_by(std::int64_t count) const;

 protected:
  /// The number of groups, and the most that a cell of a group can be.
  virtual std::int64_t groups() const = 0;
  virtual double highest(std::int64_t group) const = 0;
};

/// The screening of a layer that is stored.
class LayerScreening final : public Screening {
 public:
  /// Peaks count among these cells of the layer; its first and last cell never do. `factor` and
  /// `absolute` as in ErrorBound, the factor 0 when the layer tracks uncertainties.
  LayerScreening(const cpu::ConvolvedLayer& layer, double factor, double absolute,
                 const CellRange& own);

  double lower(std::int64_t cell) const override;
  /// The most that it can be.
  double upper(std::int64_t cell) const;
  double relative_bound(std::int64_t cell) const override {
    return upper(cell) / layer_.value(cell) - 1;
  }
  std::optional<std::int64_t> best_peak() const override;
  std::optional<std::vector<std::int64_t>> candidates(double least, double most,
                                                      std::size_t limit) const override;

 private:
  std::int64_t groups() const override { return layer_.groups(); }
  double highest(std::int64_t group) const override;
  CellRange cells_of(std::int64_t group) const;
  bool may_be_peak(std::int64_t cell) const;

  const cpu::ConvolvedLayer& layer_;
  double factor_, absolute_;
  CellRange own_;
};

}  // namespace bombard
