#pragma once

#include <optional>

#include "kernels/convolution/slab.hpp"
#include "kernels/layer/part.hpp"
#include "sim/engines/storm_extent.hpp"

namespace bombard {

/// The states that leave a slab, at the borders where they come in; none where the layer ends
/// before them.
struct GoingOut {
  std::optional<BorderStates> to_left, to_right;
};

/// The holders of the rest of a layer, each an engine of the same kind. An engine that has
/// neighbours is given the impacts that its slab needs, which may be fewer than the storm's.
class Neighbours {
 public:
  virtual ~Neighbours() = default;

  /// The slab of the next rank on either side; none at an end of the layer.
  virtual std::optional<Slab> left() const = 0;
  virtual std::optional<Slab> right() const = 0;
  /// All impacts of the storm that is being applied, until exchange().
  virtual const StormExtent& storm() const = 0;

  /// Adds to `in` the states that leave all others, passed on through the slabs between. Every
  /// engine calls it once in a storm. Throws where another one has failed before.
  virtual void exchange(const GoingOut& out, const SlabBorders& borders, ComingIn& in) = 0;
  /// Takes the place of the exchange where every engine is given all impacts of a storm.
  virtual void exchange_nothing() = 0;
};

/// The slab that an engine holds: a layer of its own where it has no neighbours.
inline Slab slab_of(const Part& part, const Neighbours* neighbours) {
  return neighbours == nullptr ? Slab{0, part.held.count(), part.held.count()}
                               : Slab{part.held.begin, part.held.count(), part.total};
}

/// The states that come in, of the storm that a layer, a slab, has gathered.
template <class Layer>
ComingIn exchanged(Neighbours& neighbours, Layer& layer) {
  GoingOut out;
  const std::optional<Slab> left = neighbours.left(), right = neighbours.right();
  if (left && left->has_right()) out.to_left = layer.leaving_left(Layer::padded(*left).end);
  if (right && right->has_left()) out.to_right = layer.leaving_right(Layer::padded(*right).begin);
  const SlabBorders borders = layer.borders();
  ComingIn in = borders.nothing_coming_in();
  neighbours.exchange(out, borders, in);
  return in;
}

}  // namespace bombard
