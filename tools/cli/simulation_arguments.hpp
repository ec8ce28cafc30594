#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "bombard/plan.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

// What `run` and `validate` share: CELLS STORM... and the options that say how to compute and how
// much to say on standard error.

/// The rows of their tables; `more` follows the options that say how to compute.
OptionGroup computation(std::vector<Option> more = {});
OptionGroup messages_of_simulation();

/// Throws InputError for a missing argument or a wrong value.
RunOptions run_options(const Arguments& given);

/// Reports which engine was chosen and why (--verbose), and which options it does not use (unless
/// --quiet).
void note_plan(const Arguments& given, const Plan& plan);

/// Reports how a fast engine found the maximum of each storm for which `run` or `validate` has a
/// result.
template <class Storms>
void note_evidence(const Storms& storms) {
  std::size_t number = 0;
  for (const auto& storm : storms) {
    ++number;
    if (storm.evidence) note(fmt::format("storm {}: {}", number, report(*storm.evidence)));
  }
}

}  // namespace bombard::tools
