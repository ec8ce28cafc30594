#include "tools/judge/judgement.hpp"

#include <fmt/format.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "bombard/errors.hpp"
#include "kernels/base/host_memory.hpp"
#include "tools/cli/report.hpp"
#include "tools/cli/signals.hpp"
#include "tools/judge/comparison.hpp"
#include "tools/judge/run_directory.hpp"

namespace bombard::judge {

namespace {

ProcessOutcome run(const std::string& program, const Case& tried, const JudgeOptions& options) {
  const tools::HeldSignals signals;  // what ends this program does so when the directory is gone
  const RunDirectory directory(tried);
  return run_process(options.command.words(program, tried.cells, directory.storms()),
                     directory.work(), options.limits, tools::HeldSignals::has_come);
}

/// "; it says "..."": the last line on standard error, where programs say why they end.
std::string last_words(std::string_view errors) {
  constexpr std::size_t most = 100;
  errors = errors.substr(0, errors.find_last_not_of("\r\n\t ") + 1);
  if (errors.empty()) return {};
  const std::string_view line = errors.substr(errors.find_last_of('\n') + 1);
  return fmt::format("; it says \"{}{}\"", printable(line.substr(0, most)),
                     line.size() > most ? "..." : "");
}

/// Why a program has no answer; empty when it ended well.
std::string complaint_about(const ProcessOutcome& outcome, const Limits& limits) {
  switch (outcome.ending) {
    case Ending::exited:
      if (outcome.code == 0) return {};
      return fmt::format("ends with exit code {}{}", outcome.code, last_words(outcome.errors));
    case Ending::killed:
      if (outcome.code == SIGXFSZ) break;
      return fmt::format("crashes: {} (signal {}){}", ::strsignal(outcome.code), outcome.code,
                         last_words(outcome.errors));
    case Ending::not_started:
      return fmt::format("cannot be started: {}", std::generic_category().message(outcome.code));
    case Ending::out_of_time:
      return fmt::format("has not ended after {:g} s", limits.seconds);
    case Ending::too_much_memory:
      return fmt::format("takes more than {} of memory", gigabytes(limits.memory_bytes));
    case Ending::too_much_output:
      return fmt::format("prints more than {} MiB", limits.output_bytes >> 20);
    case Ending::too_many_bytes_in_files:
      break;
    case Ending::too_many_processes:
      return fmt::format("has more than {} processes", limits.processes);
    case Ending::interrupted:
      return "interrupted";
  }
  return fmt::format("writes more than {} MiB into files", limits.file_bytes >> 20);
}

/// What the end of a run says by itself.
Verdict verdict_on(Ending ending) {
  switch (ending) {
    case Ending::exited:
      return Verdict::right;
    case Ending::out_of_time:
      return Verdict::timeout;
    case Ending::not_started:
    case Ending::interrupted:
      return Verdict::no_answer;
    default:
      return Verdict::crash;
  }
}

// A program that does not end would otherwise take a class's whole afternoon.
constexpr int most_that_hang = 3;

/// One run of a program: its answer, or why there is none.
struct Run {
  Verdict verdict = Verdict::right;  ///< as far as one run shows it
  std::string complaint;
  Answer answer;
  double seconds = 0;
};

Run run_of(const std::string& program, const PreparedCase& prepared, const JudgeOptions& options) {
  const ProcessOutcome outcome = run(program, prepared.tried, options);
  Run run{verdict_on(outcome.ending), complaint_about(outcome, options.limits),
          parse_answer(outcome.output, prepared.tried.storms.size()), outcome.seconds};
  if (run.complaint.empty()) run.complaint = run.answer.trouble;
  if (run.verdict == Verdict::right && !run.complaint.empty()) run.verdict = Verdict::no_answer;
  return run;
}

/// Two runs of one program on one case that print different digits.
std::string race_between(const Run& a, const Run& b) {
  const auto [of_a, of_b] = std::ranges::mismatch(a.answer.maxima, b.answer.maxima);
  if (of_a == a.answer.maxima.end() || of_b == b.answer.maxima.end()) return {};
  return fmt::format(
      "differs from run to run, a race or memory that is not set: storm {}: {} {:f}, then {} {:f}",
      of_a - a.answer.maxima.begin() + 1, of_a->position, of_a->value, of_b->position, of_b->value);
}

/// Runs a program on a case as often as is asked for, or, when it is wrong, often enough to see
/// whether it is wrong in the same way again.
CaseJudgement judge_case(const std::string& program, const PreparedCase& prepared,
                         const JudgeOptions& options) {
  constexpr int runs_that_show_a_race = 3;
  CaseJudgement judgement{.prepared = &prepared};
  Run first;
  int wanted = options.repeat;
  for (int i = 0; i < wanted; ++i) {
    Run next = run_of(program, prepared, options);
    if (next.answer.seconds) {
      judgement.time =
          std::min(judgement.time.value_or(*next.answer.seconds), *next.answer.seconds);
    }
    judgement.whole_seconds =
        std::min(judgement.whole_seconds.value_or(next.seconds), next.seconds);
    if (i < options.repeat) {
      judgement.run_seconds.push_back(next.answer.seconds.value_or(next.seconds));
    }
    if (!next.complaint.empty()) {
      judgement.verdict = next.verdict;
      judgement.complaint = next.complaint;
      return judgement;
    }
    const std::string difference =
        first_difference(prepared.tried, prepared.right, next.answer.maxima, options.tolerance);
    if (i == 0) {
      first = std::move(next);
      judgement.complaint = difference;
      if (!difference.empty()) wanted = std::max(wanted, runs_that_show_a_race);
    } else if (const std::string race = race_between(first, next);
               !race.empty() && !(judgement.complaint.empty() && difference.empty())) {
      judgement.verdict = Verdict::race;
      judgement.complaint = race;
      return judgement;
    }
  }
  judgement.verdict = judgement.complaint.empty() ? Verdict::right : Verdict::wrong;
  judgement.maxima = std::move(first.answer.maxima);
  return judgement;
}

/// The mistakes that give the digits of most cases, and of more than half of the wrong ones.
Suspicion suspicion_of(const std::vector<CaseJudgement>& cases) {
  struct Evidence {
    std::size_t all = 0, wrong = 0;
  };
  std::map<const Mistake*, Evidence> evidence;
  std::size_t compared = 0;
  std::size_t wrong = 0;
  for (const CaseJudgement& judgement : cases) {
    if (!MistakenAnswers::compares(judgement.prepared->tried)) continue;
    ++compared;
    if (judgement.verdict != Verdict::right) ++wrong;
    for (const Mistake* mistake : judgement.looks_like) {
      ++evidence[mistake].all;
      if (judgement.verdict != Verdict::right) ++evidence[mistake].wrong;
    }
  }
  Suspicion suspicion{.compared = compared};
  for (const Mistake& mistake : mistakes()) {
    const Evidence found = evidence[&mistake];
    if (2 * found.wrong <= wrong || found.all < suspicion.cases) continue;
    if (found.all > suspicion.cases) suspicion.mistakes.clear();
    suspicion.cases = found.all;
    suspicion.mistakes.push_back(&mistake);
  }
  return suspicion;
}

/// For a program that is wrong somewhere: which mistakes give its digits, right ones included.
void compare_with_mistakes(ProgramJudgement& judgement, MistakenAnswers& mistaken) {
  for (CaseJudgement& of_case : judgement.cases) {
    if (of_case.maxima.empty()) continue;
    of_case.looks_like = mistaken.that_give(of_case.prepared->tried, of_case.maxima);
  }
  judgement.suspicion = suspicion_of(judgement.cases);
  if (!judgement.suspicion.mistakes.empty()) return;
  for (CaseJudgement& of_case : judgement.cases) {
    if (of_case.verdict == Verdict::right || of_case.maxima.empty()) continue;
    if (!only_roundings_differ(of_case.prepared->right, of_case.maxima)) continue;
    of_case.complaint +=
        "; only roundings differ: another order of the sums, double, FMA or -ffast-math";
  }
}

}  // namespace

std::vector<PreparedCase> prepare(std::vector<Case> cases) {
  std::vector<PreparedCase> prepared;
  for (Case& tried : cases) {
    RightAnswer right = right_answer(tried);
    const SequentialTime sequential = sequential_time(tried);
    prepared.push_back({std::move(tried), std::move(right), sequential});
  }
  return prepared;
}

std::string_view word_for(Verdict verdict) {
  constexpr std::array<std::string_view, 7> words{"right", "rounding", "wrong",    "race",
                                                  "crash", "timeout",  "no_answer"};
  return words.at(static_cast<std::size_t>(verdict));
}

bool passes(Verdict verdict, bool strict) {
  return verdict <= (strict ? Verdict::right : Verdict::rounding);
}

std::optional<Verdict> ProgramJudgement::verdict(CaseGroup group) const {
  std::optional<Verdict> worst;
  for (const CaseJudgement& of_case : cases) {
    if (of_case.prepared->tried.group != group) continue;
    worst = std::max(worst.value_or(Verdict::right), of_case.verdict);
  }
  return worst;
}

Verdict ProgramJudgement::verdict() const {
  if (!failed_build.empty()) return Verdict::no_answer;
  const std::optional<Verdict> of_assignment = verdict(CaseGroup::assignment);
  return of_assignment ? *of_assignment : verdict(CaseGroup::beyond).value_or(Verdict::right);
}

std::size_t ProgramJudgement::wrong_cases() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      cases, [](const CaseJudgement& of_case) { return of_case.verdict > Verdict::rounding; }));
}

ProgramJudgement judge_program(const std::string& program, const std::vector<PreparedCase>& cases,
                               const JudgeOptions& options, MistakenAnswers& mistaken) {
  ProgramJudgement judgement{.program = program};
  int hung = 0;
  for (const PreparedCase& prepared : cases) {
    if (tools::HeldSignals::has_come()) break;
    if (hung == most_that_hang) {
      judgement.cases.push_back(
          {.prepared = &prepared,
           .verdict = Verdict::timeout,
           .complaint = fmt::format("not run: {} cases before it took too long", hung)});
      continue;
    }
    judgement.cases.push_back(judge_case(program, prepared, options));
    if (*judgement.cases.back().whole_seconds >= options.limits.seconds) ++hung;
  }
  if (judgement.wrong_cases() > 0) compare_with_mistakes(judgement, mistaken);
  return judgement;
}

void require_program(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw InputError(fmt::format("{}: there is no such file; give the path of a program", path));
  }
  if (!std::filesystem::is_regular_file(status) || ::access(path.c_str(), X_OK) != 0) {
    throw InputError(fmt::format(
        "{}: is not a program; compile it first, or make the script executable (chmod +x)", path));
  }
}

}  // namespace bombard::judge
