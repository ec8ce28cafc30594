#include "tools/judge/reports/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <sstream>
#include <utility>

#include "bombard/errors.hpp"
#include "inputs/input_file.hpp"
#include "inputs/output_file.hpp"
#include "inputs/token.hpp"
#include "tools/cli/build_info.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/page/embedded.hpp"
#include "tools/page/html.hpp"

namespace bombard::judge {

namespace {

/// A field of CSV without its quotes (RFC 4180).
std::string unquoted(std::string field) {
  if (field.size() < 2 || !field.starts_with('"') || !field.ends_with('"')) return field;
  field = field.substr(1, field.size() - 2);
  for (std::size_t at = 0; (at = field.find("\"\"", at)) != std::string::npos; ++at) {
    field.erase(at, 1);
  }
  return field;
}

/// Whether a place of a line of CSV is within quotes.
bool is_in_quotes(const std::string& line, std::size_t place) {
  return std::ranges::count(line.substr(0, place), '"') % 2 == 1;
}

/// The path of a program, or of its folder: "./anna/program" is "anna/program".
std::string comparable(const std::filesystem::path& path) {
  const std::filesystem::path normal = path.lexically_normal();
  return (normal.has_filename() ? normal : normal.parent_path()).string();
}

/// The place of the name that means this program; the name of its folder will do, too.
Names::const_iterator find_name(const Names& names, const std::filesystem::path& program) {
  const auto of_program = names.find(comparable(program));
  return of_program != names.end() ? of_program : names.find(comparable(program.parent_path()));
}

std::string cell(std::string_view kind, const std::string& text) {
  return fmt::format("<td class=\"{}\">{}</td>", kind, tools::html_text(printable(text)));
}

/// A number with its decimals and what stands behind it, or - if it is not known.
std::string number_cell(double number, int decimals, const char* behind = "") {
  return cell("number",
              std::isnan(number) ? "-" : fmt::format("{:.{}f}{}", number, decimals, behind));
}

/// A row of the table, with a bar for the speedup as a part of the highest one.
std::string row_of(const Standing& standing, const std::string& name, double highest) {
  std::vector<std::string> scaling;
  for (const auto& [threads, speedup] : standing.scaling) {
    scaling.push_back(fmt::format("{}: {:.2f}", threads, speedup));
  }
  const double part = std::isnan(standing.speedup) ? 0 : standing.speedup / highest;
  return "<tr>" + cell("number", standing.rank > 0 ? fmt::to_string(standing.rank) : "") +
         cell("text", name) + cell("text", standing.verdict) +
         cell("text", standing.mistakes.empty() ? standing.reason : standing.mistakes) +
         number_cell(standing.seconds, 6) + number_cell(100 * standing.spread, 0, "%") +
         number_cell(standing.speedup, 2) +
         fmt::format("<td class=\"text\"><span style=\"width: {:.2f}em\"></span></td>", 12 * part) +
         cell("text", fmt::to_string(fmt::join(scaling, ", "))) + "</tr>\n";
}

}  // namespace

Standing standing_of(std::span<const ProgramJudgement> judgements, const Options& options) {
  const auto time = [](const ProgramJudgement& one) {
    return std::isnan(one.seconds) ? std::numeric_limits<double>::infinity() : one.seconds;
  };
  const ProgramJudgement& best = *std::ranges::min_element(judgements, {}, time);
  const ProgramJudgement& worst =
      *std::ranges::max_element(judgements, {}, &ProgramJudgement::verdict);
  Standing all{
      .program = worst.program,
      .verdict = worst.failed_build.empty() ? std::string(word_for(worst.verdict)) : "not built",
      .passes = passes(worst.verdict, options),
      .reason = passes(worst.verdict, options) ? "" : printable(worst.reason),
      .seconds = best.seconds,
      .speedup = best.speedup,
      .spread = best.spread};
  // Of another verdict, a mistake is not the reason.
  if (worst.verdict == Verdict::wrong) {
    all.mistakes = fmt::to_string(fmt::join(texts_of(worst.looks_like, &Mistake::name), " or "));
  }
  for (const ProgramJudgement& judgement : judgements) {
    all.wrong +=
        static_cast<int>(std::ranges::count_if(judgement.cases, [](const CaseJudgement& one) {
          return one.prepared->counts && one.verdict > Verdict::rounding;
        }));
    const bool is_timed = judgement.threads && !std::isnan(judgement.seconds);
    if (is_timed) all.scaling.emplace_back(*judgement.threads, judgement.speedup);
  }
  return all;
}

void give_ranks(std::vector<Standing>& standings) {
  std::ranges::stable_sort(standings, {}, [](const Standing& standing) {
    return std::pair(!standing.passes, std::isnan(standing.speedup) ? 0 : -standing.speedup);
  });
  const Standing* first = nullptr;  // of the rank
  for (std::size_t i = 0; i < standings.size() && standings[i].passes; ++i) {
    Standing& standing = standings[i];
    const bool is_shared =
        first != nullptr &&
        first->speedup <= standing.speedup * (1 + std::max(first->spread, standing.spread));
    if (!is_shared) first = &standing;
    standing.rank = is_shared ? first->rank : static_cast<int>(i) + 1;
  }
}

Names read_names(const std::string& path) {
  const InputFile file(path);
  std::istringstream lines{std::string(without_byte_order_mark(file.content()))};
  Names names;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    std::size_t mark = line.find_first_of(",;");
    while (line.starts_with('"') && mark != std::string::npos && is_in_quotes(line, mark)) {
      mark = line.find_first_of(",;", mark + 1);
    }
    if (mark == std::string::npos) {
      throw InputError(fmt::format("{}:{}: is not PROGRAM,NAME: there is no comma", path, number));
    }
    const std::string given = unquoted(line.substr(mark + 1)), name = printable(given);
    if (name != given) {
      throw InputError(fmt::format("{}:{}: \"{}\" is not text in UTF-8; save it as \"CSV UTF-8\"",
                                   path, number, name));
    }
    names[comparable(unquoted(line.substr(0, mark)))] = name;
  }
  return names;
}

Names names_without_program(Names names, const std::vector<std::string>& programs) {
  for (const std::string& program : programs) {
    const auto found = find_name(names, program);
    if (found != names.end()) names.erase(found);
  }
  return names;
}

void write_ranking(const std::string& path, std::vector<Standing> standings, const Names& names,
                   const std::string& date, const std::string& about) {
  for (int number = 0; Standing & standing : standings) standing.number = ++number;
  give_ranks(standings);
  double highest = std::numeric_limits<double>::min();  // a divisor
  for (const Standing& one : standings) highest = std::fmax(highest, one.speedup);
  std::string rows;
  for (const Standing& one : standings) {
    const auto named = find_name(names, one.program);
    const bool has_name = named != names.end() && !named->second.empty();
    rows += row_of(one, has_name ? named->second : fmt::format("program {}", one.number), highest);
  }
  const auto right = std::ranges::count(standings, true, &Standing::passes);
  write_whole(path,
              fmt::format(fmt::runtime(tools::embedded_ranking_page),
                          fmt::arg("date", tools::html_text(date)),
                          fmt::arg("programs", plural(std::ssize(standings), "program")),
                          fmt::arg("right", right), fmt::arg("about", tools::html_text(about)),
                          fmt::arg("version", build_info::version), fmt::arg("rows", rows)));
}

}  // namespace bombard::judge
