#include "tools/judge/run.hpp"

#include <fmt/format.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>
#include <system_error>

#include "bombard/errors.hpp"
#include "inputs/token.hpp"
#include "sim/processor.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/judge/program_file.hpp"

namespace bombard::judge {

namespace {

/// Writes the storms of a case into a directory, and returns the paths of their files. They need
/// not wait for the disk, as those of write_storm() do.
std::vector<std::string> write_storms(const Case& tried, const std::string& directory) {
  std::vector<std::string> paths;
  for (const Storm& storm : tried.storms) {
    paths.push_back(directory + '/' + storm_file_name(paths.size() + 1, tried.storms.size()));
    std::ofstream file(paths.back());
    file << storm.impacts.size() << '\n';
    for (const auto& [position, energy] : storm.impacts) file << position << ' ' << energy << '\n';
    if (!file.flush()) {
      throw InputError(fmt::format("{}: {}", paths.back(), std::generic_category().message(errno)));
    }
  }
  return paths;
}

/// How much a line on standard error says of the cause.
int telling(const std::string& line) {
  const auto has = [&](const char* words) { return line.find(words) != std::string::npos; };
  if (has("MPI_ERR_") || has("undefined reference") || has("rror:")) return 3;
  if (has("not found") || has("No rule")) return 2;  // before make says Error 127
  if (has("rror") && !has("End of error message")) return 2;
  return std::ranges::any_of(line, [](unsigned char c) { return std::isalpha(c); }) ? 1 : 0;
}

/// "; it says "..."": the first of the lines that say most. What a launcher says comes after the
/// words of the program.
std::string first_words(const std::string& errors) {
  constexpr std::size_t most = 100;
  std::istringstream lines(errors);
  std::string words;
  int most_telling = 0;
  for (std::string line; std::getline(lines, line);) {
    const int tells = telling(line);
    if (tells <= most_telling) continue;
    most_telling = tells;
    words = line;
  }
  if (words.empty()) return {};
  words.erase(0, words.find_first_not_of(" \t"));
  return fmt::format("; it says \"{}{}\"", printable(words.substr(0, most)),
                     words.size() > most ? "..." : "");
}

/// A launcher and a shell pass on the signal that ended a program, as an exit code.
int signal_of(const ProcessOutcome& outcome) {
  constexpr int shells_offset = 128;
  if (outcome.ending == Ending::killed) return outcome.code;
  const int signal = outcome.ending == Ending::exited ? outcome.code - shells_offset : 0;
  const bool crashes = signal == SIGSEGV || signal == SIGABRT || signal == SIGBUS ||
                       signal == SIGFPE || signal == SIGILL;
  return crashes ? signal : 0;
}

/// Why a process failed, and a cause that the system does not tell: it says "No such file" of a
/// script that is there. Shells and launchers pass that on as an exit code.
std::string failure_of(const ProcessOutcome& outcome, const std::string& program) {
  constexpr int cannot_execute = 126, not_found = 127;
  const bool is_failed_start = outcome.ending == Ending::not_started ||
                               outcome.code == cannot_execute || outcome.code == not_found;
  const std::string trouble = is_failed_start ? trouble_of_interpreter(program) : "";
  return failure_of(outcome) + (trouble.empty() ? "" : "; " + trouble);
}

/// A hint about an exit code that is not 0 although there is an answer.
std::string hint_about_exit(const ProcessOutcome& outcome) {
  // Open MPI says this, in these words, of a process that has called MPI_Init.
  if (outcome.errors.find("without calling \"finalize\"") != std::string::npos) {
    return "MPI_Finalize is missing: Open MPI may lose output.";
  }
  return fmt::format("It ends with exit code {} although it has an answer{}.", outcome.code,
                     first_words(outcome.errors));
}

/// Takes the whole process where there is no time to be trusted. One of 0 shows no speed.
void check_time(Run& run, bool counts_speed) {
  std::optional<double>& seconds = run.answer.seconds;
  const bool is_right =
      seconds && (*seconds > 0 || (*seconds == 0 && !counts_speed)) && *seconds <= run.seconds;
  if (run.answer.time && !is_right) {
    run.hints["time"] = fmt::format(
        "Its Time: {} is not a number of seconds above 0, as 0.0125, and up to the {:.2g} of its "
        "whole process, which are taken instead.",
        in_quotes(*run.answer.time), run.seconds);
    seconds.reset();
  }
  if (!run.answer.not_the_time.empty()) {
    run.hints["looks like time"] =
        fmt::format("{} looks like its time but is not: Time: SECONDS is read.",
                    in_quotes(run.answer.not_the_time));
  }
}

/// What keeps a launcher's processes from having more threads on more cores, by what each of them
/// printed: its number of threads, and of cores.
std::string trouble_with_threads(const ProcessOutcome& outcome, int threads) {
  std::istringstream words(outcome.output);
  if (outcome.ending != Ending::exited || outcome.code != 0) return "fails with other threads";
  for (int number = 0, cores = 0; words >> number >> cores;) {
    if (number != threads) return "sets the number of threads itself";
    if (cores < usable_cores()) {
      return fmt::format("binds a process to {} of {} cores", cores, usable_cores());
    }
  }
  return {};
}

}  // namespace

std::string storm_file_name(std::size_t number, std::size_t storms) {
  return fmt::format("storm_{:0{}}.txt", number, std::to_string(storms).size());
}

std::string failure_of(const ProcessOutcome& outcome) {
  if (outcome.ending == Ending::not_started) {
    return fmt::format("cannot be started: {}", std::generic_category().message(outcome.code));
  }
  if (!outcome.excess.empty() || outcome.code == 0) return outcome.excess;
  const int signal = signal_of(outcome);
  return (signal == 0 ? fmt::format("ends with exit code {}", outcome.code)
                      : fmt::format("crashes: {} (signal {})", ::strsignal(signal), signal)) +
         first_words(outcome.errors);
}

ProcessOutcome run_words(const std::vector<std::string>& words, const ScratchDirectory& directory,
                         const Options& options, const Environment& environment) {
  Process process{words, directory, options.limits, environment, options.system};
  if (process.confinement) {
    process.confinement->readable.push_back(options.scratch->path());
    process.confinement->writable.push_back(directory.work());
  }
  return run_process(process);
}

Run run_on(const PreparedCase& tried, const std::string& program, const Options& options,
           const Start& start) {
  const ScratchDirectory directory(*options.scratch);
  const std::vector<std::string> storms = write_storms(tried, directory.path());
  const ProcessOutcome outcome = run_words(command_of(program, tried.cells, storms, options, start),
                                           directory, options, environment_of(options, start));
  if (::access(directory.path().c_str(), F_OK) != 0) {
    const std::string removed =
        fmt::format("{} was removed while a program ran there", directory.path());
    if (!options.system || !no_confinement_because().empty()) return {Verdict::crash, removed};
    throw InputError(
        fmt::format("{}, by another process; name another directory in TMPDIR", removed));
  }
  Run run{.answer = parse_answer(outcome.output, tried.storms.size()),
          .seconds = outcome.seconds,
          .is_timed = start.is_timed};
  const std::string failure = failure_of(outcome, program);
  if (outcome.ending == Ending::not_started) return {Verdict::no_answer, failure};
  if (outcome.ending == Ending::out_of_time) {
    run.verdict = Verdict::timeout;
  } else if (outcome.ending != Ending::exited || signal_of(outcome) != 0) {
    run.verdict = Verdict::crash;
  }
  if (run.verdict != Verdict::right) {
    run.complaint = failure;
    if (run.answer.trouble.empty()) run.complaint += "; it had printed its answer before";
  } else if (!run.answer.trouble.empty()) {
    run.verdict = Verdict::no_answer;
    run.complaint = failure.empty() ? run.answer.trouble : failure;
  } else if (!failure.empty()) {
    run.hints["exit code"] = hint_about_exit(outcome);
  }
  check_time(run, tried.counts_speed);
  return run;
}

std::string try_launcher(const std::string& program, const Options& options) {
  if (!has_launcher(options) || is_script(program)) return {};
  Options alone = options;
  alone.command.erase(std::ranges::find(alone.command, "{program}") + 1, alone.command.end());
  alone.limits.seconds = Limits().seconds;
  const ScratchDirectory directory(*options.scratch);
  const auto run = [&](std::vector<std::string> words, const Start& start) {
    return run_words(words, directory, alone, environment_of(alone, start));
  };
  std::vector<std::string> words = command_of("true", 1, {}, alone, {});
  const std::string failure = failure_of(run(words, {.is_timed = true}));
  if (failure.empty()) {
    constexpr int threads = 3;
    words.back() = "sh";
    words.insert(words.end(),
                 {"-c", "echo $OMP_NUM_THREADS $(OMP_NUM_THREADS= OMP_THREAD_LIMIT= nproc)"});
    return trouble_with_threads(run(words, {.threads = threads}), threads);
  }
  throw InputError(
      fmt::format("`{}` {}; so no program was judged; Open MPI runs as root, and with more "
                  "processes than there "
                  "are cores, after `mpirun --allow-run-as-root --oversubscribe`",
                  fmt::join(words, " "), failure));
}

}  // namespace bombard::judge
