#include "tools/cli/layers_file.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <variant>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "inputs/npy.hpp"
#include "kernels/base/host_memory.hpp"

namespace bombard::tools {

void LayersFile::begin(bool in_double, std::int64_t storms, std::int64_t cells) {
  const std::int64_t bytes_of_cell = in_double ? sizeof(double) : sizeof(float);
  const std::int64_t bytes = byte_count({storms, cells, bytes_of_cell});
  const std::optional<std::int64_t> room = file_.room();
  if (room && bytes > *room) {
    throw CannotRun(fmt::format(
        "{}: the layers after {} storms need {}, but its disk has {} free; name a file on a larger "
        "one, or take the final layer alone (--layer)",
        file_.path(), storms, gigabytes(bytes), gigabytes(*room)));
  }
  in_double_ = in_double;
  cells_ = cells;
  announced_ = storms;
  file_.write(header(storms));
}

std::string LayersFile::header(std::int64_t storms) const {
  return in_double_ ? npy_header<double>({storms, cells_}) : npy_header<float>({storms, cells_});
}

void LayersFile::add(const LayerView& piece) {
  std::visit(
      [&](const auto& cells) {
        file_.write({reinterpret_cast<const char*>(cells.data()), cells.size_bytes()});
      },
      piece);
}

std::optional<SharedPlace> LayersFile::place() {
  return file_.share();
}

void LayersFile::commit(std::int64_t storms) {
  if (storms < announced_) file_.write_over(header(storms));
  file_.commit();
}

}  // namespace bombard::tools
