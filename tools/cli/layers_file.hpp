#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bombard/simulation_observer.hpp"
#include "inputs/output_file.hpp"

namespace bombard::tools {

/// A NumPy file of layers, in the precision that the run computes in: the layer after each storm as
/// a row (`--layers`), or the last one alone (`--layer`). It is written as the run goes, so that
/// memory does not grow with the storms, and appears whole or not at all. Every member throws
/// InputError as OutputFile does.
class LayersFile {
 public:
  /// A file for a layer of `cells` cells; `storms` rows, or none for one layer.
  LayersFile(std::string path, std::int64_t cells, std::optional<std::int64_t> storms)
      : path_(std::move(path)), cells_(cells), storms_(storms) {}

  /// Once the engine is chosen. Throws CannotRun when the disk has not enough room for all rows.
  void begin(bool in_double);

  /// Cells of the next layer, those that follow the ones before.
  void add(const LayerView& piece);

  /// After `storms` storms: all of them, or those before the run was stopped.
  void commit(std::int64_t storms);

 private:
  std::string header(std::int64_t storms) const;

  std::string path_;
  std::int64_t cells_;
  std::optional<std::int64_t> storms_;
  bool in_double_ = false;
  std::optional<OutputFile> file_;
};

}  // namespace bombard::tools
