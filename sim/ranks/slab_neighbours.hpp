#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sim/engines/neighbours.hpp"
#include "sim/ranks/communicator.hpp"
#include "sim/ranks/storms_for_slabs.hpp"

namespace bombard {

/// The engines of the other ranks. States go from rank to rank by an exclusive scan: with R ranks
/// each sends and receives at most 2 (1 + log2 R) times in a storm, a number for each exponential.
/// Ranks meet once in each storm.
class SlabNeighbours final : public Neighbours {
 public:
  /// The slabs of the ranks, in their order; the last ranks may hold nothing.
  SlabNeighbours(Communicator& communicator, std::vector<Slab> held)
      : communicator_(communicator), held_(std::move(held)) {}

  /// The storms that are applied next, one after each exchange.
  void begin(std::span<const WholeStorm> storms);
  /// For a rank that holds nothing, in place of an engine.
  void exchange_nothing(std::size_t storms);

  std::optional<Slab> left() const override { return slab(communicator_.rank() - 1); }
  std::optional<Slab> right() const override { return slab(communicator_.rank() + 1); }
  const StormExtent& storm() const override { return storms_.at(exchanged_); }
  void exchange(const GoingOut& out, const SlabBorders& borders, ComingIn& in) override;
  void exchange_nothing() override;

 private:
  std::optional<Slab> slab(int rank) const;
  void scan(int step, const std::function<bool(const Slab&)>& receives,
            const std::optional<BorderStates>& out, const SlabBorders& borders,
            std::optional<BorderStates>& in);

  Communicator& communicator_;
  std::vector<Slab> held_;
  std::vector<StormExtent> storms_;
  std::size_t exchanged_ = 0;  ///< of these
};

}  // namespace bombard
