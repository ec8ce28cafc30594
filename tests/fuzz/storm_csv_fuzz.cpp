// A storm as CSV: inputs/storms/storm_csv.cpp.

#include <algorithm>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "inputs/storms/storm_file.hpp"
#include "tests/fuzz/plain_tokens.hpp"
#include "tests/fuzz/target.hpp"

namespace bombard::fuzz {
namespace {

/// The impacts, or the line of the error.
struct Outcome {
  std::vector<Impact> impacts;
  std::int64_t line = 0;
};

/// A line of two fields.
std::optional<std::pair<std::string, std::string>> fields_of(std::string_view line) {
  static const std::regex row(R"x([ \t]*(?:"([^"]*)"[ \t]*|([^",][^,]*?)?[ \t]*),)x"
                              R"x([ \t]*(?:"([^"]*)"[ \t]*|([^",][^,]*?)?[ \t]*))x");
  std::cmatch found;
  if (!std::regex_match(line.begin(), line.end(), found, row)) return {};
  return std::pair(found[1].str() + found[2].str(), found[3].str() + found[4].str());
}

Outcome oracle(std::string_view text) {
  Outcome outcome;
  bool header = true, position_first = false;
  for (const auto& [line, number] : lines_of(without_mark(text))) {
    const auto fields = fields_of(line);
    if (!fields) return {{}, number};
    if (header) {
      header = false;
      position_first = fields->first == "position";
      const auto& other = position_first ? fields->second : fields->first;
      if (other != "energy" || (!position_first && fields->second != "position")) {
        return {{}, number};
      }
      continue;
    }
    const std::int64_t farthest = std::int64_t{1} << 61;
    const auto& [first, second] = *fields;
    const auto position = integer_within(position_first ? first : second, -farthest, farthest);
    const auto energy =
        integer_within(position_first ? second : first, -2147483648LL, 2147483647LL);
    if (!position || !energy) return {{}, number};
    outcome.impacts.push_back({*position, static_cast<std::int32_t>(*energy)});
  }
  return outcome;
}

void check(std::string_view text) {
  const MappedFile file(name, text);
  if (!storm_csv.begins(file)) return;
  const Outcome expected = oracle(text);
  try {
    const std::int64_t announced = storm_csv.announced(file);
    const auto impacts = storm_csv.read(file, announced);
    expect(expected.line == 0, "storms are accepted, no more");
    expect(impacts == expected.impacts, "the impacts are those of the oracle");
    expect(announced == std::ssize(impacts), "the impacts are announced");
  } catch (const InputError& error) {
    expect(line_of(error) == expected.line, "an error names its line");
  }
}

const Registered target{Target{"storm_csv", check}};

}  // namespace
}  // namespace bombard::fuzz
