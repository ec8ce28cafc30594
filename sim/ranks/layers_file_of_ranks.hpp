#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "inputs/shared_file.hpp"
#include "sim/ranks/communicator.hpp"

namespace bombard {

/// A file of layers, one after the other, into which every rank writes the cells of its slab. Cells
/// that share a block of the file (SharedFile::block_bytes) with cells of other slabs go through
/// rank 0. All ranks call the same members in the same order.
class LayersFileOfRanks {
 public:
  /// `place` is rank 0's; an empty one if it has to write alone.
  LayersFileOfRanks(Communicator& communicator, SharedPlace place);

  /// Whether all ranks see the file. Otherwise no rank can write.
  bool seen_by_all() const { return seen_by_all_; }

  /// A layer of `cells` cells, behind `layer` others, from the cells of each rank's slab.
  template <class Value>
  void write(std::int64_t layer, std::int64_t cells, std::span<const Value> own) {
    write(layer * cells, cells, sizeof(Value), std::as_bytes(own));
  }

  /// After the last layer: returns when the disk has them.
  void close();

 private:
  void write(std::int64_t cells_before, std::int64_t cells, std::int64_t bytes_of_cell,
             std::span<const std::byte> own);

  Communicator& communicator_;
  SharedPlace place_;
  std::unique_ptr<SharedFile> file_;
  bool seen_by_all_ = false;
};

}  // namespace bombard
