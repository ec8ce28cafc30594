#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>
#include <utility>

#include "inputs/table.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/judge/reports/formats.hpp"

namespace bombard::judge {

namespace {

/// A number with its decimals, or a text if it is not known.
std::string with_decimals(double number, int decimals) {
  return std::isnan(number) ? "-" : fmt::format("{:.{}f}", number, decimals);
}

/// A word that stands out, unless the answer is right.
std::string answer(std::string_view verdict) {
  std::string word(verdict);
  if (word == "right" || word == "rounding") return word;
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c == '_' ? ' ' : std::toupper(c); });
  return word;
}

constexpr const char* row_format = "{:<{}}  {:<9}  {:>11}  {:>11}  {:>11}  {:>11}  {:>7}\n";

/// A case, with what is wrong in it and what it is for.
std::string row(const CaseJudgement& of_case, std::size_t width) {
  const PreparedCase& tried = *of_case.prepared;
  const bool has_speed = shows_speed(tried) && of_case.verdict <= Verdict::rounding;
  std::string text = fmt::format(
      row_format, printable(tried.name), width, answer(word_for(of_case.verdict)),
      with_decimals(of_case.time, 6), with_decimals(of_case.whole_seconds, 6),
      with_decimals(tried.right_seconds, 6),
      (tried.sequential_is_estimate ? "~" : "") + with_decimals(of_case.sequential_seconds, 6),
      with_decimals(has_speed ? of_case.sequential_seconds / of_case.seconds : unknown, 2));
  if (of_case.verdict == Verdict::right) return text;
  text += fmt::format("    {}\n", printable(of_case.complaint));
  if (tried.tries.empty() || of_case.verdict == Verdict::race) return text;
  return text + fmt::format("    ({})\n", printable(tried.tries));
}

std::string table(const ProgramJudgement& judged, const Options& options) {
  std::string text = printable(judged.program);
  if (judged.threads) text += ", " + plural(*judged.threads, "thread");
  if (!options.confinement.empty()) text += ", " + options.confinement;
  text += "\n\n";
  if (!judged.failed_build.empty()) return text + remarks(judged);
  std::size_t width = 4;
  for (const CaseJudgement& of_case : judged.cases) {
    width = std::max(width, of_case.prepared->name.size());
  }
  text += fmt::format(row_format, "case", width, "answer", "Time:", "whole", "bombard",
                      "sequential", "speedup");
  std::string outcomes;
  for (const bool is_beyond : {false, true}) {
    std::string rows;
    std::size_t all = 0, wrong = 0, rounded = 0;
    for (const CaseJudgement& of_case : judged.cases) {
      if (of_case.prepared->is_beyond != is_beyond) continue;
      rows += row(of_case, width);
      ++all;
      if (of_case.verdict > Verdict::rounding) ++wrong;
      if (of_case.verdict != Verdict::right) ++rounded;
    }
    if (all == 0) continue;
    const bool is_alone = all == judged.cases.size();
    if (is_beyond && !is_alone) text += "\nbeyond the assignment\n";
    text += rows;
    outcomes += wrong > 0     ? fmt::format("WRONG in {} of ", wrong)
                : rounded > 0 ? "right up to rounding in "
                              : "right in ";
    outcomes += plural(static_cast<std::int64_t>(all), "case");
    outcomes += is_alone ? "\n" : is_beyond ? " beyond it\n" : " of the assignment\n";
  }
  return text + '\n' + outcomes + remarks(judged);
}

/// How a program scales: a line for each number of threads, with a bar as long as the speedup.
/// Efficiency is the speedup divided by the number of threads.
std::string scaling_table(const std::vector<ProgramJudgement>& judgements) {
  constexpr double widest_bar = 40;
  double most = widest_bar / 4;
  for (const ProgramJudgement& judged : judgements) most = std::fmax(most, judged.speedup);
  Table table({"threads", "seconds", "speedup", "efficiency", ""});
  for (const ProgramJudgement& judged : judgements) {
    const double marks = std::ceil(widest_bar / most * std::fmax(judged.speedup, 0));
    table.add({static_cast<std::int64_t>(*judged.threads), judged.seconds, judged.speedup,
               judged.speedup / *judged.threads,
               std::string(static_cast<std::size_t>(marks), '=')});
  }
  return table.text();
}

}  // namespace

std::string tables(const std::vector<ProgramJudgement>& judgements, const Options& options) {
  std::string text;
  for (const ProgramJudgement& judged : judgements) {
    text += (text.empty() ? "" : "\n") + table(judged, options);
  }
  return judgements.front().threads ? text + '\n' + scaling_table(judgements) : text;
}

std::string remarks(const ProgramJudgement& judgement) {
  std::string text = judgement.explanation;
  for (const auto& [kind, hint] : judgement.hints) text += printable(hint) + '\n';
  if (judgement.failed_build.empty()) return text;
  return text + fmt::format("NOT BUILT: {}\n", printable(judgement.failed_build));
}

std::string summary_line(const Standing& standing) {
  return fmt::format("{:<9}  {:>5}  {:>11}  {:>7}  {}{}{}\n", answer(standing.verdict),
                     standing.wrong, with_decimals(standing.seconds, 6),
                     with_decimals(standing.speedup, 2), printable(standing.program),
                     standing.mistakes.empty() ? "" : ": ", standing.mistakes);
}

}  // namespace bombard::judge
