#pragma once

#include <string>

#include "tools/judge/reports/judged_json.hpp"

/// Judged programs as other systems read them, with points. Words of a program are printable in all
/// of them.
namespace bombard::judge {

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
