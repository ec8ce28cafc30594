#pragma once

#include <string>
#include <vector>

#include "tools/judge/process.hpp"

namespace bombard::judge {

/// run_process() in a process of its own, so that several threads may run programs: what a program
/// leaves behind is adopted and killed by the process that watches it, and by no other. A signal
/// that is held (tools::HeldSignals) ends the program. Throws CannotRun when nothing can be
/// started.
ProcessOutcome run_process_apart(const std::vector<std::string>& command,
                                 const std::string& directory, const Limits& limits);

}  // namespace bombard::judge
