#include "inputs/storm_npy.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "inputs/errors.hpp"
#include "inputs/npy.hpp"

namespace bombard {

Storm read_storm_npy(const MappedFile& file) {
  const NpyArray array(file);
  const std::vector<std::int64_t>& shape = array.shape();
  if (shape.size() != 2 || shape[1] != 2) {
    throw InputError(fmt::format("{}: this array is {}; a storm is P x 2: positions and energies",
                                 file.name(), array.shape_text()));
  }
  Storm storm{file.name(), {}};
  storm.impacts.reserve(static_cast<std::size_t>(shape[0]));
  std::visit(
      [&]<class T>(std::span<const T> elements) {
        const auto integer = [&](T value, const char* what, std::int64_t lowest,
                                 std::int64_t highest) {
          // Every int32, float32 and float64 is exact in double, and so are the bounds.
          const double number = value;
          if (std::trunc(number) != number || number < static_cast<double>(lowest) ||
              number > static_cast<double>(highest)) {
            throw InputError(fmt::format("{}: row {}: {} {} is not a whole number from {} to {}",
                                         file.name(), storm.impacts.size(), what, value, lowest,
                                         highest));
          }
          return static_cast<std::int64_t>(value);
        };
        using Energy = std::numeric_limits<std::int32_t>;
        for (std::size_t i = 0; i < elements.size(); i += 2) {
          const std::int64_t position =
              integer(elements[i], "position", -largest_position, largest_position);
          const std::int64_t energy =
              integer(elements[i + 1], "energy", Energy::min(), Energy::max());
          storm.impacts.push_back({position, static_cast<std::int32_t>(energy)});
        }
      },
      array.values());
  return storm;
}

}  // namespace bombard
