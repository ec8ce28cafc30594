#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bombard/errors.hpp"
#include "bombard/words.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/timer.hpp"
#include "sim/processor.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/cli/signals.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"
#include "tools/judge/case_directory.hpp"
#include "tools/judge/judgement.hpp"
#include "tools/judge/reports/formats.hpp"
#include "tools/judge/reports/ranking.hpp"
#include "tools/judge/runs.hpp"

namespace bombard::tools {

namespace {

/// Options that went, and what says the same now.
const std::vector<Option>& former_options() {
  static const std::vector<Option> all{
      {"launcher", "WORDS", "--command \"WORDS {program} {cells} {storms}\""},
      {"arguments", "WORDS", "--command \"{program} WORDS\""},
      {"environment", "TEXT", "--command \"env NAME=VALUE {program} {cells} {storms}\""},
      {"absolute-tolerance", "A", "--tolerance \"A absolute\""},
      {"strict", "", "--tolerance 0"}};
  return all;
}

void refuse_former_options(const Arguments& given) {
  for (const Option& option : former_options()) {
    if (!given.has(option.name)) continue;
    throw InputError(fmt::format("--{} is gone: {}", option.name, option.help));
  }
}

/// The numbers of `--threads`.
std::vector<std::optional<int>> numbers_of_threads(const std::string& text) {
  constexpr int most_threads = 1 << 20;
  std::vector<std::optional<int>> threads;
  for (const std::string& number : parts_of(text, ',')) {
    threads.push_back(static_cast<int>(whole_number(number, "--threads", 1, most_threads)));
  }
  if (threads.empty()) throw InputError("--threads \"\" is no list of numbers, as 1,2,4");
  return threads;
}

judge::Options options_of(const Arguments& given) {
  constexpr int most_runs = 1'000'000;
  constexpr int most_jobs = 1024;
  judge::Options options;
  options.command = judge::command_words(given.text("command"));
  if (const auto tolerance = given.given("tolerance")) {
    judge::take_tolerance(*tolerance, options);
  }
  options.baseline = given.given("baseline").value_or("");
  options.repeat = static_cast<int>(given.number("repeat", 1, most_runs));
  options.limits.seconds = given.real("timeout", true);
  options.limits.memory_bytes =
      given.has("memory") ? given.number("memory", 1) : available_host_memory() / 4 * 3;
  if (const auto list = given.given("threads")) {
    options.numbers_of_threads = numbers_of_threads(*list);
  }
  options.jobs = static_cast<int>(given.number("jobs", 1, most_jobs));
  options.build = given.given("build").value_or("");
  if (options.build.empty() && given.has("build")) {
    throw InputError("--build \"\" is no command");
  }
  const std::optional<int> most_threads = *std::ranges::max_element(options.numbers_of_threads);
  options.full_speedup = std::max(most_threads.value_or(usable_cores()), 2);
  judge::take_points(given.text("points"), options);
  return options;
}

std::vector<judge::Case> cases_of(const std::string& which, std::optional<Edition> edition) {
  const Edition of_all = edition.value_or(Edition::second);
  if (which != "quick" && which != "all") return judge::read_cases(which, edition);
  std::vector<judge::Case> cases = judge::quick_cases(of_all);
  if (which == "all") {
    for (judge::Case& large : judge::large_cases(of_all)) cases.push_back(std::move(large));
  }
  return cases;
}

/// With `--build`, a folder stands for the program in it that the command's last word names.
std::vector<std::string> programs_of(const Arguments& given, const judge::Options& options) {
  std::vector<std::string> programs = given.words();
  const std::vector<std::string> build = parts_of(options.build, ' ');
  for (std::string& program : programs) {
    if (build.empty()) judge::require_program(program, options);
    if (build.empty() || !std::filesystem::is_directory(program)) continue;
    program = (std::filesystem::path(program) / build.back()).string();
  }
  return programs;
}

using Writer = std::string (*)(const std::vector<judge::ProgramJudgement>&, const judge::Options&);

struct FormatOfJudge {
  std::string word;
  Writer writer;  ///< writes when all programs are judged; null for the table
};

const std::vector<FormatOfJudge>& formats_of_judge() {
  static const std::vector<FormatOfJudge> all{
      {"table", nullptr},      {"json", judge::json},
      {"csv", judge::csv},     {"gradescope", judge::gradescope},
      {"junit", judge::junit}, {"classroom", judge::classroom},
      {"vpl", judge::vpl},     {"line", judge::line}};
  return all;
}

/// Whether all programs are right. Tables are written as soon as their program is judged, other
/// formats at the end. A signal ends the work; the programs judged before are written.
bool judge_all(const std::vector<std::string>& programs,
               const std::vector<judge::PreparedCase>& cases, const judge::Options& options,
               Writer writer, std::optional<judge::Ranking> ranking, bool quiet) {
  std::vector<judge::ProgramJudgement> all;
  std::string summary = judge::head_of_summary;
  ProgressLine line(programs.size() > 1 && !quiet);
  const WallTimer timer;
  const auto progress = [&](std::size_t done) {
    const double left =
        timer.seconds() / static_cast<double>(done) * static_cast<double>(programs.size() - done);
    line.show(fmt::format("{} of {} programs judged, {} left", done, programs.size(),
                          duration_text(left)),
              timer.seconds(), left);
  };
  const auto judged = [&](const std::vector<judge::ProgramJudgement>& judgements) {
    const judge::Standing standing = judge::standing_of(judgements, options);
    line.wipe();
    if (writer == nullptr) print((all.empty() ? "" : "\n") + judge::tables(judgements));
    if (ranking) ranking->add(standing);
    summary += judge::summary_line(standing);
    all.insert(all.end(), judgements.begin(), judgements.end());
  };
  judge::judge_class(programs, cases, options, progress, judged);
  line.wipe();
  if (writer != nullptr) print(writer(all, options));
  if (writer == nullptr && programs.size() > 1) print('\n' + summary);
  return std::ranges::all_of(
      all, [&](const auto& program) { return judge::passes(program.verdict, options); });
}

std::optional<judge::Ranking> ranking_of(const Arguments& given, const Provenance& provenance,
                                         const std::vector<std::string>& programs) {
  const auto page = given.given("ranking");
  const auto names = given.given("names");
  if (names && !page) throw InputError("--names is for the page of --ranking; name that, too");
  if (!page) return {};
  std::map<std::string, std::string> of_programs;
  if (names) of_programs = judge::read_names(*names);
  for (const std::string& program : judge::names_without_program(of_programs, programs)) {
    fmt::print(stderr, "bombard: {}: {} is not among the programs\n", *names, printable(program));
  }
  double load = 0;
  if (::getloadavg(&load, 1) != 1) load = 0;
  return judge::Ranking(*page, std::move(of_programs),
                        {{"date", provenance.date},
                         {"machine", provenance.host},
                         {"cores", usable_cores()},
                         {"load", fmt::format("{:.1f}", load)},
                         {"commit", provenance.commit}});
}

int judge_programs(const Arguments& given) {
  refuse_former_options(given);
  judge::Options wanted = options_of(given);
  const std::vector<std::string> programs = programs_of(given, wanted);
  const auto kept = given.given("keep");
  if (programs.empty() && !kept) {
    throw InputError("PROGRAM is missing; " + given.see_help());
  }
  const Writer writer =
      std::ranges::find(formats_of_judge(), given.word("format"), &FormatOfJudge::word)->writer;
  std::optional<judge::Ranking> ranking = ranking_of(given, provenance(given.command()), programs);
  const std::string which = given.text("cases");
  std::optional<Edition> edition;
  if (const auto word = given.given("edition")) edition = parse_edition(*word);

  std::vector<judge::PreparedCase> cases = judge::prepare(cases_of(which, edition));
  for (const judge::PreparedCase& prepared : cases) {
    if (kept) {
      keep_case(prepared, *kept);
    } else if (which != "quick" && which != "all") {
      check_kept_result(prepared, which);
    }
  }
  if (programs.empty()) return 0;
  const HeldSignals signals(Held::all);
  if (!given.has("no-confinement")) {
    const std::string trouble = judge::no_confinement_because();
    wanted.confined = trouble.empty();
    wanted.confinement = wanted.confined ? "confined" : "not confined: " + trouble;
    if (!std::filesystem::exists("/proc/self/status")) {
      wanted.confinement += "; without /proc the memory and the processes it takes are not seen";
    }
    wanted.hidden = programs;
    if (which != "quick" && which != "all") wanted.hidden.push_back(which);
  }
  judge::Options first = wanted;
  first.threads = wanted.numbers_of_threads.front();
  judge::try_launcher(programs.front(), first);
  if (!wanted.baseline.empty()) judge::take_baseline(cases, wanted);
  return judge_all(programs, cases, wanted, writer, std::move(ranking), given.has("quiet")) ? 0 : 1;
}

}  // namespace

Subcommand judge_subcommand() {
  std::string words;
  for (const FormatOfJudge& format : formats_of_judge()) {
    words += (words.empty() ? "" : "|") + format.word;
  }
  return {
      .name = "judge",
      .arguments = "PROGRAM...",
      .summary = "is a program of the assignment right, and how quick",
      .about =
          "Runs programs of the assignment, `PROGRAM CELLS STORM...`, and tells whether they print "
          "the right digits, what is wrong with them if not, and how long they take beside bombard "
          "and beside the sequential program. A program must print one line `Result: POSITION "
          "MAXIMUM ...`; its line `Time: SECONDS` is read if it is there.\n"
          "Each run has an empty directory, limits of time, memory, output and files, and is "
          "killed with all that it started. Where the kernel has Landlock it reads and executes no "
          "more than the system and its own folder, and writes to its run's directory alone "
          "(docs/judging.md).\n"
          "The exit code is 0 when all programs are right in the assignment's cases, if only up "
          "to rounding, and 1 when one is not.",
      .examples =
          "  bombard judge ./energy_storms\n"
          "  bombard judge ./energy_storms --cases all --repeat 3\n"
          "  bombard judge ./mpi --command \"mpirun -n 4 {program} {cells} {storms}\"\n"
          "  bombard judge class/*/energy_storms --ranking class.html\n"
          "  bombard judge --keep cases            the cases, with the right answers\n",
      .groups =
          {{"Judge",
            {{"cases", "quick|all|DIR", "all: with large ones; DIR: a directory of your own cases",
              "quick"},
             {"edition", "1|2",
              "The edition of the assignment: 2 (2018 and later, the default) or 1 (2017/18)"},
             {"tolerance", "R",
              "Maxima may be off by this part of the right ones, or by a number, as \"1e-4 "
              "absolute\"; else by what the order of a sum explains. With 0 all digits must be "
              "right"},
             {"baseline", "PROGRAM",
              "A program to compare times with, in place of the sequential one"},
             {"command", "WORDS",
              "The words that start a program, without quotes among them: {program}, {cells}, "
              "{storms} for the files, {threads}, {ranks}",
              "{program} {cells} {storms}"},
             {"repeat", "N", "Runs of each case; the least times are kept", "1"},
             {"timeout", "SECONDS", "Seconds that a run may take", "60"},
             {"memory", "BYTES",
              "Bytes that a run may take, as 4e9; else three quarters of what is free"},
             {"build", "COMMAND",
              "Builds each program, or the one in each folder, by this command in a copy of its "
              "folder"},
             {"no-confinement", "",
              "Programs have all your rights, for those that need more than the system and their "
              "folder"},
             {"jobs", "N", "Programs judged side by side; they are timed one after the other", "1"},
             {"threads", "LIST",
              "Judges with these numbers of threads, as 1,2,4: OMP_NUM_THREADS, or {ranks} in the "
              "command"},
             {"ranking", "FILE.html",
              "Writes a page of the class, with earlier results if the file is there"},
             {"names", "FILE", "Names for the page: lines PROGRAM,NAME"},
             {"format", words, "How judgements are written", "table"},
             {"points", "RIGHT[,SPEED[,SPEEDUP]]",
              "Of a grade: points for right cases, for speed, and the speedup that earns all of "
              "the latter",
              "100"},
             {"keep", "DIR", "Write the cases into this directory, each with its right answer"}}},
           {"Replaced by others", former_options()},
           messages()},
      .work = judge_programs};
}

}  // namespace bombard::tools
