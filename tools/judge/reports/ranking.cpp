#include "tools/judge/reports/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

#include "bombard/errors.hpp"
#include "inputs/input_file.hpp"
#include "inputs/output_file.hpp"
#include "inputs/token.hpp"
#include "tools/cli/build_info.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/page/embedded.hpp"
#include "tools/page/html.hpp"

namespace bombard::judge {

namespace {

using nlohmann::ordered_json;

constexpr std::string_view before_runs = "<script type=\"application/json\" id=\"runs\">";

/// The results in a page that was written earlier.
ordered_json runs_in(const std::string& path) {
  const InputFile file(path);
  const std::string_view page = file.content();
  const std::size_t begin = page.find(before_runs);
  if (begin != std::string_view::npos) {
    const std::string_view rest = page.substr(begin + before_runs.size());
    const auto runs = ordered_json::parse(rest.substr(0, rest.find("</script>")), nullptr, false);
    const auto is_run = [](const ordered_json& run) {
      return run.is_object() && run.value("rows", ordered_json()).is_array() &&
             run.value("date", ordered_json()).is_string();
    };
    if (runs.is_array() && std::all_of(runs.begin(), runs.end(), is_run)) return runs;
  }
  throw InputError(fmt::format(
      "--ranking {}: is not a page that `bombard judge --ranking` wrote; name another file", path));
}

/// The fields of a line of CSV, in quotes or not (RFC 4180): the first one, and everything after a
/// comma or a semicolon; one field if there is neither.
std::vector<std::string> two_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const bool ends = !is_quoted && (line[at] == ',' || line[at] == ';');
    if (ends && fields.size() == 1) {
      fields.emplace_back();
    } else if (line[at] != '"') {
      fields.back() += line[at];
    } else {
      is_quoted = !is_quoted;
      if (is_quoted && at > 0 && line[at - 1] == '"') fields.back() += '"';  // two are one
    }
  }
  return fields;
}

/// The path of a program, or of its folder: "./anna/program" is "anna/program".
std::string comparable(const std::filesystem::path& path) {
  const std::filesystem::path normal = path.lexically_normal();
  return (normal.has_filename() ? normal : normal.parent_path()).string();
}

/// The place of the name that means this program; the name of its folder will do, too.
Names::const_iterator find_name(const Names& names, const std::filesystem::path& program) {
  const auto of_program = names.find(comparable(program));
  return of_program != names.end() ? of_program : names.find(comparable(program.parent_path()));
}

/// A row of the page.
ordered_json row_of(const Standing& standing, const std::string& name) {
  ordered_json row{{"name", name},
                   {"verdict", standing.verdict},
                   {"passes", standing.passes},
                   {"wrong", standing.wrong},
                   {"mistakes", standing.mistakes},
                   {"reason", standing.reason},
                   {"seconds", standing.seconds},
                   {"speedup", standing.speedup},
                   {"spread", standing.spread},
                   {"scaling", standing.scaling}};
  if (standing.rank > 0) row["rank"] = standing.rank;
  return row;
}

}  // namespace

Names read_names(const std::string& path) {
  const InputFile file(path);
  std::istringstream lines{std::string(without_byte_order_mark(file.content()))};
  Names names;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    const std::vector<std::string> fields = two_fields(line);
    if (fields.size() == 1) {
      throw InputError(fmt::format("{}:{}: is not PROGRAM,NAME: there is no comma", path, number));
    }
    const std::string name = printable(fields[1]);
    if (name != fields[1]) {
      throw InputError(fmt::format("{}:{}: \"{}\" is not text in UTF-8; save it as \"CSV UTF-8\"",
                                   path, number, name));
    }
    names[comparable(fields[0])] = name;
  }
  return names;
}

Names names_without_program(Names names, const std::vector<std::string>& programs) {
  for (const std::string& program : programs) {
    const auto found = find_name(names, program);
    if (found != names.end()) names.erase(found);
  }
  return names;
}

Ranking::Ranking(std::string path, Names names, ordered_json run)
    : path_(std::move(path)), names_(std::move(names)) {
  if (std::filesystem::exists(path_)) runs_ = runs_in(path_);
  runs_.insert(runs_.begin(), std::move(run));
  const OutputFile can_be_written(path_);
}

void Ranking::add(const Standing& standing) {
  standings_.push_back(standing);
  give_ranks(standings_);
  ordered_json& rows = runs_.front()["rows"] = ordered_json::array();
  for (const Standing& one : standings_) {
    const auto named = find_name(names_, one.program);
    rows.push_back(row_of(one, named == names_.end() ? "" : named->second));
  }
  std::string runs = runs_.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
  for (std::size_t at = 0; (at = runs.find('<', at)) != std::string::npos;) {
    runs.replace(at, 1, "\\u003c");  // no markup ends the element
  }
  const std::string date = runs_.front()["date"];
  write_whole(path_, fmt::format(fmt::runtime(tools::embedded_files.ranking),
                                 fmt::arg("date", tools::html_text(date)),
                                 fmt::arg("style", tools::embedded_files.style),
                                 fmt::arg("script", tools::embedded_files.ranking_script),
                                 fmt::arg("version", build_info.version), fmt::arg("runs", runs)));
}

}  // namespace bombard::judge
