#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bombard/simulation_observer.hpp"
#include "inputs/output_file.hpp"

namespace bombard::tools {

/// `--layers FILE.npy`: the layer after each storm as a row of a NumPy array, storms x cells. It is
/// written as the run goes, so that memory does not grow with the storms, and appears whole or not
/// at all. Every member throws InputError as OutputFile does.
class LayersFile {
 public:
  explicit LayersFile(const std::string& path) : file_(path) {}

  /// Before the first layer. Throws CannotRun when the disk has not enough room for all of them.
  void begin(bool in_double, std::int64_t storms, std::int64_t cells);

  /// Cells of the layer of the next storm, those that follow the ones before.
  void add(const LayerView& piece);

  /// Where ranks write the layers instead, if they can. After begin().
  std::optional<SharedPlace> place();

  /// After the layers of so many storms, the last one or the last before the run was stopped.
  void commit(std::int64_t storms);

 private:
  std::string header(std::int64_t storms) const;

  OutputFile file_;
  bool in_double_ = false;
  std::int64_t cells_ = 0, announced_ = 0;  ///< the latter: storms
};

}  // namespace bombard::tools
