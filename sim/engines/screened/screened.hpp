#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/engines/engine.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/screened/exact_layer.hpp"
#include "sim/engines/screened/screened_layer.hpp"

namespace bombard {

/// Screen and confirm: how the engines that are not direct find the rule's maxima, to the last bit,
/// with almost none of its arithmetic (docs/methods.md, Screen and confirm). f is the screened
/// layer, r the rule's, which is never computed as a whole. Storm by storm:
///
///   add      f takes the storm and is relaxed; how far r may     stored_layer.cpp, cuda_layer.cpp,
///            lie from it                                         sparse_layer.cpp; error_bound.hpp
///   screen   the highest peak p of f; then the candidates: the   screening.hpp; on a GPU
///            cells where r can have a peak that is at least as   cuda::ConvolvedLayer
///            high as the rule's value of p
///   confirm  the candidates by the rule, from all cells that     exact_layer.cpp,
///            they need; the highest peak among them is r's       cuda_exact_layer.cpp
///   direct   the whole layer by the rule, where no bound holds   cpu_direct.hpp, cuda_direct.hpp
///            or candidates would cost more than that
///
/// In double precision f itself is asked for, and its maximum is the answer. Where a layer that is
/// not stored cannot go on, a stored one takes the storms so far again, and goes on.
class ScreenedEngine final : public Engine {
 public:
  /// `cheap` interactions over a whole run are no reason to take another way. `exact` is null in
  /// double precision.
  ScreenedEngine(const EngineOptions& options, std::unique_ptr<ScreenedLayer> layer,
                 std::unique_ptr<ExactLayer> exact, double cheap);

  Maximum apply(const StormView& storm) override;
  void reset() override;
  void begin_with(const LayerView& held) override;
  Layer layer() const override;
  std::vector<float> layer_uncertainty() const override;
  /// None for a stored layer in double precision.
  std::vector<Evidence> evidence() const override { return evidence_; }

  /// For a layer that is not stored: the rule's values, or the true sums.
  std::vector<CellValue> values_at(std::span<const CellRange> cells) override;
  std::vector<CellValue> highest_peaks(std::int64_t count) override;

 private:
  std::vector<Maximum> apply_storms(std::span<const StormView> storms);
  /// The highest peaks after a storm, and how they were found.
  struct Found {
    std::vector<CellValue> peaks;
    Evidence evidence;
  };
  /// Where a search asks for peaks after the first of the pending storms: the `count` highest of at
  /// least `least`.
  struct Asked {
    const Candidates& candidates;
    std::size_t storms, count = 1;
    double least = 0;
  };

  bool in_double() const { return exact_ == nullptr; }
  Precision precision() const { return in_double() ? Precision::binary64 : Precision::binary32; }

  bool is_direct(const StormView& storm);
  std::size_t screen(std::span<const StormView> storms, std::vector<Maximum>& maxima);
  std::vector<Found> search(std::size_t count, std::size_t first, std::size_t end,
                            const char*& why);
  std::vector<Found> search_in_double(std::size_t count, std::size_t first, std::size_t end) const;
  std::vector<Found> search_by_the_rule(std::size_t count, std::size_t first, std::size_t end);
  std::optional<double> known_to_ranks(const Screening& screening, std::size_t storms,
                                       Evidence& evidence);
  std::size_t most_candidates();
  std::vector<ExactLayer::Peaks> confirmed(std::span<const Asked> asked);
  bool add_peaks_of_gaps(const Asked& asked, ExactLayer::Peaks& found);
  double tell_all_ranks(double own);
  void directly(std::span<const StormView> storms, std::size_t told, const char* why,
                std::vector<Maximum>& maxima);
  void note(Evidence evidence);

  double spent() const;
  bool is_worth(double work);
  double cost_otherwise();
  double cost_when_stored(const StormView& storm);

  const EngineEntry* stored_engine();
  const char* store(const char* why);
  std::vector<CellValue> peaks_in_double(std::size_t count);
  void take(std::unique_ptr<ScreenedLayer> layer);
  void keep_pending();
  void forget_pending();

  EngineOptions options_;
  Part part_;
  bool is_sparse_;
  double cheap_at_first_;
  std::unique_ptr<ScreenedLayer> layer_;  ///< none: no memory holds it, and all is done directly
  std::unique_ptr<ExactLayer> exact_;     ///< null in double precision
  bool begun_ = true;                     ///< layer_ has the cells before the pending storms
  /// Until the next storm: the layer that a stored one has replaced. In double precision it gives
  /// values and peaks as it gave the maximum.
  std::unique_ptr<ScreenedLayer> told_by_;

  // Storms since the rule's layer was known as a whole, or, of a layer that is not stored, all.
  std::vector<StormView> pending_;
  std::vector<std::vector<Impact>> kept_;  ///< the impacts of those that came in earlier calls
  std::size_t told_ = 0;                   ///< those whose maximum the other ranks know of
  std::size_t costed_ = 0;                 ///< those whose cost is in cost_otherwise_
  double cost_otherwise_ = 0;              ///< see cost_otherwise()
  double confirmed_ = 0;                   ///< the cost of their candidates
  double cheap_;                           ///< what is left of it
  std::optional<const EngineEntry*> stored_engine_;  ///< none: not looked for so far
  const char* why_stored_ = "";
  std::vector<Evidence> evidence_;
};

}  // namespace bombard
