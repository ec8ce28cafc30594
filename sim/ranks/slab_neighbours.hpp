#pragma once

#include <utility>
#include <vector>

#include "kernels/convolution/slab.hpp"
#include "sim/ranks/communicator.hpp"

namespace bombard {

/// The holders of the rest of a layer: in each rank an engine of the same kind, which is given the
/// impacts that its slab needs. In each storm ranks gather the states that leave their slabs, two
/// numbers for each exponential and rank.
class SlabNeighbours {
 public:
  /// The slabs of the ranks, in their order; none is empty.
  SlabNeighbours(Communicator& communicator, std::vector<Slab> held)
      : communicator_(communicator), held_(std::move(held)) {}

  /// The states that come in from all other ranks, for the storm that this rank's layer, a slab,
  /// has gathered. Throws if another rank has failed before.
  template <class Layer>
  ComingIn exchanged(Layer& layer) {
    const SlabBorders borders = layer.borders();
    BorderStates to_left = borders.no_states_at(0), to_right = to_left;
    const Slab* const own = &held_[static_cast<std::size_t>(communicator_.rank())];
    if (own != &held_.front() && own[-1].has_right()) {
      to_left = layer.leaving_left(Layer::padded(own[-1]).end);
    }
    if (own != &held_.back() && own[1].has_left()) {
      to_right = layer.leaving_right(Layer::padded(own[1]).begin);
    }
    return coming_in(borders, to_left, to_right);
  }

 private:
  ComingIn coming_in(const SlabBorders& borders, const BorderStates& to_left,
                     const BorderStates& to_right) const;

  Communicator& communicator_;
  std::vector<Slab> held_;
};

}  // namespace bombard
