#include "inputs/layer_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

#include "bombard/errors.hpp"
#include "inputs/mapped_file.hpp"
#include "inputs/npy.hpp"

namespace bombard {

Layer read_layer(const std::string& path, std::int64_t cells) {
  const MappedFile file(path);
  if (!is_npy(file)) {
    throw InputError(
        fmt::format("{}: is not a NumPy array; a layer is one, as `bombard run --layer` writes it",
                    file.name()));
  }
  const NpyArray array(file);
  if (array.shape() != std::vector<std::int64_t>{cells}) {
    throw InputError(fmt::format("{}: is an array of {}; a layer of {} cells has one dimension, {}",
                                 file.name(), array.shape_text(), cells, cells));
  }
  const auto read = [&]<class T>(std::span<const T> values) -> Layer {
    if constexpr (std::is_floating_point_v<T>) {
      const auto broken = std::ranges::find_if_not(values, [](T v) { return std::isfinite(v); });
      if (broken != values.end()) {
        throw InputError(fmt::format("{}: cell {} is {}; every cell of a layer is a finite number",
                                     file.name(), broken - values.begin(), *broken));
      }
      return std::vector<T>(values.begin(), values.end());
    } else {
      throw InputError(
          fmt::format("{}: holds integers; a layer is float32 or float64", file.name()));
    }
  };
  return std::visit(read, array.values());
}

}  // namespace bombard
