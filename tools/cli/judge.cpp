#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bombard/errors.hpp"
#include "bombard/words.hpp"
#include "inputs/token.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/timer.hpp"
#include "sim/processor.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/cli/signals.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"
#include "tools/judge/case_directory.hpp"
#include "tools/judge/judgement.hpp"
#include "tools/judge/reports/formats.hpp"
#include "tools/judge/reports/ranking.hpp"

namespace bombard::tools {

namespace {

constexpr const char* about_judge =
    "Runs programs of the assignment, `PROGRAM CELLS STORM...`, and tells whether they print the\n"
    "right digits, what is wrong with them if not, and how long they take beside bombard and "
    "beside\n"
    "the sequential program. A program must print one line `Result: POSITION MAXIMUM ...`; its\n"
    "line `Time: SECONDS` is read if it is there.\n"
    "Each run has an empty directory, limits of time, memory, output and files, and is killed "
    "with\n"
    "all that it started. It is no sandbox: the programs have your rights (docs/judging.md).\n"
    "The exit code is 0 when all programs are right in the assignment's cases, if only up to\n"
    "rounding, and 1 when one is not.\n";

constexpr const char* examples_of_judge =
    "\nExamples:\n"
    "  bombard judge ./energy_storms\n"
    "  bombard judge ./energy_storms --cases all --repeat 3\n"
    "  bombard judge ./energy_storms_mpi --launcher \"mpirun -n 4\"\n"
    "  bombard judge class/*/energy_storms --ranking class.html\n"
    "  bombard judge --keep cases              write the cases, with the right answers\n";

cxxopts::Options judge_options() {
  cxxopts::Options options("bombard judge", about_judge);
  options.custom_help("PROGRAM... [OPTION...]");
  options.positional_help("");
  add_options(
      options, "",
      {{"cases", "quick, all (with large ones), or a directory of your own cases", "CASES",
        "quick"},
       {"edition", "The edition of the assignment: 2 (2018 and later, the default) or 1 (2017/18)",
        "1|2"},
       {"tolerance",
        "Maxima may be off by this part of the right ones; else by what the order of a sum "
        "explains",
        "R"},
       {"absolute-tolerance", "Maxima may be off by this number, if it is more", "A"},
       {"baseline", "A program to compare times with, in place of the sequential one", "PROGRAM"},
       {"launcher", "Words to put before the program, without quotes among them", "WORDS"},
       {"arguments",
        "Words to put behind the program, with {cells}, {threads}, and {storms} for the files; "
        "\"{cells} {storms}\" without this option",
        "WORDS"},
       {"environment", "A variable for the programs; several times for several", "NAME=VALUE"},
       {"repeat", "Runs of each case; the least times are kept", "N", "1"},
       {"timeout", "Seconds that a run may take", "SECONDS", "60"},
       {"memory", "Bytes that a run may take, as 4e9; else three quarters of what is free",
        "BYTES"},
       {"build",
        "Builds each program, or the one in each folder, by this command in a copy of its folder",
        "COMMAND"},
       {"jobs", "Programs judged side by side; they are timed one after the other", "N", "1"},
       {"threads",
        "Judges with these numbers of threads, as 1,2,4: OMP_NUM_THREADS, or {ranks} in the "
        "launcher",
        "LIST"},
       {"ranking", "Writes a page of the class, with earlier results if the file is there",
        "FILE.html"},
       {"names", "Names for the page: lines PROGRAM,NAME", "FILE"},
       {"strict", "Right up to rounding is not right"},
       {"format", "table, json, csv, gradescope, junit, classroom, vpl or line", "FORMAT", "table"},
       {"points",
        "Of a grade: points for right cases, for speed, and the speedup that earns all of the "
        "latter",
        "RIGHT[,SPEED[,SPEEDUP]]", "100"},
       {"keep", "Write the cases into this directory, each with its right answer", "DIR"},
       {"h,help", "Show this help"}});
  return options;
}

/// A decimal number above 0 and finite, or also 0.
double number(const std::string& text, const char* option, bool zero_too) {
  const double value = number_of<double>(text).value_or(-1);
  if (std::isfinite(value) && (value > 0 || (value == 0 && zero_too))) return value;
  throw InputError(fmt::format("{} \"{}\" is not a number {}", option, text,
                               zero_too ? "from 0 up" : "above 0"));
}

/// What programs find in their environment is what this program has in its own.
void set_environment(const cxxopts::ParseResult& parsed) {
  for (const cxxopts::KeyValue& option : parsed.arguments()) {
    if (option.key() != "environment") continue;
    const std::string& text = option.value();
    const std::size_t at = text.find('=');
    if (at == 0 || at == std::string::npos) {
      throw InputError(fmt::format("--environment \"{}\" is not NAME=VALUE", text));
    }
    ::setenv(text.substr(0, at).c_str(), text.substr(at + 1).c_str(), 1);
  }
}

/// The numbers of `--threads`.
std::vector<std::optional<int>> numbers_of_threads(const std::string& text) {
  constexpr int most_threads = 1 << 20;
  std::istringstream list(text);
  std::vector<std::optional<int>> threads;
  for (std::string number; std::getline(list, number, ',');) {
    threads.push_back(static_cast<int>(whole_number(number, "--threads", 1, most_threads)));
  }
  if (threads.empty()) throw InputError("--threads \"\" is no list of numbers, as 1,2,4");
  return threads;
}

judge::Options options_of(const cxxopts::ParseResult& parsed) {
  constexpr int most_runs = 1'000'000;
  constexpr int most_jobs = 1024;
  const auto text = [&](const char* option) { return parsed[option].as<std::string>(); };
  judge::Options options;
  if (const auto words = given(parsed, "launcher")) {
    options.launcher = judge::command_words(*words, "--launcher");
  }
  if (const auto words = given(parsed, "arguments")) {
    options.arguments = judge::argument_words(*words);
  }
  if (const auto part = given(parsed, "tolerance")) {
    options.tolerance = number(*part, "--tolerance", true);
  }
  if (const auto most = given(parsed, "absolute-tolerance")) {
    options.absolute_tolerance = number(*most, "--absolute-tolerance", true);
  }
  options.repeat = static_cast<int>(whole_number(text("repeat"), "--repeat", 1, most_runs));
  options.limits.seconds = number(text("timeout"), "--timeout", false);
  const auto bytes = given(parsed, "memory");
  options.limits.memory_bytes =
      bytes ? whole_number(*bytes, "--memory", 1) : available_host_memory() / 4 * 3;
  if (const auto list = given(parsed, "threads")) {
    options.numbers_of_threads = numbers_of_threads(*list);
  }
  options.jobs = static_cast<int>(whole_number(text("jobs"), "--jobs", 1, most_jobs));
  options.build = given(parsed, "build").value_or("");
  if (options.build.empty() && parsed.count("build") != 0) {
    throw InputError("--build \"\" is no command");
  }
  options.strict = parsed.count("strict") != 0;
  const std::optional<int> most_threads = *std::ranges::max_element(options.numbers_of_threads);
  options.full_speedup = std::max(most_threads.value_or(usable_cores()), 2);
  judge::take_points(text("points"), options);
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
std::vector<std::string> programs_of(const cxxopts::ParseResult& parsed) {
  std::vector<std::string> programs = parsed.unmatched();
  const auto build = given(parsed, "build");
  for (std::string& program : programs) {
    if (!build) judge::require_program(program);
    if (!build || !std::filesystem::is_directory(program)) continue;
    program = (std::filesystem::path(program) / build->substr(build->rfind(' ') + 1)).string();
  }
  return programs;
}

using nlohmann::ordered_json;
using Writer = std::string (*)(const ordered_json& programs, const judge::Options&);

/// The writer of a format that is written when all programs are judged; null for the table.
Writer writer_of(const std::string& format) {
  static const std::map<std::string, Writer> writers{
      {"table", nullptr},      {"json", judge::json},
      {"csv", judge::csv},     {"gradescope", judge::gradescope},
      {"junit", judge::junit}, {"classroom", judge::classroom},
      {"vpl", judge::vpl},     {"line", judge::line}};
  const auto found = writers.find(format);
  if (found != writers.end()) return found->second;
  throw InputError(
      fmt::format("--format \"{}\" is not a format; it is table, json, csv, gradescope, junit, "
                  "classroom, vpl or line",
                  format));
}

/// Whether all programs are right. Tables are written as soon as their program is judged, other
/// formats at the end. A signal ends the work; the programs judged before are written.
bool judge_all(const std::vector<std::string>& programs,
               const std::vector<judge::PreparedCase>& cases, const judge::Options& options,
               Writer writer, std::optional<judge::Ranking> ranking) {
  ordered_json all = ordered_json::array();
  std::string summary = judge::head_of_summary;
  ProgressLine line(programs.size() > 1);
  const WallTimer timer;
  const auto progress = [&](std::size_t done) {
    const double left =
        timer.seconds() / static_cast<double>(done) * static_cast<double>(programs.size() - done);
    line.show(fmt::format("{} of {} programs judged, {} left", done, programs.size(),
                          duration_text(left)),
              timer.seconds(), left);
  };
  const auto judged = [&](const std::vector<judge::ProgramJudgement>& judgements) {
    ordered_json program = ordered_json::array();
    for (const auto& judgement : judgements) program.push_back(json_of(judgement, options));
    const ordered_json sum = judge::sum_of(program, options.strict);
    line.wipe();
    if (writer == nullptr) print((all.empty() ? "" : "\n") + judge::tables(program));
    if (ranking) ranking->add(sum);
    summary += judge::summary_line(sum);
    all.insert(all.end(), program.begin(), program.end());
  };
  judge::judge_class(programs, cases, options, progress, judged);
  line.wipe();
  if (writer != nullptr) print(writer(all, options));
  if (writer == nullptr && programs.size() > 1) print('\n' + summary);
  return std::ranges::all_of(
      all, [&](const ordered_json& program) { return judge::passes(program, options.strict); });
}

std::optional<judge::Ranking> ranking_of(const cxxopts::ParseResult& parsed,
                                         const std::string& date) {
  const auto page = given(parsed, "ranking");
  const auto names = given(parsed, "names");
  if (names && !page) throw InputError("--names is for the page of --ranking; name that, too");
  if (!page) return {};
  return judge::Ranking(
      *page, names ? judge::read_names(*names) : std::map<std::string, std::string>(), date);
}

}  // namespace

int judge(int argc, char** argv) {
  cxxopts::Options options = judge_options();
  const cxxopts::ParseResult parsed = parse(options, argc, argv, "judge", "environment");
  if (shows_help(parsed, options, {}, examples_of_judge)) return 0;
  const std::vector<std::string> programs = programs_of(parsed);
  const auto kept = given(parsed, "keep");
  if (programs.empty() && !kept) {
    throw InputError("PROGRAM is missing; see `bombard judge --help`");
  }
  set_environment(parsed);
  const judge::Options wanted = options_of(parsed);
  const Writer writer = writer_of(parsed["format"].as<std::string>());
  std::optional<judge::Ranking> ranking = ranking_of(parsed, provenance(argc, argv).date);
  const std::string which = parsed["cases"].as<std::string>();
  std::optional<Edition> edition;
  if (const auto word = given(parsed, "edition")) edition = parse_edition(*word);

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
  if (const auto baseline = given(parsed, "baseline")) {
    judge::take_baseline(cases, *baseline, wanted);
  }
  return judge_all(programs, cases, wanted, writer, std::move(ranking)) ? 0 : 1;
}

}  // namespace bombard::tools
