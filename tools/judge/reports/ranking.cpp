#include "tools/judge/reports/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <sstream>
#include <utility>

#include "bombard/errors.hpp"
#include "inputs/mapped_file.hpp"
#include "inputs/output_file.hpp"
#include "tools/cli/build_info.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/page/embedded.hpp"
#include "tools/page/html.hpp"

namespace bombard::judge {

namespace {

constexpr std::string_view before_runs = "<script type=\"application/json\" id=\"runs\">";

/// The results in a page that was written earlier.
ordered_json runs_in(const std::string& path) {
  const MappedFile file(path);
  const std::string_view page = file.content();
  const std::size_t begin = page.find(before_runs);
  if (begin != std::string_view::npos) {
    const std::string_view rest = page.substr(begin + before_runs.size());
    ordered_json runs = ordered_json::parse(rest.substr(0, rest.find("</script>")), nullptr, false);
    if (runs.is_array()) return runs;
  }
  throw InputError(fmt::format(
      "--ranking {}: is no page that `bombard judge --ranking` wrote; name another file", path));
}

std::string table_of(const ordered_json& rows) {
  std::string text =
      "<table>\n<thead><tr><th>rank</th><th class=\"text\">name</th><th class=\"text\">verdict</th>"
      "<th class=\"text\">looks like</th><th>seconds</th><th>speedup</th></tr></thead>\n<tbody>\n";
  std::size_t rank = 0;
  for (const ordered_json& row : rows) {
    ++rank;
    text += fmt::format(
        "<tr><td>{}</td><td class=\"text\">{}</td><td class=\"text\">{}</td><td class=\"text\">{}"
        "</td><td>{}</td><td>{}</td></tr>\n",
        row.at("passes").get<bool>() ? std::to_string(rank) : "",
        tools::html_text(row.at("name").get<std::string>()),
        tools::html_text(row.at("verdict").get<std::string>()),
        tools::html_text(row.at("mistakes").get<std::string>()),
        with_decimals(row.at("seconds"), 6), with_decimals(row.at("speedup"), 2));
  }
  return text + "</tbody>\n</table>\n";
}

/// Speedup over threads, a line for each right program with its rank at the end, and a dashed line
/// where both are equal.
std::string plot_of(const ordered_json& rows) {
  constexpr double width = 640, height = 400, margin = 40;
  double most_threads = 1, most_speedup = 1;
  for (const ordered_json& row : rows) {
    for (const ordered_json& point : row.at("scaling")) {
      most_threads = std::max(most_threads, point.at(0).get<double>());
      most_speedup = std::max(most_speedup, point.at(1).get<double>());
    }
  }
  if (most_threads == 1) return {};
  const auto at = [&](double threads, double speedup) {
    return fmt::format("{:.1f},{:.1f} ", margin + (width - 2 * margin) * threads / most_threads,
                       height - margin - (height - 2 * margin) * speedup / most_speedup);
  };
  const auto line = [](const std::string& points, std::string_view style) {
    return fmt::format("<polyline points=\"{}\" fill=\"none\" {}/>\n", points, style);
  };
  const double ideal = std::min(most_threads, most_speedup);
  std::string lines =
      line(at(0, most_speedup) + at(0, 0) + at(most_threads, 0), "stroke=\"var(--rule)\"") +
      line(at(0, 0) + at(ideal, ideal), "stroke=\"currentColor\" stroke-dasharray=\"4\"");
  for (std::size_t place = 0; place < rows.size() && rows[place].at("passes").get<bool>();
       ++place) {
    const ordered_json& scaling = rows[place].at("scaling");
    std::string points;
    for (const ordered_json& point : scaling) points += at(point.at(0), point.at(1));
    lines += line(points, "stroke=\"var(--line)\"");
    if (scaling.empty()) continue;
    lines += fmt::format("<text transform=\"translate({})\">{}</text>\n",
                         at(scaling.back().at(0), scaling.back().at(1)), place + 1);
  }
  return fmt::format(
      "<h2>Speedup over threads</h2>\n<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" role=\"img\" "
      "aria-label=\"speedup over threads\" font-size=\"13\" fill=\"currentColor\">\n{2}"
      "<text x=\"{3}\" y=\"{4}\" text-anchor=\"end\">{5:g} threads</text>\n"
      "<text x=\"{6}\" y=\"20\">speedup {7:.1f}</text>\n</svg>\n",
      width, height, lines, width - margin, height - 10, most_threads, margin, most_speedup);
}

}  // namespace

std::map<std::string, std::string> read_names(const std::string& path) {
  const MappedFile file(path);
  std::istringstream lines{std::string(file.content())};
  std::map<std::string, std::string> names;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    const std::size_t comma = line.find(',');
    if (line.empty()) continue;
    if (comma == std::string::npos) {
      throw InputError(fmt::format("{}:{}: is not PROGRAM,NAME: there is no comma", path, number));
    }
    names[line.substr(0, comma)] = printable(line.substr(comma + 1));
  }
  return names;
}

Ranking::Ranking(std::string path, std::map<std::string, std::string> names,
                 const std::string& date)
    : path_(std::move(path)), names_(std::move(names)) {
  if (std::filesystem::exists(path_)) runs_ = runs_in(path_);
  runs_.insert(runs_.begin(), ordered_json{{"date", date}, {"rows", ordered_json::array()}});
  try {
    static_cast<void>(page());
  } catch (const ordered_json::exception&) {  // another array than ours
    throw InputError(
        fmt::format("--ranking {}: its results are damaged; name another file", path_));
  }
  const OutputFile can_be_written(path_);
}

void Ranking::add(const ordered_json& sum) {
  ordered_json row = sum;
  row["name"] = names_[sum["program"]];
  row.erase("program");
  ordered_json& rows = runs_.front()["rows"];
  rows.push_back(row);
  const auto place = [](const ordered_json& row) {
    constexpr double behind_all = std::numeric_limits<double>::infinity();
    const ordered_json& seconds = row["seconds"];
    return std::pair(!row["passes"].get<bool>(),
                     seconds.is_number() ? seconds.get<double>() : behind_all);
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto& a, const auto& b) { return place(a) < place(b); });
  write_whole(path_, page());
}

std::string Ranking::page() const {
  const ordered_json& rows = runs_.front().at("rows");
  const auto right = std::count_if(rows.begin(), rows.end(), [](const ordered_json& row) {
    return row.at("passes").get<bool>();
  });
  std::string earlier;
  for (std::size_t run = 1; run < runs_.size(); ++run) {
    earlier += fmt::format("<details>\n<summary>{}</summary>\n{}</details>\n",
                           tools::html_text(runs_[run].at("date").get<std::string>()),
                           table_of(runs_[run].at("rows")));
  }
  std::string runs = runs_.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
  for (std::size_t at = 0; (at = runs.find('<', at)) != std::string::npos;) {
    runs.replace(at, 1, "\\u003c");  // no markup ends the element
  }
  const auto date = tools::html_text(runs_.front().at("date").get<std::string>());
  const std::string summary = fmt::format(
      "{}: {}, {} right", date, plural(static_cast<std::int64_t>(rows.size()), "program"), right);
  return fmt::format(fmt::runtime(tools::embedded_files.ranking), fmt::arg("date", date),
                     fmt::arg("summary", summary), fmt::arg("style", tools::embedded_files.style),
                     fmt::arg("latest", table_of(rows)), fmt::arg("plot", plot_of(rows)),
                     fmt::arg("earlier", earlier.empty() ? "" : "<h2>Earlier</h2>\n" + earlier),
                     fmt::arg("version", build_info.version), fmt::arg("runs", runs));
}

}  // namespace bombard::judge
