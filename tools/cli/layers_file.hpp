#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bombard/simulation_observer.hpp"
#include "inputs/output_file.hpp"

namespace bombard::tools {

/// A NumPy file of layers, in the precision of the run: the layer after each storm as a row
/// (`--layers`), or only the last one (`--layer`). It is written during the run, so that memory
/// does not grow with the storms, and appears as a whole or not at all. Every member throws
/// InputError as OutputFile does.
class LayersFile {
 public:
  /// A file for a layer of `cells` cells; `storms` rows, or none for one layer.
  LayersFile(std::string path, std::int64_t cells, std::optional<std::int64_t> storms)
      : path_(std::move(path)), cells_(cells), storms_(storms) {}

  /// To be called once the engine is chosen. Throws CannotRun when the disk has too little room for
  /// all layers.
  void begin(Precision precision);

  /// Cells of the next layer, following those before.
  void add(const LayerView& piece);

  /// After the last layer: of the last storm, or of the last one before the run was stopped. The
  /// file has the layers that came; where none did, there is no file, and an older one stays.
  void commit();

 private:
  std::string header(std::int64_t storms) const;

  std::string path_;
  std::int64_t cells_;
  std::optional<std::int64_t> storms_;
  Precision precision_ = Precision::binary32;
  std::int64_t written_ = 0;  ///< cells
  std::optional<OutputFile> file_;
};

}  // namespace bombard::tools
