#include "inputs/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace bombard {

std::string json_string(std::string_view text) {
  using nlohmann::json;
  constexpr int on_one_line = -1;
  constexpr bool only_ascii = false;
  return json(text).dump(on_one_line, ' ', only_ascii, json::error_handler_t::replace);
}

// Not the library's: it gives 0 as 0.0, and its last digit is another one for one binary32 number
// in 78, so that a maximum would not have the same digits in JSON and in CSV.
std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

}  // namespace bombard
