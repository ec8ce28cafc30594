#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>
#include <string_view>

#include "inputs/table.hpp"
#include "tools/cli/build_info.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/judge/reports/formats.hpp"

namespace bombard::judge {

namespace {

/// A word that stands out, unless the answer is right.
std::string answer(std::string word) {
  if (word == "right" || word == "rounding") return word;
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c == '_' ? ' ' : std::toupper(c); });
  return word;
}

constexpr const char* row_format = "{:<{}}  {:<9}  {:>11}  {:>11}  {:>11}  {:>11}  {:>7}\n";

/// A case with what is wrong in it, and what it is for.
std::string row(const ordered_json& of_case, std::size_t width) {
  const double sequential = of_case["sequential_seconds"];
  const ordered_json& time = of_case["time_seconds"];
  const bool has_speedup = of_case["shows_speed"] && !time.is_null() && time > 0;
  std::string text = fmt::format(
      row_format, words_of(of_case["case"]), width, answer(of_case["kind"]), with_decimals(time, 6),
      with_decimals(of_case["whole_seconds"], 6), with_decimals(of_case["bombard_seconds"], 6),
      (of_case["sequential_is_estimate"] ? "~" : "") + with_decimals(sequential, 6),
      has_speedup ? with_decimals(sequential / time.get<double>(), 2) : "-");
  if (of_case["right"]) return text;
  text += fmt::format("    {}\n", words_of(of_case["complaint"]));
  if (of_case["tries"] == "") return text;
  return text + fmt::format("    ({})\n", words_of(of_case["tries"]));
}

/// "right in 14 cases of the assignment".
std::string outcome(const ordered_json& cases, std::string_view where) {
  std::int64_t wrong = 0, rounded = 0;
  for (const ordered_json& of_case : cases) {
    if (!passes(of_case, false)) ++wrong;
    if (!of_case["right"]) ++rounded;
  }
  const std::string all = plural(static_cast<std::int64_t>(cases.size()), "case");
  if (wrong > 0) return fmt::format("WRONG in {} of {}{}\n", wrong, all, where);
  return fmt::format("right{} in {}{}\n", rounded > 0 ? " up to rounding" : "", all, where);
}

std::string table(const ordered_json& judged) {
  std::string text = words_of(judged["program"]);
  if (!judged["threads"].is_null()) text += ", " + plural(judged["threads"], "thread");
  if (judged["confinement"] != "") text += ", " + words_of(judged["confinement"]);
  text += "\n\n";
  if (judged["failed_build"] != "") return text + remarks(judged);
  std::size_t width = 4;
  ordered_json assignment = ordered_json::array(), beyond = ordered_json::array();
  for (const ordered_json& of_case : judged["cases"]) {
    width = std::max(width, of_case["case"].get<std::string>().size());
    (of_case["group"] == "assignment" ? assignment : beyond).push_back(of_case);
  }
  text += fmt::format(row_format, "case", width, "answer", "Time:", "whole", "bombard",
                      "sequential", "speedup");
  const bool in_groups = !assignment.empty() && !beyond.empty();
  for (const ordered_json& of_case : assignment) text += row(of_case, width);
  if (in_groups) text += "\nbeyond the assignment\n";
  for (const ordered_json& of_case : beyond) text += row(of_case, width);
  text += '\n';
  if (!assignment.empty()) text += outcome(assignment, in_groups ? " of the assignment" : "");
  if (!beyond.empty()) text += outcome(beyond, in_groups ? " beyond it" : "");
  return text + remarks(judged);
}

/// How a program scales, a line for each number of threads with a bar as long as the speedup.
/// Efficiency is the speedup over the threads.
std::string scaling_table(const ordered_json& judgements) {
  constexpr double widest_bar = 40;
  const ordered_json best = sum_of(judgements, false)["speedup"];
  const double marks_for_one =
      std::min(4.0, widest_bar / std::max(1.0, best.is_null() ? 0 : best.get<double>()));
  std::string text = "threads      seconds  speedup  efficiency\n";
  for (const ordered_json& judged : judgements) {
    const ordered_json& speedup = judged["speedup"];
    const int threads = judged["threads"];
    const double times = speedup.is_null() ? 0 : speedup.get<double>();
    text += fmt::format("{:>7}  {:>11}  {:>7}  {:>10}", threads,
                        with_decimals(judged["seconds"], 6), with_decimals(speedup, 2),
                        speedup.is_null() ? "-" : with_decimals(times / threads, 2));
    if (times > 0) {
      text += fmt::format("  {:=<{}}", "", static_cast<int>(std::ceil(marks_for_one * times)));
    }
    text += '\n';
  }
  return text;
}

/// A field of a member: seconds have six decimals.
std::string csv_field_of(const ordered_json& value, std::string_view column) {
  if (value.is_null()) return {};
  if (value.is_string()) return csv_field(value.get<std::string>());
  if (!value.is_number_float()) return value.dump();
  return column.ends_with("seconds") ? with_decimals(value, 6)
                                     : fmt::format("{:g}", value.get<double>());
}

}  // namespace

std::string tables(const ordered_json& judgements) {
  std::string text;
  for (const ordered_json& judged : judgements) text += (text.empty() ? "" : "\n") + table(judged);
  if (judgements[0]["threads"].is_null()) return text;
  return text + '\n' + scaling_table(judgements);
}

std::string remarks(const ordered_json& judged) {
  std::string text = judged["explanation"];
  for (const ordered_json& hint : judged["hints"]) text += words_of(hint) + '\n';
  if (judged["failed_build"] == "") return text;
  return text + fmt::format("NOT BUILT: {}\n", words_of(judged["failed_build"]));
}

std::string summary_line(const ordered_json& sum) {
  return fmt::format("{:<9}  {:>5}  {:>11}  {:>7}  {}{}{}\n", answer(sum["verdict"]),
                     sum["wrong"].get<int>(), with_decimals(sum["seconds"], 6),
                     with_decimals(sum["speedup"], 2), words_of(sum["program"]),
                     sum["mistakes"] == "" ? "" : ": ", sum["mistakes"].get<std::string>());
}

std::string json(const ordered_json& programs, const Options&) {
  return dumped({{"program", "bombard"}, {"version", build_info.version}, {"programs", programs}},
                2);
}

std::string csv(const ordered_json& programs, const Options&) {
  const std::string columns =
      "program,case,edition,cells,storms,answer,complaint,looks_like,time_seconds,whole_seconds,"
      "bombard_seconds,sequential_seconds,sequential_is_estimate,group,distance,threads";
  std::string text = columns + "\r\n";
  for (const ordered_json& judged : programs) {
    for (ordered_json row : judged["cases"]) {
      row["program"] = judged["program"];
      row["threads"] = judged["threads"];
      row["answer"] = row["kind"];
      row["looks_like"] = joined(judged["looks_like"], " ");
      std::vector<std::string> fields;
      std::istringstream names(columns);
      for (std::string column; std::getline(names, column, ',');) {
        fields.push_back(csv_field_of(row[column], column));
      }
      text += joined(fields, ",") + "\r\n";
    }
  }
  return text;
}

}  // namespace bombard::judge
