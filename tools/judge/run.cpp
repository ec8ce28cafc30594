#include "tools/judge/run.hpp"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "tools/cli/reports/report.hpp"
#include "tools/cli/signals.hpp"
#include "tools/judge/run_directory.hpp"

namespace bombard::judge {

namespace {

/// Lines that say something, without a launcher's own words between rows of dashes.
std::vector<std::string_view> lines_of(std::string_view text, bool with_launcher) {
  std::vector<std::string_view> lines;
  bool is_launcher = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const bool says = std::ranges::any_of(line, [](unsigned char c) { return std::isalpha(c); });
    const bool is_row = line.starts_with("-----") && !says;
    if (is_row) is_launcher = !is_launcher;
    if (says && (with_launcher || !is_launcher)) lines.push_back(line);
  }
  return lines;
}

/// "; it says "..."": the last line on standard error that names an error, else the last one that
/// says something, or the launcher's first one.
std::string last_words(const std::string& errors) {
  constexpr std::size_t most = 100;
  std::string_view line;
  bool is_error = false;
  for (const std::string_view next : lines_of(errors, false)) {
    const bool names_error = next.find("rror") != std::string_view::npos;
    if (is_error && !names_error) continue;
    line = next;
    is_error = names_error;
  }
  if (line.empty()) {
    const std::vector<std::string_view> all = lines_of(errors, true);
    if (all.empty()) return {};
    line = all.front();
  }
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return fmt::format("; it says \"{}{}\"", printable(line.substr(0, most)),
                     line.size() > most ? "..." : "");
}

/// A launcher and a shell hand the signal on that ended a program, as an exit code.
int signal_of(const ProcessOutcome& outcome) {
  constexpr int shells_offset = 128;
  if (outcome.ending == Ending::killed) return outcome.code;
  const int signal = outcome.ending == Ending::exited ? outcome.code - shells_offset : 0;
  const bool crashes = signal == SIGSEGV || signal == SIGABRT || signal == SIGBUS ||
                       signal == SIGFPE || signal == SIGILL;
  return crashes ? signal : 0;
}

/// The verdict on a run that was ended, or that crashed, and why; none when it came to its own end.
std::pair<Verdict, std::string> early_end(const ProcessOutcome& outcome, const Limits& limits) {
  switch (outcome.ending) {
    case Ending::not_started:
      return {Verdict::no_answer,
              fmt::format("cannot be started: {}", std::generic_category().message(outcome.code))};
    case Ending::out_of_time:
      return {Verdict::timeout, fmt::format("has not ended after {:g} s", limits.seconds)};
    case Ending::over_limit:
      return {Verdict::crash, outcome.excess};
    case Ending::interrupted:
      return {Verdict::no_answer, "interrupted"};
    default:
      const int signal = signal_of(outcome);
      if (signal == 0) return {Verdict::right, ""};
      return {Verdict::crash, fmt::format("crashes: {} (signal {}){}", ::strsignal(signal), signal,
                                          last_words(outcome.errors))};
  }
}

/// A hint about an exit code that is not 0 although there is an answer.
std::string hint_about_exit(const ProcessOutcome& outcome) {
  // Open MPI says so, in these words, of a process that has called MPI_Init.
  if (outcome.errors.find("without calling \"finalize\"") != std::string::npos) {
    return "MPI_Finalize is missing: Open MPI may lose output.";
  }
  return fmt::format("It ends with exit code {} although it has an answer{}.", outcome.code,
                     last_words(outcome.errors));
}

void check_time(Run& run) {
  const std::optional<double> seconds = run.answer.seconds;
  if (!seconds) return;
  const char* const problem = std::isnan(*seconds) ? "is no number"
                              : *seconds < 0       ? "is negative"
                              : *seconds > run.seconds
                                  ? "is larger than the time of its whole process"
                                  : nullptr;
  if (problem == nullptr) return;
  run.hints.push_back(fmt::format("Its Time: {} {}; it does not count.", *seconds, problem));
  run.answer.seconds.reset();
}

}  // namespace

std::string failure_of(const ProcessOutcome& outcome, const Limits& limits) {
  std::string failure = early_end(outcome, limits).second;
  if (!failure.empty() || outcome.code == 0) return failure;
  return fmt::format("ends with exit code {}{}", outcome.code, last_words(outcome.errors));
}

Run run_on(const Case& tried, const std::string& program, const Options& options, bool timed) {
  const tools::HeldSignals signals;  // what ends this program does so when the directory is gone
  ScratchDirectory directory;
  const std::string work = directory.path() + "/work";
  std::filesystem::create_directory(work);
  const std::vector<std::string> storms = write_storms(tried, directory.path());
  const ProcessOutcome outcome = run_process(command_of(program, tried.cells, storms, options),
                                             work, options.limits, variables_of(options, timed));
  Run run{.answer = parse_answer(outcome.output, tried.storms.size()), .seconds = outcome.seconds};
  std::tie(run.verdict, run.complaint) = early_end(outcome, options.limits);
  if (run.verdict != Verdict::right) {
    if (run.answer.trouble.empty()) run.complaint += "; it had printed its answer before";
  } else if (!run.answer.trouble.empty()) {
    run.verdict = Verdict::no_answer;
    run.complaint = outcome.code == 0 ? run.answer.trouble : failure_of(outcome, options.limits);
  } else if (outcome.code != 0) {
    run.hints.push_back(hint_about_exit(outcome));
  }
  if (run.answer.is_of_other_storms) {
    run.hints.push_back(
        fmt::format("It may take its arguments for something else: it is started as `PROGRAM {}`. "
                    "--arguments \"{{threads}} {{cells}} {{storms}}\" starts it with a number of "
                    "threads.",
                    fmt::join(options.arguments, " ")));
  }
  check_time(run);
  const std::string left = directory.remove();
  if (!left.empty()) run.hints.push_back(left);
  return run;
}

}  // namespace bombard::judge
