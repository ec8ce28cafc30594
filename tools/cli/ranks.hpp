#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/ranks/communicator.hpp"

namespace bombard::tools {

/// Starts the ranks that a program runs in.
using StartRanks = std::unique_ptr<Communicator> (*)(int& argc, char**& argv);

/// The whole program, in several ranks if `start` is not null; returns its exit code.
int program(int argc, char** argv, StartRanks start);

/// The ranks that this program runs in; for bombard, a single process.
Communicator& communicator();

/// Rank 0 does the work, with the words after its program's name, while the others serve it; only
/// rank 0 prints and is asked to stop. Returns rank 0's exit code on all of them; `explain` says
/// what the exception that is being handled means, and returns its code.
int on_first_rank(int argc, char** argv, StartRanks start,
                  int (*work)(const std::vector<std::string>& command), int (*explain)());

}  // namespace bombard::tools
