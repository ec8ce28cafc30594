#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "kernels/convolution/slab.hpp"
#include "sim/ranks/communicator.hpp"

namespace bombard {

/// The holders of the rest of a layer: in each rank an engine of the same kind, which is given the
/// impacts that its slab needs. States go from rank to rank by an exclusive scan: with R ranks each
/// sends and receives at most 2 (1 + log2 R) times in a storm, a number for each exponential. Ranks
/// meet once in each storm.
class SlabNeighbours {
 public:
  /// The slabs of the ranks, in their order; the last ranks may hold nothing.
  SlabNeighbours(Communicator& communicator, std::vector<Slab> held)
      : communicator_(communicator), held_(std::move(held)) {}

  /// The states that come in from all others, of the storm that this rank's layer, a slab, has
  /// gathered. Throws where another rank has failed before.
  template <class Layer>
  ComingIn exchanged(Layer& layer) {
    const std::optional<Slab> left = slab(communicator_.rank() - 1);
    const std::optional<Slab> right = slab(communicator_.rank() + 1);
    std::optional<BorderStates> to_left, to_right;
    if (left && left->has_right()) to_left = layer.leaving_left(Layer::padded(*left).end);
    if (right && right->has_left()) to_right = layer.leaving_right(Layer::padded(*right).begin);
    const SlabBorders borders = layer.borders();
    ComingIn in = borders.nothing_coming_in();
    communicator_.meet();
    scan(1, &Slab::has_left, to_right, borders, in.from_left);
    scan(-1, &Slab::has_right, to_left, borders, in.from_right);
    return in;
  }
  /// In place of the exchange where every rank is given all impacts of a storm, and for a rank that
  /// holds nothing.
  void exchange_nothing() { communicator_.meet(); }

 private:
  std::optional<Slab> slab(int rank) const;
  void scan(int step, bool (Slab::*receives)() const, const std::optional<BorderStates>& out,
            const SlabBorders& borders, std::optional<BorderStates>& in);

  Communicator& communicator_;
  std::vector<Slab> held_;
};

}  // namespace bombard
