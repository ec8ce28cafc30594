#pragma once

#include <string>
#include <vector>

namespace bombard::tools {

/// Where a result comes from, beside what is in the result itself: what one needs to do the run
/// again.
struct Provenance {
  std::vector<std::string> command;  ///< as it was given, the program's name first
  std::string commit;                ///< of the program; "unknown" outside a git checkout
  std::string host;
  std::string date;  ///< of the start in UTC, ISO 8601: "2025-01-31T08:15:00Z"
};

/// The provenance of the subcommand that starts now; argv[0] is its name.
Provenance provenance(int argc, const char* const* argv);

}  // namespace bombard::tools
