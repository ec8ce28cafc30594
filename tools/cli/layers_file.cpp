#include "tools/cli/layers_file.hpp"

#include <fmt/format.h>

#include <variant>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "inputs/npy.hpp"
#include "kernels/base/host_memory.hpp"
#include "sim/plan.hpp"

namespace bombard::tools {

void LayersFile::begin(Precision precision) {
  precision_ = precision;
  file_.emplace(path_);
  if (storms_) {
    const std::int64_t bytes = byte_count({*storms_, cells_, bytes_of_cell(precision)});
    const std::optional<std::int64_t> room = file_->room();
    if (room && bytes > *room) {
      throw CannotRun(fmt::format(
          "{}: the layers after {} storms need {}, but its disk has {} free; name a file on a "
          "larger one, or take the final layer alone (--layer)",
          path_, *storms_, gigabytes(bytes), gigabytes(*room)));
    }
  }
  file_->write(header(storms_.value_or(1)));
}

std::string LayersFile::header(std::int64_t storms) const {
  std::vector<std::int64_t> shape{cells_};
  if (storms_) shape.insert(shape.begin(), storms);
  return npy_header(precision_ == Precision::binary64 ? "<f8" : "<f4", shape);
}

void LayersFile::add(const LayerView& piece) {
  std::visit(
      [&](const auto& cells) {
        file_->write({reinterpret_cast<const char*>(cells.data()), cells.size_bytes()});
      },
      piece);
}

void LayersFile::commit(std::int64_t storms) {
  if (storms_ && storms < *storms_) file_->write_over(header(storms));
  file_->commit();
}

}  // namespace bombard::tools
