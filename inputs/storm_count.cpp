#include "inputs/storm_count.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>

#include "inputs/errors.hpp"
#include "inputs/mapped_file.hpp"
#include "inputs/npy.hpp"
#include "inputs/token.hpp"

namespace bombard {

namespace {

std::int64_t rows(const MappedFile& file) {
  try {
    return NpyArray(file).shape().front();
  } catch (const InputError&) {
    return 0;
  }
}

std::int64_t count(std::string_view text) {
  text = without_byte_order_mark(text);
  text.remove_prefix(static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_white) -
                                              text.begin()));
  const IntegerToken token =
      parse_integer(first_token(text), "count", 0, std::numeric_limits<std::int64_t>::max());
  // A pair takes four characters with the white space after it: no count is believed beyond that.
  const auto most = static_cast<std::int64_t>(text.size() / 4 + 1);
  return token.problem.empty() ? std::min(token.value, most) : 0;
}

}  // namespace

std::optional<std::int64_t> announced_impacts(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (path == "-" || (std::filesystem::exists(status) && std::filesystem::is_other(status))) {
    return {};
  }
  const MappedFile file(path);
  return is_npy(file) ? rows(file) : count(file.content());
}

}  // namespace bombard
