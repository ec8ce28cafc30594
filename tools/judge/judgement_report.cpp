#include "tools/judge/judgement_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "bombard/errors.hpp"
#include "inputs/csv.hpp"
#include "tools/cli/build_info.hpp"
#include "tools/cli/report.hpp"

namespace bombard::judge {

namespace {

const char* answer(bool is_right) {
  return is_right ? "right" : "WRONG";
}

std::string seconds(std::optional<double> value) {
  return value ? fmt::format("{:.6f}", *value) : "-";
}

/// Each once: a mistake with parts is there for each way to share out cells that are left over.
std::vector<std::string> texts_of(const std::vector<const Mistake*>& mistakes,
                                  std::string Mistake::*text) {
  std::vector<std::string> texts;
  for (const Mistake* mistake : mistakes) {
    if (std::ranges::find(texts, mistake->*text) == texts.end()) texts.push_back(mistake->*text);
  }
  return texts;
}

std::size_t width_of_names(const ProgramJudgement& judgement) {
  std::size_t width = 0;
  for (const CaseJudgement& of_case : judgement.cases) {
    width = std::max(width, of_case.prepared->tried.name.size());
  }
  return width;
}

std::string row(const CaseJudgement& judgement, std::size_t width) {
  const PreparedCase& prepared = *judgement.prepared;
  const std::string sequential = fmt::format("{}{}", prepared.sequential.is_estimate ? "~" : "",
                                             seconds(prepared.sequential.seconds));
  return fmt::format("{:<{}}  {}  {:>11}  {:>11}  {:>11}  {:>11}\n", printable(prepared.tried.name),
                     width, answer(judgement.verdict == Verdict::right), seconds(judgement.time),
                     seconds(judgement.whole_seconds), seconds(prepared.right.seconds), sequential);
}

/// What is wrong, and what the case is for.
std::string explanation(const CaseJudgement& judgement) {
  const std::string& tries = judgement.prepared->tried.tries;
  return fmt::format("    {}\n{}{}{}", printable(judgement.complaint), tries.empty() ? "" : "    (",
                     printable(tries), tries.empty() ? "" : ")\n");
}

/// Mistakes that cannot be told apart are alternatives.
std::string text_of(const Suspicion& suspicion) {
  const std::vector<std::string> looks = texts_of(suspicion.mistakes, &Mistake::looks);
  if (looks.empty()) return {};
  return fmt::format("It looks like this: {}.\nThat gives its digits in {} of the {} compared.\n",
                     fmt::join(looks, "; or "), suspicion.cases,
                     plural(static_cast<std::int64_t>(suspicion.compared), "case"));
}

nlohmann::ordered_json json_of(const CaseJudgement& judgement) {
  const PreparedCase& prepared = *judgement.prepared;
  const auto number = [](std::optional<double> value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  return {{"case", prepared.tried.name},
          {"edition", static_cast<int>(prepared.tried.edition)},
          {"cells", prepared.tried.cells},
          {"storms", prepared.tried.storms.size()},
          {"right", judgement.verdict == Verdict::right},
          {"complaint", judgement.complaint},
          {"looks_like", judgement.verdict == Verdict::right
                             ? std::vector<std::string>()
                             : texts_of(judgement.looks_like, &Mistake::name)},
          {"time_seconds", number(judgement.time)},
          {"whole_seconds", number(judgement.whole_seconds)},
          {"bombard_seconds", prepared.right.seconds},
          {"sequential_seconds", prepared.sequential.seconds},
          {"sequential_is_estimate", prepared.sequential.is_estimate}};
}

}  // namespace

JudgementFormat parse_judgement_format(const std::string& text) {
  if (text == "table") return JudgementFormat::table;
  if (text == "json") return JudgementFormat::json;
  if (text == "csv") return JudgementFormat::csv;
  throw InputError(fmt::format("--format \"{}\" is not a format; it is table, json or csv", text));
}

std::string table(const ProgramJudgement& judgement) {
  const std::size_t width = std::max<std::size_t>(width_of_names(judgement), 4);
  std::string text = fmt::format("{}\n\n{:<{}}  answer  {:>10}  {:>11}  {:>11}  {:>11}\n",
                                 printable(judgement.program), "case", width, "Time:", "whole",
                                 "bombard", "sequential");
  std::string_view explained;  // what goes wrong in all cases in the same way is said once
  for (const CaseJudgement& of_case : judgement.cases) {
    text += row(of_case, width);
    if (of_case.verdict != Verdict::right && of_case.complaint != explained)
      text += explanation(of_case);
    explained = of_case.complaint;
  }
  const auto all = static_cast<std::int64_t>(judgement.cases.size());
  const std::size_t wrong = judgement.wrong_cases();
  text += wrong == 0 ? fmt::format("\nright in {}\n", plural(all, "case"))
                     : fmt::format("\nWRONG in {} of {}\n", wrong, plural(all, "case"));
  return text + text_of(judgement.suspicion);
}

std::string summary(std::span<const ProgramJudgement> judgements) {
  std::string text = "answer  wrong  program\n";
  for (const ProgramJudgement& judgement : judgements) {
    const std::size_t wrong = judgement.wrong_cases();
    const std::vector<std::string> names = texts_of(judgement.suspicion.mistakes, &Mistake::name);
    text += fmt::format("{:<6}  {:>5}  {}{}{}\n", answer(wrong == 0), wrong,
                        printable(judgement.program), names.empty() ? "" : ": ",
                        fmt::join(names, " or "));
  }
  return text;
}

std::string json(std::span<const ProgramJudgement> judgements) {
  using nlohmann::ordered_json;
  ordered_json programs = ordered_json::array();
  for (const ProgramJudgement& judgement : judgements) {
    ordered_json cases = ordered_json::array();
    for (const CaseJudgement& of_case : judgement.cases) cases.push_back(json_of(of_case));
    programs.push_back({{"program", judgement.program},
                        {"right", judgement.wrong_cases() == 0},
                        {"looks_like", texts_of(judgement.suspicion.mistakes, &Mistake::name)},
                        {"cases", cases}});
  }
  const ordered_json document{
      {"program", "bombard"}, {"version", build_info.version}, {"programs", programs}};
  constexpr bool only_ascii = false;
  return document.dump(2, ' ', only_ascii, ordered_json::error_handler_t::replace) + '\n';
}

std::string csv(std::span<const ProgramJudgement> judgements) {
  std::string text =
      "program,case,edition,cells,storms,answer,complaint,looks_like,time_seconds,whole_seconds,"
      "bombard_seconds,sequential_seconds,sequential_is_estimate\r\n";
  for (const ProgramJudgement& judgement : judgements) {
    const std::vector<std::string> suspicions =
        texts_of(judgement.suspicion.mistakes, &Mistake::name);
    for (const CaseJudgement& of_case : judgement.cases) {
      const PreparedCase& prepared = *of_case.prepared;
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n",
                     csv_field(judgement.program), csv_field(prepared.tried.name),
                     static_cast<int>(prepared.tried.edition), prepared.tried.cells,
                     prepared.tried.storms.size(),
                     of_case.verdict == Verdict::right ? "right" : "wrong",
                     csv_field(of_case.complaint), fmt::join(suspicions, " "),
                     of_case.time ? seconds(of_case.time) : "",
                     of_case.whole_seconds ? seconds(of_case.whole_seconds) : "",
                     seconds(prepared.right.seconds), seconds(prepared.sequential.seconds),
                     prepared.sequential.is_estimate);
    }
  }
  return text;
}

}  // namespace bombard::judge
