#pragma once

#include <cstdint>
#include <vector>

#include "kernels/share/attenuation.hpp"

namespace bombard::cpu {

/// The shares of a source of energy 1 in cells at distance d = 0, 1, .. after an endless layer has
/// been relaxed r times: R^r of scale * attenuated(d + 1), where R is the mean of a cell and its
/// two neighbours. All addends are positive, so each value is off by at most 4 r + 4 roundings.
class RelaxedShares {
 public:
  /// Tables for distances below `near`, and for up to `most_relaxations` relaxations.
  RelaxedShares(const Attenuation& attenuation, double scale, std::int64_t near,
                std::int64_t most_relaxations);

  /// Makes the tables for up to `relaxations` relaxations, one more for each storm.
  void make(std::int64_t relaxations);

  /// shares[d + 1] for d = 0 .. near-1. Call make() first.
  const double* after(std::int64_t relaxations) const { return tables_[relaxations].data(); }

  /// The relaxed share at any distance: beyond the table, the mean of 2 * relaxations + 1 shares.
  double at(std::int64_t distance, std::int64_t relaxations) const;

 private:
  double unrelaxed(std::int64_t distance) const;

  Attenuation attenuation_;
  double scale_;
  std::int64_t near_, most_relaxations_;
  std::vector<std::vector<double>> tables_;   ///< [relaxations][d + 1]
  std::vector<std::vector<double>> weights_;  ///< [relaxations][m], of the shares d - r + m
};

}  // namespace bombard::cpu
