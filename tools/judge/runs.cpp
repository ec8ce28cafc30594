#include "tools/judge/runs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "bombard/errors.hpp"
#include "sim/processor.hpp"

namespace bombard::judge {

namespace {

// Otherwise a program that does not end could take up a class's whole afternoon.
constexpr int most_that_hang = 3;

/// Runs again after a crash: line by line, because a crash loses output; and with larger stacks,
/// which hold the copies of a reduction's array.
void run_again_after_crash(CaseRuns& of_case, const std::string& program, const Options& options) {
  Run& crash = of_case.runs.back();
  Run again = run_on(*of_case.prepared, program, options,
                     {.variables = {"OMP_STACKSIZE=512M"}, .by_lines = true});
  if (crash.signal == SIGSEGV && again.verdict == Verdict::right) {
    crash.complaint +=
        "; with OMP_STACKSIZE=512M it does not: its threads keep arrays on their stacks";
  } else if (again.verdict == Verdict::crash && again.answer.trouble.empty() &&
             !crash.answer.trouble.empty()) {
    crash = std::move(again);
  }
}

/// Shares of a layer that are added without protection are rarely lost, and threads seldom find
/// equal maxima in another order: two threads that wait actively meet most often, and threads that
/// outnumber the cores take turns at any place. Runs that take long show nothing.
void run_crowded(CaseRuns& of_case, const std::string& program, Options options) {
  constexpr double most_seconds = 10;
  options.limits.seconds = std::min(options.limits.seconds, most_seconds);
  const int many = 4 * usable_cores();
  for (const auto& [threads, policy] : {std::pair(2, "active"),
                                        {many, "active"},
                                        {many, "passive"},
                                        {2, "active"},
                                        {2, "active"},
                                        {2, "active"}}) {
    Run run = run_on(*of_case.prepared, program, options,
                     {.variables = {fmt::format("OMP_NUM_THREADS={}", threads),
                                    fmt::format("OMP_WAIT_POLICY={}", policy)}});
    if (run.verdict == Verdict::right) of_case.runs.push_back(std::move(run));
  }
}

bool has_digits_of_a_mistake(const CaseJudgement& judgement) {
  return judgement.verdict == Verdict::wrong &&
         !mistakes_that_give(judgement.maxima, *judgement.prepared).empty();
}

/// `is_mistaken`: the program had the digits of a mistake in an earlier case.
CaseRuns run_case(const std::string& program, const PreparedCase& prepared, const Options& options,
                  bool is_mistaken) {
  constexpr std::size_t runs_that_show_a_race = 3;
  CaseRuns of_case{.prepared = &prepared};
  add_timed_runs(of_case, program, options);
  if (of_case.runs.empty()) of_case.runs.push_back(run_on(prepared, program, options, {}));
  bool may_crowd = prepared.shows_races && options.threads != 1 && !has_launcher(options);
  while (true) {
    const CaseJudgement judgement = judgement_of(of_case, options);
    if (judgement.verdict == Verdict::right) {
      if (!std::exchange(may_crowd, false)) return of_case;
      run_crowded(of_case, program, options);
      continue;
    }
    if (judgement.verdict == Verdict::crash) run_again_after_crash(of_case, program, options);
    if (judgement.verdict >= Verdict::race) return of_case;
    if (is_mistaken && has_digits_of_a_mistake(judgement)) return of_case;
    if (of_case.runs.size() >= runs_that_show_a_race) {
      if (judgement.runs_differ) run_crowded(of_case, program, options);
      return of_case;
    }
    of_case.runs.push_back(run_on(prepared, program, options, {}));
  }
}

double seconds_of(const Run& run) {
  return run.answer.seconds.value_or(run.seconds);
}

/// The baseline is started by itself, whatever starts the programs.
Run run_baseline(const PreparedCase& prepared, Options options) {
  options.command = Options().command;
  const std::string path = std::filesystem::absolute(options.baseline);
  return run_on(prepared, path, options, {.is_timed = true});
}

}  // namespace

void add_timed_runs(CaseRuns& of_case, const std::string& program, const Options& options) {
  const PreparedCase& prepared = *of_case.prepared;
  for (int i = 0; i < options.repeat; ++i) {
    of_case.runs.push_back(run_on(prepared, program, options, {.is_timed = true}));
    if (of_case.runs.back().verdict != Verdict::right) return;
    if (!shows_speed(prepared)) continue;
    of_case.sequential_seconds.push_back(options.baseline.empty()
                                             ? sequential_time(prepared)
                                             : seconds_of(run_baseline(prepared, options)));
  }
}

ProgramRuns run_program(const std::string& program, const std::vector<PreparedCase>& cases,
                        const Options& options) {
  ProgramRuns all{.options = options};
  int hung = 0;
  bool is_mistaken = false;
  std::optional<Run> not_run;  // instead of all that follow
  for (const PreparedCase& prepared : cases) {
    if (not_run) {
      all.cases.push_back({&prepared, {*not_run}});
      continue;
    }
    CaseRuns of_case = run_case(program, prepared, all.options, is_mistaken);
    const auto has_no_answer = [](const Run& run) { return !run.answer.trouble.empty(); };
    const auto other = with_threads_first(options);
    if (all.cases.empty() && other && std::ranges::all_of(of_case.runs, has_no_answer)) {
      CaseRuns of_other = run_case(program, prepared, *other, false);
      if (!has_no_answer(of_other.runs.front())) {
        all.options = *other;
        of_other.runs.front().hints.push_back(
            fmt::format("Without an answer to `{}`, it was started as `{}` (--command).",
                        fmt::join(options.command, " "), fmt::join(other->command, " ")));
        of_case = std::move(of_other);
      } else if (of_case.runs.front().answer.is_of_other_storms) {
        not_run = {Verdict::no_answer,
                   "not run: the first case shows that it takes other arguments"};
      }
    }
    all.cases.push_back(std::move(of_case));
    const CaseJudgement last = judgement_of(all.cases.back(), options);
    is_mistaken |= has_digits_of_a_mistake(last);
    if (last.verdict == Verdict::timeout && ++hung == most_that_hang) {
      not_run = {Verdict::timeout, fmt::format("not run: {} cases before it took too long", hung)};
    }
  }
  return all;
}

void take_baseline(std::vector<PreparedCase>& cases, const Options& options) {
  require_program(options.baseline, {});
  for (PreparedCase& prepared : cases) {
    const CaseRuns of_case{&prepared, {run_baseline(prepared, options)}};
    const CaseJudgement judgement = judgement_of(of_case, options);
    if (judgement.verdict > Verdict::rounding) {
      throw InputError(fmt::format("--baseline {}: is not right in the case {}: {}",
                                   options.baseline, prepared.name, judgement.complaint));
    }
    prepared.sequential_seconds = seconds_of(of_case.runs.front());
    prepared.sequential_is_estimate = false;
  }
}

void require_program(const std::string& path, const Options& options) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw InputError(fmt::format("{}: there is no such file; give the path of a program", path));
  }
  if (!std::filesystem::is_regular_file(status) ||
      (!has_launcher(options) && ::access(path.c_str(), X_OK) != 0)) {
    throw InputError(fmt::format(
        "{}: is not a program; compile it first, or name what runs a script, as in --command "
        "\"python3 {{program}} {{cells}} {{storms}}\"",
        path));
  }
}

}  // namespace bombard::judge
