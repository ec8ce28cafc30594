#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bombard/errors.hpp"
#include "bombard/words.hpp"
#include "inputs/output_file.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/timer.hpp"
#include "sim/processor.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/cli/signals.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"
#include "tools/judge/case_directory.hpp"
#include "tools/judge/judgement.hpp"
#include "tools/judge/program_file.hpp"
#include "tools/judge/reports/formats.hpp"
#include "tools/judge/reports/ranking.hpp"

namespace bombard::tools {

namespace {

judge::Options options_of(const Arguments& given) {
  constexpr int most_runs = 1'000'000, most_threads = 1 << 20;
  judge::Options options;
  options.command = judge::command_words(given.text("command"));
  if (const auto tolerance = given.given("tolerance")) {
    judge::take_tolerance(*tolerance, options);
  }
  options.repeat = static_cast<int>(given.number("repeat", 1, most_runs));
  options.limits.seconds = given.real("timeout", true);
  options.limits.memory_bytes =
      given.has("memory") ? given.number("memory", 1) : available_host_memory() / 4 * 3;
  if (const auto list = given.given("threads")) {
    options.numbers_of_threads.clear();
    for (const std::int64_t number : whole_numbers(*list, "--threads", 1, most_threads)) {
      options.numbers_of_threads.emplace_back(static_cast<int>(number));
    }
  }
  options.build = given.given("build").value_or("");
  if (options.build.empty() && given.has("build")) {
    throw InputError("--build \"\" is not a command");
  }
  const std::optional<int> most = *std::ranges::max_element(options.numbers_of_threads);
  options.full_speedup = std::max(most.value_or(usable_cores()), 2);
  judge::take_points(given.text("points"), options);
  return options;
}

/// Whether `--cases` names a directory.
bool names_directory(const std::string& which) {
  return which != "quick" && which != "all";
}

std::vector<judge::Case> cases_of(const std::string& which, std::optional<Edition> edition) {
  const Edition of_all = edition.value_or(Edition::second);
  if (names_directory(which)) return judge::read_cases(which, edition);
  std::vector<judge::Case> cases = judge::quick_cases(of_all);
  if (which == "all") {
    for (judge::Case& large : judge::large_cases(of_all)) cases.push_back(std::move(large));
  }
  return cases;
}

/// With `--build`, a folder stands for the program in it that the last word of the command names.
std::vector<std::string> programs_of(const Arguments& given, const std::string& build) {
  std::vector<std::string> programs = given.words();
  for (std::string& program : programs) {
    std::error_code error;
    if (program.empty()) throw InputError("PROGRAM \"\" is not a path");
    if (!build.empty()) {
      if (!std::filesystem::is_directory(program, error)) continue;
      program = std::filesystem::path(program) / parts_of(build, ' ').back();
    } else if (std::filesystem::symlink_status(program, error).type() ==
               std::filesystem::file_type::not_found) {
      throw InputError(
          fmt::format("{}: there is no such file; give the path of a program", program));
    }
  }
  return programs;
}

using Writer = std::string (*)(const std::vector<judge::ProgramJudgement>&, const judge::Options&);

/// A word of `--format`, and what writes when all programs are judged; null for the table.
using Format = std::pair<std::string, Writer>;

const std::vector<Format>& formats_of_judge() {
  static const std::vector<Format> all{{"table", nullptr},
                                       {"json", judge::json},
                                       {"csv", judge::csv},
                                       {"gradescope", judge::gradescope},
                                       {"junit", judge::junit}};
  return all;
}

/// Writes the page of a class, of the programs judged so far; null without one.
using RankingWriter = std::function<void(const std::vector<judge::Standing>&)>;

/// Judges the programs; returns whether all are right. Tables are written as soon as their program
/// is judged, other formats at the end. A signal ends the work; the programs judged until then are
/// written.
bool judge_all(const std::vector<std::string>& programs,
               const std::vector<judge::PreparedCase>& cases, const judge::Options& options,
               Writer writer, const RankingWriter& write_ranking, bool quiet) {
  std::vector<judge::ProgramJudgement> all;
  std::vector<judge::Standing> standings;
  std::string summary = judge::head_of_summary;
  ProgressLine line(programs.size() > 1 && !quiet);
  const WallTimer timer;
  const auto judged = [&](const std::vector<judge::ProgramJudgement>& judgements) {
    standings.push_back(judge::standing_of(judgements, options));
    const std::size_t done = standings.size();
    line.wipe();
    if (writer == nullptr) print((all.empty() ? "" : "\n") + judge::tables(judgements, options));
    summary += judge::summary_line(standings.back());
    all.insert(all.end(), judgements.begin(), judgements.end());
    if (write_ranking) write_ranking(standings);  // the results so far survive an interruption
    const double left =
        timer.seconds() / static_cast<double>(done) * static_cast<double>(programs.size() - done);
    line.show(fmt::format("{} of {} programs judged, {} left", done, programs.size(),
                          duration_text(left)),
              timer.seconds(), left);
  };
  std::exception_ptr trouble;  // of this machine: what is judged stays
  try {
    judge::judge_class(programs, cases, options, judged);
  } catch (const std::exception&) {
    trouble = std::current_exception();
  }
  line.wipe();
  if (trouble && all.empty()) std::rethrow_exception(trouble);
  if (writer != nullptr) print(writer(all, options));
  if (writer == nullptr && programs.size() > 1) print('\n' + summary);
  if (trouble) std::rethrow_exception(trouble);
  return std::ranges::all_of(
      all, [&](const auto& program) { return judge::passes(program.verdict, options); });
}

RankingWriter ranking_of(const Arguments& given, const Provenance& provenance,
                         const std::vector<std::string>& programs) {
  const auto page = given.given("ranking");
  const auto names = given.given("names");
  if (names && !page) throw InputError("--names is for the page of --ranking; name that, too");
  if (!page) return {};
  judge::Names of_programs;
  if (names) of_programs = judge::read_names(*names);
  for (const auto& [program, name] : judge::names_without_program(of_programs, programs)) {
    fmt::print(stderr, "bombard: {}: {} is not among the programs\n", *names, printable(program));
  }
  const OutputFile can_be_written(*page);
  double load = 0;
  if (::getloadavg(&load, 1) != 1) load = 0;
  const std::string about =
      fmt::format("{}; {}, {}, load {:.1f}; commit {}", provenance.date, provenance.host,
                  plural(usable_cores(), "core"), load, provenance.commit);
  return [=, date = provenance.date](const std::vector<judge::Standing>& standings) {
    judge::write_ranking(*page, standings, of_programs, date, about);
  };
}

/// Confines programs, unless told otherwise or where this system cannot.
void confine(judge::Options& options, const Arguments& given,
             const std::vector<std::string>& programs) {
  if (!given.has("no-confinement")) {
    const std::string trouble = judge::no_confinement_because();
    options.confinement = trouble.empty() ? "confined" : "not confined: " + trouble;
    options.system = judge::system_for(judge::has_launcher(options) ? options.command.front() : "");
    options.system->is_apart = judge::allows_name_spaces(judge::ScratchDirectory().work());
    if (!options.system->is_apart) options.confinement += "; without name spaces of their own";
  }
  std::error_code error;
  const char* const home = std::getenv("HOME");
  options.others = {std::filesystem::read_symlink("/proc/self/exe", error)};
  for (const std::string& path : programs) {
    options.others.push_back(judge::without_links(judge::absolute_path(path)));
  }
  std::vector<std::string> folders{home == nullptr ? "/" : home, judge::temporary_directory()};
  const std::string cases = given.text("cases");
  if (names_directory(cases)) folders.push_back(judge::absolute_path(cases));
  for (const std::string& folder : folders) {
    options.others.push_back(judge::without_links(folder + "/."));
  }
  if (::access("/proc/self/status", R_OK) == 0) return;
  options.confinement += options.confinement.empty() ? "" : "; ";
  options.confinement += "without /proc the memory and the processes it takes are not seen";
}

int judge_programs(const Arguments& given) {
  judge::Options wanted = options_of(given);
  const std::vector<std::string> programs = programs_of(given, wanted.build);
  const auto kept = given.given("keep");
  if (programs.empty() && !kept) {
    throw InputError("PROGRAM is missing; " + given.see_help());
  }
  const Writer writer =
      std::ranges::find(formats_of_judge(), given.word("format"), &Format::first)->second;
  if (writer == judge::gradescope && programs.size() > 1) {
    throw InputError("--format gradescope is the grade of one program; name one");
  }
  const RankingWriter ranking = ranking_of(given, provenance(given.command()), programs);
  const std::string which = given.text("cases");
  std::optional<Edition> edition;
  if (const auto word = given.given("edition")) edition = parse_edition(*word);

  std::vector<judge::PreparedCase> cases = judge::prepare(cases_of(which, edition));
  for (const judge::PreparedCase& prepared : cases) {
    if (kept) {
      keep_case(prepared, *kept);
    } else if (names_directory(which)) {
      check_kept_result(prepared, which);
    }
  }
  if (programs.empty()) return 0;
  wanted.keep = kept.value_or("");
  const HeldSignals signals(std::numeric_limits<int>::max());
  judge::set_usual_state();
  confine(wanted, given, programs);
  return judge_all(programs, cases, wanted, writer, ranking, given.has("quiet")) ? 0 : 1;
}

}  // namespace

Subcommand judge_subcommand() {
  std::string words;
  for (const auto& [word, writer] : formats_of_judge()) words += (words.empty() ? "" : "|") + word;
  return {
      .name = "judge",
      .arguments = "PROGRAM...",
      .summary = "tell whether programs of the assignment are right, and how fast",
      .work = judge_programs,
      .about =
          "Runs programs of the assignment, `PROGRAM CELLS STORM...`, and tells whether they print "
          "the right digits, what is wrong with them if not, and how long they take, compared with "
          "bombard and with the sequential program. A program must print one line `Result: "
          "POSITION MAXIMUM ...`; a line `Time: SECONDS` is read if it is there.\n"
          "Each run has an empty directory of its own and limits on time, memory, output and "
          "files; at its end everything that it started is killed. Where the kernel has Landlock, "
          "a program reads and executes only the system and a copy of its folder, and writes only "
          "to its run's directory (docs/class.md).\n"
          "The exit code is 0 when all programs are right in the assignment's cases, up to "
          "rounding, and 1 when one is not.",
      .examples =
          "  bombard judge ./energy_storms\n"
          "  bombard judge ./energy_storms --cases all --repeat 3\n"
          "  bombard judge ./mpi --command \"mpirun -n 4 {program} {cells} {storms}\"\n"
          "  bombard judge class/*/energy_storms --ranking class.html\n"
          "  bombard judge --keep cases            the cases, with the right answers\n",
      .groups = {
          {"Judge",
           {{"cases", "quick|all|DIR",
             "all adds large cases; DIR is a directory with cases of your own", "quick"},
            {"edition", "1|2",
             "The edition of the assignment: 2 (2018 and later, the default) or 1 (2017/18)"},
            {"tolerance", "R",
             "Maxima may be off by R times the right ones, or by a number, as in \"1e-4 "
             "absolute\"; without it, by what another order of the sums explains. With 0 all "
             "digits must be right"},
            {"command", "WORDS",
             "The command that starts a program, with {program}, {cells}, {storms} for the files, "
             "{threads} and {ranks}; quotes have no meaning in it",
             "{program} {cells} {storms}"},
            {"repeat", "N", "Run each case N times; the shortest times count", "1"},
            {"timeout", "SECONDS", "A run may take this number of seconds", "60"},
            {"memory", "BYTES",
             "A run may take this number of bytes, as in 4e9; without it, three quarters of what "
             "is free"},
            {"build", "COMMAND",
             "Build each program, or the one in each folder, by this command in a copy of its "
             "folder"},
            {"no-confinement", "",
             "Programs have all your rights, for those that need more than the system and a copy "
             "of "
             "their folder"},
            {"threads", "LIST",
             "Judge with each of these numbers of threads, as in 1,2,4: OMP_NUM_THREADS, or "
             "{ranks} in the command"},
            {"ranking", "FILE.html", "Write a page with the ranking of the class"},
            {"names", "FILE", "The names on that page, from lines PROGRAM,NAME"},
            {"format", words, "Format of the judgements", "table"},
            {"points", "RIGHT[,SPEED[,SPEEDUP]]",
             "A grade: the points for right cases, the points for speed, and the speedup that "
             "earns all of the latter",
             "100"},
            {"keep", "DIR",
             "Write the cases into this directory, each with its right answer, and what --build "
             "says"}}},
          messages()}};
}

}  // namespace bombard::tools
