#pragma once

#include "tools/judge/reports/judged_json.hpp"

namespace bombard::judge {

/// What earns points (`--points`): the cases of all programs, which share the points for right
/// ones, builds that failed, and the speed. A test has `program` (null for the speed), `name`
/// ("ties", "ties, 2 threads", "build" or "speed"), `output` (why it is not right, and what it
/// tries), `passed`, `counts`, `points` and `most`; the test of a case has also the members of the
/// case. Names and outputs are printable.
ordered_json graded_tests(const ordered_json& programs, const Options& options);

/// The sum of a member, a number, over all tests.
double sum(const ordered_json& tests, const char* member);

}  // namespace bombard::judge
