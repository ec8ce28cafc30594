// A storm as CSV: inputs/storms/storm_csv.cpp.

#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "inputs/storms/storm_file.hpp"
#include "tests/fuzz/plain_tokens.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz::storm_csv_fuzz {
namespace {

using Fields = std::pair<std::string, std::string>;

/// A line of two fields.
std::optional<Fields> fields_of(std::string_view line) {
  static const std::regex row(R"x(\s*(?:"([^"]*)"\s*|([^",][^,]*?)?\s*),)x"
                              R"x(\s*(?:"([^"]*)"\s*|([^",][^,]*?)?\s*))x");
  std::cmatch found;
  if (!std::regex_match(line.begin(), line.end(), found, row)) return {};
  return Fields(found[1].str() + found[2].str(), found[3].str() + found[4].str());
}

Verdict<std::vector<Impact>> oracle(std::string_view text) {
  std::vector<Impact> impacts;
  bool header = true, swapped = false;
  for (const auto& [line, number] : lines_of(without_mark(text))) {
    auto fields = fields_of(line);
    if (!fields) return {{}, {number}};
    if (header) swapped = fields->first == "energy";
    if (swapped) std::swap(fields->first, fields->second);
    if (header) {
      if (*fields != Fields("position", "energy")) return {{}, {number}};
      header = false;
      continue;
    }
    const auto position = position_of(fields->first);
    const auto energy = integer_of_32_bits(fields->second);
    if (!position || !energy) return {{}, {number}};
    impacts.push_back({*position, *energy});
  }
  return {impacts};
}

void check(std::string_view text) {
  const MappedFile file(name, text);
  if (!storm_csv.begins(file)) return;
  const auto expected = oracle(text);
  const std::int64_t announced = storm_csv.announced(file);
  const auto found = read_as(expected, [&] { return storm_csv.read(file, announced); });
  if (!found) return;
  expect(*found == expected.value, "the impacts are the text's");
  expect(announced == std::ssize(*found), "the impacts are announced");
}

const Registered target{Target{"storm_csv", check}};

}  // namespace
}  // namespace bombard::fuzz::storm_csv_fuzz
