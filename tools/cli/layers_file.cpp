#include "tools/cli/layers_file.hpp"

#include <fmt/format.h>

#include <iterator>
#include <variant>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "inputs/npy.hpp"
#include "kernels/base/host_memory.hpp"
#include "sim/plan.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

void LayersFile::begin(Precision precision) {
  precision_ = precision;
  file_.emplace(path_);
  const std::int64_t bytes = byte_count({storms_.value_or(1), cells_, bytes_of_cell(precision)});
  const std::optional<std::int64_t> room = file_->room();
  if (room && bytes > *room) {
    throw CannotRun(fmt::format(
        "{}: {} {}, but its disk has {} free; name a file on a larger one{}", path_,
        storms_ ? fmt::format("the layers after {} storms need", *storms_) : "the layer needs",
        gigabytes(bytes), gigabytes(*room),
        storms_ ? ", or take the final layer alone (--layer)" : ""));
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
        written_ += std::ssize(cells);
      },
      piece);
}

void LayersFile::commit() {
  const std::int64_t layers = written_ / cells_;
  if (layers == 0) return;
  if (storms_ && layers < *storms_) {
    if (file_->can_write_over()) {
      file_->write_over(header(layers));
    } else {
      note(fmt::format("{}: {} of the {} layers that its header announces have come", path_, layers,
                       *storms_));
    }
  }
  file_->commit();
}

}  // namespace bombard::tools
