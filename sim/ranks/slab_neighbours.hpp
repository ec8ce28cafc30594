#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "sim/engines/neighbours.hpp"
#include "sim/ranks/communicator.hpp"

namespace bombard {

/// The engines of the other ranks. States go from rank to rank by an exclusive scan: with R ranks
/// each sends and receives at most 2 (1 + log2 R) times in a storm, a number for each exponential.
/// Ranks meet() once in each storm.
class SlabNeighbours final : public Neighbours {
 public:
  /// What the ranks hold, in their order; the last ranks may hold nothing.
  SlabNeighbours(Communicator& communicator, std::vector<Slab> held)
      : communicator_(communicator), held_(std::move(held)) {}

  /// Of the next storm.
  void begin(const StormExtent& storm) { storm_ = storm; }

  std::optional<Slab> left() const override { return slab(communicator_.rank() - 1); }
  std::optional<Slab> right() const override { return slab(communicator_.rank() + 1); }
  const StormExtent& storm() const override { return storm_; }
  void exchange(const GoingOut& out, const PassOn& pass_on, ComingIn& in) override;
  void exchange_nothing() override;

 private:
  std::optional<Slab> slab(int rank) const;
  void scan(int step, const std::function<bool(const Slab&)>& receives,
            const std::optional<BorderStates>& out, const PassOn& pass_on,
            std::optional<BorderStates>& in);

  Communicator& communicator_;
  std::vector<Slab> held_;
  StormExtent storm_;
};

}  // namespace bombard
