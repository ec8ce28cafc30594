#include "tools/judge/case_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "bombard/errors.hpp"
#include "inputs/input_file.hpp"
#include "inputs/output_file.hpp"
#include "inputs/storms/storm_file.hpp"
#include "inputs/token.hpp"
#include "tools/judge/answer.hpp"
#include "tools/judge/run.hpp"

namespace bombard::judge {

namespace {

namespace filesystem = std::filesystem;
using nlohmann::ordered_json;

/// Whether there is something at this path. Throws InputError where that cannot be told.
bool is_there(const filesystem::path& path) {
  std::error_code error;
  const filesystem::file_type type = filesystem::status(path, error).type();
  if (type != filesystem::file_type::none) return type != filesystem::file_type::not_found;
  throw InputError(fmt::format("{}: {}", path.string(), error.message()));
}

/// What case.json holds. `missing` has the members that need not be there.
ordered_json members_of(const std::string& path, ordered_json missing) {
  constexpr int deepest = 8;  // what is nested deeper is left out: no member needs it
  const InputFile file(path);
  ordered_json members;
  try {
    members = ordered_json::parse(
        file.content(), [](int depth, auto, const ordered_json&) { return depth < deepest; });
  } catch (const ordered_json::exception& error) {  // also for numbers that no double can hold
    throw InputError(fmt::format("{}: is not JSON: {}", path, error.what()));
  }
  if (!members.is_object()) throw InputError(path + ": is not a JSON object");
  missing.update(members);
  return missing;
}

Case read_case(const filesystem::path& directory, std::optional<Edition> asked) {
  // Up to this bound 64 bits can count the bytes of a layer.
  constexpr std::uint64_t most_cells = std::uint64_t{1} << 56;
  const std::string path = (directory / "case.json").string();
  ordered_json members = members_of(path, {{"tries", ""},
                                           {"edition", asked.value_or(Edition::second)},
                                           {"group", "assignment"},
                                           {"shows_races", false},
                                           {"cells", nullptr},
                                           {"storms", nullptr}});
  const auto require = [&](bool holds, const char* complaint) {
    if (!holds) throw InputError(fmt::format("{}: {}", path, complaint));
  };
  const ordered_json &cells = members["cells"], &storms = members["storms"];
  require(members["tries"].is_string(), "\"tries\" is not a text in quotes");
  require(members["edition"] == 1 || members["edition"] == 2, "\"edition\" is neither 1 nor 2");
  require(members["group"] == "assignment" || members["group"] == "beyond",
          "\"group\" is neither \"assignment\" nor \"beyond\"");
  require(members["shows_races"].is_boolean(), "\"shows_races\" is neither true nor false");
  require(cells.is_number_unsigned() && cells >= 1 && cells <= most_cells,
          "\"cells\" must be there, a whole number from 1 up");
  require(storms.is_array() && !storms.empty(),
          "\"storms\" must be there, a list of the names of storm files");
  const auto edition = members["edition"].get<Edition>();
  require(edition == asked.value_or(edition), edition == Edition::first
                                                  ? "is a case of edition 1; leave --edition out"
                                                  : "is a case of edition 2; leave --edition out");
  Case tried{.name = directory.filename(),
             .tries = members["tries"],
             .edition = edition,
             .is_beyond = members["group"] == "beyond",
             .shows_races = members["shows_races"],
             .cells = cells};
  for (const ordered_json& storm : storms) {
    require(storm.is_string(), "a name in \"storms\" is not a text in quotes");
    tried.storms.push_back(read_storm(directory / storm.get<std::string>()));
  }
  return tried;
}

}  // namespace

void keep_case(const PreparedCase& tried, const std::string& directory) {
  if (directory.empty()) throw InputError("--keep \"\" names no directory");
  const filesystem::path own = filesystem::path(directory) / tried.name;
  make_directory(own.string());
  ordered_json storms = ordered_json::array();
  for (std::size_t i = 0; i < tried.storms.size(); ++i) {
    storms.push_back(storm_file_name(i + 1, tried.storms.size()));
    write_storm(tried.storms[i], (own / storms.back().get<std::string>()).string());
  }
  const ordered_json object{{"tries", tried.tries},
                            {"edition", static_cast<int>(tried.edition)},
                            {"group", tried.is_beyond ? "beyond" : "assignment"},
                            {"shows_races", tried.shows_races},
                            {"cells", tried.cells},
                            {"storms", storms}};
  write_whole(own / "case.json", object.dump(2) + '\n');
  write_whole(own / "result.txt", result_line(tried.right));
}

std::vector<Case> read_cases(const std::string& directory, std::optional<Edition> edition) {
  std::vector<filesystem::path> found;
  std::error_code error;
  for (filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_there(entry->path() / "case.json")) found.push_back(entry->path());
  }
  if (error) {
    throw InputError(fmt::format(
        "--cases {}: {}; it is quick, all, or a directory of cases (`bombard judge --keep`)",
        directory, error.message()));
  }
  if (found.empty()) {
    throw InputError(fmt::format(
        "--cases {}: holds no case; a case is a directory with a file case.json", directory));
  }
  std::ranges::sort(found);
  std::vector<Case> cases;
  for (const filesystem::path& path : found) cases.push_back(read_case(path, edition));
  return cases;
}

void check_kept_result(const PreparedCase& tried, const std::string& directory) {
  const filesystem::path path = filesystem::path(directory) / tried.name / "result.txt";
  if (!is_there(path)) return;
  const InputFile file(path.string());
  const Answer kept =
      parse_answer(std::string(without_byte_order_mark(file.content())), tried.storms.size());
  if (kept.trouble.empty() && says(kept.maxima, tried.right)) return;
  throw InputError(fmt::format(
      "{}: is not the right answer for these storms and edition {}, which is in this file after "
      "`bombard judge --cases {} --keep {}`; without the file nothing is compared",
      path.string(), static_cast<int>(tried.edition), directory, directory));
}

}  // namespace bombard::judge
