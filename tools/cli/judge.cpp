#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bombard/errors.hpp"
#include "bombard/words.hpp"
#include "inputs/token.hpp"
#include "kernels/base/host_memory.hpp"
#include "sim/processor.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"
#include "tools/judge/case_directory.hpp"
#include "tools/judge/judgement.hpp"
#include "tools/judge/judgement_report.hpp"

namespace bombard::tools {

namespace {

constexpr const char* about_judge =
    "Runs programs of the assignment, `PROGRAM CELLS STORM...`, and tells whether they print the\n"
    "right digits, what is wrong with them if not, and how long they take beside bombard and "
    "beside\n"
    "the sequential program. A program must end with exit code 0 and print one line\n"
    "`Result: POSITION MAXIMUM ...`; its line `Time: SECONDS` is read if it is there.\n"
    "Each run has an empty directory, limits of time, memory, output and files, and is killed "
    "with\n"
    "all that it started. It is no sandbox: the programs have your rights (docs/judging.md).\n"
    "The exit code is 0 when all programs are right, and 1 when one is wrong.\n";

constexpr const char* examples_of_judge =
    "\nExamples:\n"
    "  bombard judge ./energy_storms\n"
    "  bombard judge ./energy_storms --cases all --repeat 3\n"
    "  bombard judge ./energy_storms_mpi --launcher \"mpirun -n 4\"\n"
    "  bombard judge class/*/energy_storms --format csv >class.csv\n"
    "  bombard judge --keep cases              write the cases, with the right answers\n";

cxxopts::Options judge_options() {
  cxxopts::Options options("bombard judge", about_judge);
  options.custom_help("PROGRAM... [OPTION...]");
  options.positional_help("");
  const auto text = [] { return cxxopts::value<std::string>(); };
  options.add_options()  //
      ("cases", "quick, all (with large ones), or a directory of your own cases",
       text()->default_value("quick"), "CASES")  //
      ("edition", "The edition of the assignment: 2 (2018 and later, the default) or 1 (2017/18)",
       text(), "1|2")  //
      ("tolerance", "Maxima may be off by this part of the right ones; else digits are identical",
       text(), "R")  //
      ("launcher", "Words to put before the program, without quotes among them", text(),
       "WORDS")  //
      ("arguments",
       "Words to put behind the program, with {cells}, {threads}, and {storms} for the files; "
       "\"{cells} {storms}\" without this option",
       text(), "WORDS")  //
      ("environment", "A variable for the programs; several times for several", text(),
       "NAME=VALUE")  //
      ("repeat", "Runs of each case; the least times are kept", text()->default_value("1"),
       "N")                                                                               //
      ("timeout", "Seconds that a run may take", text()->default_value("60"), "SECONDS")  //
      ("memory", "Bytes that a run may take, as 4e9; else three quarters of what is free", text(),
       "BYTES")                                                                            //
      ("format", "table, json or csv", text()->default_value("table"), "FORMAT")           //
      ("keep", "Write the cases into this directory, each with its right answer", text(),  //
       "DIR")                                                                              //
      ("h,help", "Show this help");
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

judge::JudgeOptions options_of(const cxxopts::ParseResult& parsed) {
  judge::JudgeOptions options;
  if (parsed.count("launcher") != 0)
    options.command.launcher =
        judge::command_words(parsed["launcher"].as<std::string>(), "--launcher");
  if (parsed.count("arguments") != 0)
    options.command.arguments = judge::argument_words(parsed["arguments"].as<std::string>());
  options.command.threads = processor().cores;
  if (parsed.count("tolerance") != 0) {
    options.tolerance = number(parsed["tolerance"].as<std::string>(), "--tolerance", true);
  }
  constexpr int most_runs = 1'000'000;
  options.repeat =
      static_cast<int>(whole_number(parsed["repeat"].as<std::string>(), "--repeat", 1, most_runs));
  options.limits.seconds = number(parsed["timeout"].as<std::string>(), "--timeout", false);
  options.limits.memory_bytes =
      parsed.count("memory") != 0 ? whole_number(parsed["memory"].as<std::string>(), "--memory", 1)
                                  : available_host_memory() / 4 * 3;
  return options;
}

std::optional<Edition> edition_of(const cxxopts::ParseResult& parsed) {
  if (parsed.count("edition") == 0) return {};
  return parse_edition(parsed["edition"].as<std::string>());
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

/// Whether all programs are right. A table is printed as soon as its program has been judged: a
/// class takes a while.
bool judge_all(const std::vector<std::string>& programs,
               const std::vector<judge::PreparedCase>& cases, const judge::JudgeOptions& options,
               judge::JudgementFormat format) {
  using Format = judge::JudgementFormat;
  judge::MistakenAnswers mistaken;
  std::vector<judge::ProgramJudgement> judgements;
  for (const std::string& program : programs) {
    judgements.push_back(judge::judge_program(program, cases, options, mistaken));
    if (format != Format::table) continue;
    print(judge::table(judgements.back()) + (programs.size() > 1 ? "\n" : ""));
  }
  if (format == Format::table && programs.size() > 1) print(judge::summary(judgements));
  if (format == Format::json && !programs.empty()) print(judge::json(judgements));
  if (format == Format::csv && !programs.empty()) print(judge::csv(judgements));
  return std::ranges::all_of(judgements, [](const judge::ProgramJudgement& judgement) {
    return judgement.wrong_cases() == 0;
  });
}

}  // namespace

int judge(int argc, char** argv) {
  cxxopts::Options options = judge_options();
  const cxxopts::ParseResult parsed = parse(options, argc, argv, "judge");
  if (parsed.count("help") != 0) {
    print(options.help() + examples_of_judge);
    return 0;
  }
  const std::vector<std::string>& programs = parsed.unmatched();
  const bool keeps = parsed.count("keep") != 0;
  if (programs.empty() && !keeps) {
    throw InputError("PROGRAM is missing; see `bombard judge --help`");
  }
  for (const std::string& program : programs) judge::require_program(program);
  set_environment(parsed);
  const judge::JudgeOptions wanted = options_of(parsed);
  const auto format = judge::parse_judgement_format(parsed["format"].as<std::string>());
  const std::string which = parsed["cases"].as<std::string>();

  const std::vector<judge::PreparedCase> cases =
      judge::prepare(cases_of(which, edition_of(parsed)));
  for (const judge::PreparedCase& prepared : cases) {
    if (keeps) {
      keep_case(prepared.tried, prepared.right, parsed["keep"].as<std::string>());
    } else if (which != "quick" && which != "all") {
      check_kept_result(prepared.tried, prepared.right, which);
    }
  }
  return judge_all(programs, cases, wanted, format) ? 0 : 1;
}

}  // namespace bombard::tools
