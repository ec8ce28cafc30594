#pragma once

#include <string>

#include "tools/judge/reports/judged_json.hpp"

/// Judgements as text, for people and for other systems. A program's own words are
/// printable in it, but in JSON and CSV.
namespace bombard::judge {

/// The tables of a program, one for each number of threads, and how it scales with them.
std::string tables(const ordered_json& judgements);

/// Remarks on a program as a whole, in lines: the mistakes that it looks like, hints, or why it
/// could not be built.
std::string remarks(const ordered_json& judged);

/// A line of a class's summary; `sum` is from sum_of().
std::string summary_line(const ordered_json& sum);
constexpr const char* head_of_summary = "answer     wrong      seconds  speedup  program\n";

// ---- `--format`: of all programs ----

/// {"program": "bombard", "version": ..., "programs": [...]}, with objects from json_of().
std::string json(const ordered_json& programs, const Options&);

/// RFC 4180: a row for each case of each program, a header before them.
std::string csv(const ordered_json& programs, const Options&);

/// Gradescope's results.json (gradescope-autograders.readthedocs.io, "Output format"): a test for
/// each case, and a leaderboard of time and speedup.
std::string gradescope(const ordered_json& programs, const Options& options);

/// JUnit's XML as Jenkins, GitLab and pytest's schema junit-10.xsd have it: a suite for each
/// program, which is the classname of its cases.
std::string junit(const ordered_json& programs, const Options& options);

/// What a grader hands to GitHub Classroom's autograding-grading-reporter: a JSON object in base64.
std::string classroom(const ordered_json& programs, const Options& options);

/// The lines that Moodle's Virtual Programming Lab looks for.
std::string vpl(const ordered_json& programs, const Options& options);

/// {"passed":5,"total":5,"times":[1.234,...]}: runs that pass, all runs, and the milliseconds of
/// those that pass.
std::string line(const ordered_json& programs, const Options& options);

}  // namespace bombard::judge
