#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/ranks/communicator.hpp"

namespace bombard {

/// How the ranks of a fast engine in single precision search together: each looks for candidates as
/// high as the layer's maximum, not its slab's, and on processors they share the candidates evenly.
/// The maximum that an engine gives may then be any peak of the layer, or none, where another rank
/// has the layer's maximum. The ranks meet in each member.
class SharedSearch {
 public:
  /// The engine is on a GPU: it asks for all storms of a call at once.
  SharedSearch(Communicator& communicator, bool on_device)
      : communicator_(communicator), on_device_(on_device) {}
  virtual ~SharedSearch() = default;

  /// Replaces values that the maximum after each storm is no lower than by the largest that any
  /// rank gives. Every engine calls it for each storm once, on a processor for one at a time, on a
  /// GPU for all storms of a call.
  virtual void largest(std::span<double> values);

  /// Given the candidates of this rank, returns those that it is to confirm: each rank gets the
  /// same number, for all candidates may lie in one slab. They are numbered as the layer's cells
  /// are, ascending. An engine that is not `able` to confirm cells of other slabs keeps its own and
  /// gets no others. Every engine on a processor calls it for each storm once, after largest().
  virtual std::vector<std::int64_t> share_candidates(const std::vector<std::int64_t>& own,
                                                     bool able);
  /// Takes part in place of an engine that has no cells.
  void say_nothing(std::size_t storms);

 private:
  Communicator& communicator_;
  bool on_device_;
};

}  // namespace bombard
