#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/engines/engine.hpp"
#include "sim/engines/screened/exact_layer.hpp"
#include "sim/engines/screened/screened_layer.hpp"
#include "sim/engines/screened/screening.hpp"

namespace bombard {

/// Screen and confirm: how the engines that are not direct find the rule's maxima, to the last bit,
/// with almost none of its arithmetic (docs/methods.md, Screen and confirm). f is the screened
/// layer, r the rule's, which is never computed as a whole. Storm by storm:
///
///   add      f takes the storm and is relaxed; how far r may     stored_layer.cpp, cuda_layer.cpp,
///            lie from it                                         sparse_layer.cpp; error_bound.hpp
///   screen   the highest peak p of f; then the candidates: the   screening.hpp,
///            cells where r can have a peak as high as r is at    layer_screening.hpp; on a GPU
///            least in p                                          cuda::ConvolvedLayer
///   confirm  the candidates by the rule, from all cells that     exact_layer.cpp,
///            they need; the highest peak among them is r's       cuda_exact_layer.cpp
///
/// It gives up where no bound holds, and where the candidates cost more than all the arithmetic.
class ScreenedEngine final : public Engine {
 public:
  /// `layer` may refer to `exact`.
  ScreenedEngine(const EngineOptions& options, std::unique_ptr<ExactLayer> exact,
                 std::unique_ptr<ScreenedLayer> layer);

  Maximum apply(const StormView& storm) override;
  void reset() override;
  std::optional<Evidence> evidence() const override { return evidence_; }

  /// The rule's values and peaks, bit for bit.
  std::vector<CellValue> values_at(std::span<const CellRange> cells) override;
  PeakList highest_peaks(std::int64_t count) override;

 private:
  PeakSearch search(std::size_t count);
  std::optional<std::vector<CellValue>> confirmed(const std::vector<std::int64_t>& cells);
  double left_for_candidates() const;
  std::size_t most_candidates() const;

  std::int64_t total_;                 ///< cells of the whole layer
  std::unique_ptr<ExactLayer> exact_;  ///< before the layer, which may refer to it
  std::unique_ptr<ScreenedLayer> layer_;
  double directly_ = 0;   ///< interactions that all the arithmetic would have taken so far
  double confirmed_ = 0;  ///< interactions of the candidates so far
  std::optional<Evidence> evidence_;
};

}  // namespace bombard
