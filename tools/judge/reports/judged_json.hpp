#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/judge/judgement.hpp"

/// Judgements as the objects of `--format json` (docs/judging.md): all reports are made of them.
namespace bombard::judge {

using nlohmann::ordered_json;

/// A program with one number of threads, what it earns, and its cases.
ordered_json json_of(const ProgramJudgement& judgement, const Options& options);

/// Whether a program or a case is right: up to rounding, unless `strict`.
bool passes(const ordered_json& judged, bool strict);

/// A program with all its numbers of threads: its worst verdict, the mistakes that it looks like,
/// and its best time.
ordered_json sum_of(const ordered_json& judgements, bool strict);

/// What earns points (`--points`): the cases of all programs, which share the points for right
/// ones, builds that failed, and the speed. A test has `program` (null for the speed), `name`
/// ("ties", "ties, 2 threads", "build" or "speed", of several programs "anna/program: ties"),
/// `output` (why it is not right, and what it tries), `passed`, `counts`, `points`, `most` and
/// `seconds` (0 where there are none); the test of a case has also the members of the case. Names
/// and outputs are printable.
ordered_json graded_tests(const ordered_json& programs, const Options& options);

/// What all tests earn.
double points_of(const ordered_json& tests);

/// A text that may hold anything, made printable.
std::string words_of(const ordered_json& text);

/// "no_relaxation or larger_position", for one.
std::string joined(const std::vector<std::string>& words, const char* between);

/// A number with its decimals, or "-" for null.
std::string with_decimals(const ordered_json& number, int decimals);

/// RFC 8259, UTF-8; on one line without an indent.
std::string dumped(const ordered_json& object, int indent = -1);

}  // namespace bombard::judge
