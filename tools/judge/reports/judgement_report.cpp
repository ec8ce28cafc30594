#include "tools/judge/reports/judgement_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>

#include "inputs/csv.hpp"
#include "tools/cli/build_info.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/judge/reports/speed.hpp"

namespace bombard::judge {

namespace {

/// A word that stands out, unless the answer is right.
std::string answer(Verdict verdict) {
  std::string word(word_for(verdict));
  if (verdict <= Verdict::rounding) return word;
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c == '_' ? ' ' : std::toupper(c); });
  return word;
}

const char* name_of(CaseGroup group) {
  return group == CaseGroup::assignment ? "assignment" : "beyond";
}

std::string seconds(std::optional<double> value) {
  return value ? fmt::format("{:.6f}", *value) : "-";
}

constexpr const char* row_format = "{:<{}}  {:<9}  {:>11}  {:>11}  {:>11}  {:>11}  {:>7}\n";

std::size_t width_of_names(const ProgramJudgement& judgement) {
  std::size_t width = 0;
  for (const CaseJudgement& of_case : judgement.cases) {
    width = std::max(width, of_case.prepared->tried.name.size());
  }
  return width;
}

std::string speedup(const CaseJudgement& judgement) {
  if (!judgement.time || *judgement.time <= 0 || !shows_speed(judgement)) return "-";
  return fmt::format("{:.2f}", judgement.prepared->sequential.seconds / *judgement.time);
}

/// A case with what is wrong in it, and what it is for.
std::string row(const CaseJudgement& judgement, std::size_t width) {
  const PreparedCase& prepared = *judgement.prepared;
  const std::string sequential = fmt::format("{}{}", prepared.sequential.is_estimate ? "~" : "",
                                             seconds(prepared.sequential.seconds));
  std::string text =
      fmt::format(row_format, printable(prepared.tried.name), width, answer(judgement.verdict),
                  seconds(judgement.time), seconds(judgement.whole_seconds),
                  seconds(prepared.right.seconds), sequential, speedup(judgement));
  if (judgement.verdict == Verdict::right) return text;
  text += fmt::format("    {}\n", printable(judgement.complaint));
  if (prepared.tried.tries.empty()) return text;
  return text + fmt::format("    ({})\n", printable(prepared.tried.tries));
}

/// "right in 14 cases of the assignment".
std::string outcome(const ProgramJudgement& judgement, CaseGroup group, std::string_view where) {
  const auto is_there = [&](const CaseJudgement& of_case) {
    return of_case.prepared->tried.group == group;
  };
  const auto all = std::ranges::count_if(judgement.cases, is_there);
  const auto wrong = std::ranges::count_if(judgement.cases, [&](const CaseJudgement& of_case) {
    return is_there(of_case) && of_case.verdict > Verdict::rounding;
  });
  if (wrong > 0) return fmt::format("WRONG in {} of {}{}\n", wrong, plural(all, "case"), where);
  return fmt::format("right{} in {}{}\n",
                     judgement.verdict(group) == Verdict::rounding ? " up to rounding" : "",
                     plural(all, "case"), where);
}

/// Mistakes that cannot be told apart are alternatives.
std::string text_of(const Suspicion& suspicion) {
  const std::vector<std::string> looks = looks_of(suspicion.mistakes);
  if (looks.empty()) return {};
  return fmt::format("It looks like this: {}.\nThat gives its digits in {} of the {} compared.\n",
                     fmt::join(looks, "; or "), suspicion.cases,
                     plural(static_cast<std::int64_t>(suspicion.compared), "case"));
}

nlohmann::ordered_json number(std::optional<double> value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

nlohmann::ordered_json json_of(const CaseJudgement& judgement) {
  const PreparedCase& prepared = *judgement.prepared;
  return {{"case", prepared.tried.name},
          {"group", name_of(prepared.tried.group)},
          {"edition", static_cast<int>(prepared.tried.edition)},
          {"cells", prepared.tried.cells},
          {"storms", prepared.tried.storms.size()},
          {"kind", word_for(judgement.verdict)},
          {"right", judgement.verdict == Verdict::right},
          {"complaint", judgement.complaint},
          {"distance", number(judgement.distance)},
          {"looks_like", judgement.verdict == Verdict::right ? std::vector<std::string>()
                                                             : names_of(judgement.looks_like)},
          {"time_seconds", number(judgement.time)},
          {"whole_seconds", number(judgement.whole_seconds)},
          {"bombard_seconds", prepared.right.seconds},
          {"sequential_seconds", prepared.sequential.seconds},
          {"sequential_is_estimate", prepared.sequential.is_estimate}};
}

}  // namespace

std::string remarks(const ProgramJudgement& judgement) {
  std::string text = text_of(judgement.suspicion);
  for (const std::string& hint : judgement.hints) text += printable(hint) + '\n';
  if (judgement.failed_build.empty()) return text;
  return text + fmt::format("NOT BUILT: {}\n", printable(judgement.failed_build));
}

std::string mistakes_of(const ProgramJudgement& judgement) {
  return fmt::format("{}", fmt::join(names_of(judgement.suspicion.mistakes), " or "));
}

std::string table(const ProgramJudgement& judgement) {
  std::string text = printable(judgement.program);
  if (judgement.threads) text += fmt::format(", {}", plural(*judgement.threads, "thread"));
  text += "\n\n";
  if (!judgement.failed_build.empty()) return text + remarks(judgement);
  const std::size_t width = std::max<std::size_t>(width_of_names(judgement), 4);
  text += fmt::format(row_format, "case", width, "answer", "Time:", "whole", "bombard",
                      "sequential", "speedup");
  const bool in_groups = judgement.verdict(CaseGroup::assignment).has_value() &&
                         judgement.verdict(CaseGroup::beyond).has_value();
  std::string outcomes = "\n";
  for (const CaseGroup group : {CaseGroup::assignment, CaseGroup::beyond}) {
    if (!judgement.verdict(group)) continue;
    const bool beyond = group == CaseGroup::beyond;
    if (in_groups && beyond) text += "\nbeyond the assignment\n";
    for (const CaseJudgement& of_case : judgement.cases) {
      if (of_case.prepared->tried.group == group) text += row(of_case, width);
    }
    outcomes += outcome(judgement, group,
                        !in_groups ? ""
                        : beyond   ? " beyond it"
                                   : " of the assignment");
  }
  return text + outcomes + remarks(judgement);
}

std::string summary(std::span<const ProgramJudgement> judgements) {
  std::string text = "answer     wrong      seconds  speedup  program\n";
  for (const std::span<const ProgramJudgement> program : by_program(judgements)) {
    Verdict verdict = Verdict::right;
    std::size_t wrong = 0;
    std::string names;
    for (const ProgramJudgement& judgement : program) {
      verdict = std::max(verdict, judgement.verdict());
      wrong += judgement.wrong_cases();
      if (names.empty()) names = mistakes_of(judgement);
    }
    const std::optional<Speed> speed = best_speed(program);
    const bool is_built = program.front().failed_build.empty();
    text += fmt::format(
        "{:<9}  {:>5}  {:>11}  {:>7}  {}{}{}\n", is_built ? answer(verdict) : "NOT BUILT", wrong,
        speed ? seconds(speed->seconds) : "-", speed ? fmt::format("{:.2f}", speed->speedup) : "-",
        printable(program.front().program), names.empty() ? "" : ": ", names);
  }
  return text;
}

std::string json(std::span<const ProgramJudgement> judgements, const Grading& grading) {
  using nlohmann::ordered_json;
  ordered_json programs = ordered_json::array();
  for (const ProgramJudgement& judgement : judgements) {
    ordered_json cases = ordered_json::array();
    for (const CaseJudgement& of_case : judgement.cases) cases.push_back(json_of(of_case));
    const std::optional<Speed> speed = speed_of(judgement);
    programs.push_back({{"program", judgement.program},
                        {"threads", judgement.threads ? ordered_json(*judgement.threads) : nullptr},
                        {"kind", word_for(judgement.verdict())},
                        {"right", judgement.verdict() == Verdict::right},
                        {"failed_build", judgement.failed_build},
                        {"hints", judgement.hints},
                        {"seconds", number(speed ? std::optional(speed->seconds) : std::nullopt)},
                        {"points", grade(std::span(&judgement, 1), grading).earned()},
                        {"speedup", number(speed ? std::optional(speed->speedup) : std::nullopt)},
                        {"looks_like", names_of(judgement.suspicion.mistakes)},
                        {"cases", cases}});
  }
  const ordered_json document{
      {"program", "bombard"}, {"version", build_info.version}, {"programs", programs}};
  constexpr bool only_ascii = false;
  return document.dump(2, ' ', only_ascii, ordered_json::error_handler_t::replace) + '\n';
}

std::string csv(std::span<const ProgramJudgement> judgements, const Grading&) {
  std::string text =
      "program,case,edition,cells,storms,answer,complaint,looks_like,time_seconds,whole_seconds,"
      "bombard_seconds,sequential_seconds,sequential_is_estimate,group,distance,threads\r\n";
  for (const ProgramJudgement& judgement : judgements) {
    const std::vector<std::string> suspicions = names_of(judgement.suspicion.mistakes);
    for (const CaseJudgement& of_case : judgement.cases) {
      const PreparedCase& prepared = *of_case.prepared;
      fmt::format_to(
          std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n",
          csv_field(judgement.program), csv_field(prepared.tried.name),
          static_cast<int>(prepared.tried.edition), prepared.tried.cells,
          prepared.tried.storms.size(), word_for(of_case.verdict), csv_field(of_case.complaint),
          fmt::join(suspicions, " "), of_case.time ? seconds(of_case.time) : "",
          of_case.whole_seconds ? seconds(of_case.whole_seconds) : "",
          seconds(prepared.right.seconds), seconds(prepared.sequential.seconds),
          prepared.sequential.is_estimate, name_of(prepared.tried.group),
          of_case.distance ? fmt::format("{:g}", *of_case.distance) : "",
          judgement.threads ? std::to_string(*judgement.threads) : "");
    }
  }
  return text;
}

}  // namespace bombard::judge
