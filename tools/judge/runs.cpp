#include "tools/judge/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/processor.hpp"

namespace bombard::judge {

namespace {

// Otherwise a program that does not end could take up a class's whole afternoon.
constexpr int most_that_hang = 3;

bool is_needed(const PlannedRun& planned, const CaseRuns& of_case, const Options& options) {
  if (of_case.runs.empty()) return true;
  if (planned.start.is_timed) return of_case.runs.back().verdict == Verdict::right;
  const CaseJudgement judgement = judgement_of(of_case, options);
  if (std::ranges::count(planned.after, judgement.verdict) == 0) return false;
  return judgement.verdict == Verdict::right || !planned.start.threads || judgement.facts.differ;
}

CaseRuns run_case(const std::string& program, const PreparedCase& prepared,
                  const Options& options) {
  constexpr double most_seconds_of_a_crowd = 10;
  Options in_a_crowd = options;
  in_a_crowd.limits.seconds = std::min(options.limits.seconds, most_seconds_of_a_crowd);
  CaseRuns of_case{.prepared = &prepared};
  for (const PlannedRun& planned : plan_of_runs(prepared, options)) {
    if (!is_needed(planned, of_case, options)) continue;
    const bool is_of_a_crowd = planned.start.threads.has_value();
    Run run = run_on(prepared, program, is_of_a_crowd ? in_a_crowd : options, planned.start);
    if (is_of_a_crowd && run.verdict != Verdict::right) continue;  // that shows nothing
    if (!of_case.runs.empty() && of_case.runs.back().verdict > Verdict::race) {
      const Run& last = of_case.runs.back();
      if (run.verdict == last.verdict) continue;
      if (last.verdict == Verdict::timeout && run.verdict == Verdict::right) {
        run.hints["timeout"] = fmt::format(
            "It {}, but ended when its threads waited passively: that run counts, without a speed. "
            "Other work on this machine, or more threads than cores, may be the reason.",
            last.complaint);
      }
      of_case.runs.pop_back();
    }
    of_case.runs.push_back(std::move(run));
    const bool is_right = of_case.runs.back().verdict == Verdict::right;
    if (planned.start.is_timed && is_right && shows_speed(prepared)) {
      of_case.sequential_seconds.push_back(sequential_time(prepared));
    }
  }
  return of_case;
}

}  // namespace

std::vector<PlannedRun> plan_of_runs(const PreparedCase& prepared, const Options& options) {
  constexpr int runs_that_show_a_race = 3;
  const std::vector<Verdict> others{Verdict::rounding, Verdict::wrong};
  std::vector<PlannedRun> plan(static_cast<std::size_t>(options.repeat), {{.is_timed = true}});
  // Beside other work, threads that wait actively take for ever.
  plan.push_back({{}, {Verdict::timeout}});
  // A launcher may have put one process's line into another's.
  if (has_launcher(options)) plan.push_back({{}, {Verdict::no_answer}});
  // Shares of a layer that are added without protection are rarely lost, and threads seldom find
  // equal maxima in another order: two threads that wait actively meet most often, and threads that
  // outnumber the cores take turns at any place.
  const auto add_crowd = [&plan, many = 4 * usable_cores()](const std::vector<Verdict>& after) {
    for (const auto& [threads, actively] :
         {std::pair(2, true), {many, true}, {many, false}, {2, true}, {2, true}, {2, true}}) {
      plan.push_back({{.threads = threads, .waits_actively = actively}, after});
    }
  };
  if (prepared.shows_races && options.threads != 1) add_crowd({Verdict::right});
  for (int i = options.repeat; i < runs_that_show_a_race; ++i) plan.push_back({{}, others});
  add_crowd(others);
  return plan;
}

ProgramRuns run_program(const std::string& program, const std::string& trouble,
                        const std::vector<PreparedCase>& cases, const Options& options) {
  ProgramRuns all{.options = options};
  int hung = 0;
  std::optional<Run> not_run;  // instead of all that follow
  if (!trouble.empty()) not_run = {Verdict::no_answer, trouble};
  for (const PreparedCase& prepared : cases) {
    if (not_run) {
      all.cases.push_back({&prepared, {*not_run}});
      continue;
    }
    CaseRuns of_case = run_case(program, prepared, options);
    Run& first = of_case.runs.front();
    if (!options.hidden_races.empty() && prepared.shows_races && options.threads != 1) {
      first.hints["hidden races"] =
          fmt::format("Its launcher {}: races between threads may not show.", options.hidden_races);
    }
    all.cases.push_back(std::move(of_case));
    const bool hangs = all.cases.back().runs.back().verdict == Verdict::timeout;
    if (hangs && ++hung == most_that_hang) {
      not_run = {Verdict::timeout, fmt::format("not run: {} cases before it took too long", hung)};
    }
  }
  const bool has_no_answer = std::ranges::all_of(all.cases, [](const CaseRuns& of_case) {
    return of_case.runs.front().verdict == Verdict::no_answer;
  });
  if (trouble.empty() && has_no_answer && options.command == Options().command) {
    all.cases.front().runs.front().hints["arguments"] =
        "It is started as `{program} {cells} {storms}`; if it takes other arguments, --command "
        "names them, as in --command \"{program} {threads} {cells} {storms}\".";
  }
  return all;
}

}  // namespace bombard::judge
