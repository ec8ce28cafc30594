#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/engines/other_parts.hpp"
#include "sim/ranks/communicator.hpp"

namespace bombard {

/// How the ranks of a fast engine in single precision search together: each looks for candidates as
/// high as the layer's maximum, not its slab's, and on processors they share the candidates evenly.
/// The ranks meet in each member.
class SharedSearch final : public OtherParts {
 public:
  /// The engine is on a GPU: it asks for all storms of a call at once.
  SharedSearch(Communicator& communicator, bool on_device)
      : communicator_(communicator), on_device_(on_device) {}

  void largest(std::span<double> values) override;
  std::vector<std::int64_t> share_candidates(const std::vector<std::int64_t>& own,
                                             bool able) override;
  /// Takes part in place of an engine that has no cells.
  void say_nothing(std::size_t storms);

 private:
  Communicator& communicator_;
  bool on_device_;
};

}  // namespace bombard
