#pragma once

#include <string>
#include <vector>

#include "tools/judge/reports/ranking.hpp"

/// Judgements as text, for people and for other systems. A program's own words are made printable
/// in it, except in JSON and CSV.
namespace bombard::judge {

/// The tables of a program, one for each number of threads, and how it scales with them.
std::string tables(const std::vector<ProgramJudgement>& judgements, const Options& options);

/// Remarks on a program as a whole, in lines: the mistakes that it seems to make, hints, or why it
/// could not be built.
std::string remarks(const ProgramJudgement& judgement);

/// A line of a class's summary.
std::string summary_line(const Standing& standing);
constexpr const char* head_of_summary = "answer     wrong      seconds  speedup  program\n";

// ---- `--format`: for all programs ----

/// {"program": "bombard", "version": ..., "programs": [...]} (docs/class.md, A class).
std::string json(const std::vector<ProgramJudgement>& programs, const Options& options);

/// RFC 4180: a header, then a row for each case of each program, for a build that failed, and for
/// the points for speed.
std::string csv(const std::vector<ProgramJudgement>& programs, const Options& options);

/// Gradescope's results.json (gradescope-autograders.readthedocs.io, "Output format"): a test for
/// each case, and a leaderboard of times and speedups. Empty where no program was judged.
std::string gradescope(const std::vector<ProgramJudgement>& programs, const Options& options);

/// JUnit's XML as Jenkins, GitLab and pytest's schema junit-10.xsd have it: a suite for each
/// program, whose name is the classname of its cases.
std::string junit(const std::vector<ProgramJudgement>& programs, const Options& options);

}  // namespace bombard::judge
