#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bombard/storm.hpp"
#include "kernels/convolution/sparse/sparse_layer.hpp"
#include "sim/engines/engine.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/reaches.hpp"
#include "sim/engines/sparse/sparse_screening.hpp"

namespace bombard {

/// The common part of the sparse engines: storms go into a layer that is not stored
/// (docs/methods.md, Sparse), for as long as they can. From the first one that cannot, an engine
/// that stores the layer computes all of them, and the evidence says why.
class SparseEngine : public Engine {
 public:
  /// An impact as it was read, as the rule takes it and as a source of the layer; its chunk, what
  /// is known of it, and room for all of that to grow.
  static constexpr std::int64_t bytes_of_impact = 500;

  std::vector<Maximum> apply(std::span<const StormView> storms) override;
  void reset() override;
  DenseEngine* dense() final { return nullptr; }
  std::vector<Evidence> evidence() const override;

  /// When the sparse way does not prove which peaks are the highest, an engine that stores the
  /// layer computes all storms.
  std::vector<CellValue> highest_peaks(std::int64_t count) override;
  std::vector<CellValue> values_at(std::span<const CellRange> cells) override;

 protected:
  /// The first of these engines for which there is memory goes on where this one cannot.
  /// `relative_error` is the layer's.
  SparseEngine(const EngineOptions& options, double relative_error,
               std::vector<const char*> dense_engines);

  /// Why the layer proves nothing after a storm that it has taken; null where it does. `reaches` of
  /// the storm's impacts, none where every share counts.
  virtual const char* why_unproved(const StormView&, std::span<const std::int64_t> /*reaches*/) {
    return nullptr;
  }
  /// The highest peaks, 1 or more, or all, and how they were found. None where too many cells may
  /// be among them.
  virtual std::optional<std::vector<CellValue>> find_peaks(std::size_t count,
                                                           Evidence& evidence) = 0;
  virtual std::vector<CellValue> find_values(std::span<const CellRange> cells) = 0;
  virtual void forget_storms() { layer_.clear(); }

  /// Whether all storms so far, and `more` interactions, cost more than a stored layer would.
  bool takes_too_long(double more = 0);

  EngineOptions options_;
  Reaches reaches_;
  cpu::SparseLayer layer_;

 private:
  std::nullopt_t say_why(const char* why) {
    why_dense_ = why;
    return std::nullopt;
  }
  std::optional<std::vector<CellValue>> peaks(std::size_t count, Evidence& evidence);
  std::optional<Maximum> sparsely(const StormView& storm);
  Maximum begin_densely();
  void keep(const StormView& storm);
  const char* why_not(const StormView& storm, bool shares_end);
  const EngineEntry* dense_that_fits();
  double cost_when_stored(std::int64_t impacts);

  std::vector<const char*> dense_engines_;
  std::unique_ptr<Engine> dense_;   ///< none: not needed so far
  std::vector<Storm> storms_;       ///< all so far, until there is a dense engine
  std::vector<Evidence> evidence_;  ///< of the storms before there was a dense engine
  std::size_t storms_done_ = 0;
  std::int64_t impacts_unasked_ = 0;        ///< whose memory has not been asked for
  std::optional<const EngineEntry*> fits_;  ///< of dense_engines_; null: none has memory enough
  std::size_t stored_storms_ = 0;           ///< whose cost is in `stored_`
  double stored_ = 0, spent_ = 0;           ///< costs of storms, in interactions: stored, and here
  const char* why_dense_ = "";
};

}  // namespace bombard
