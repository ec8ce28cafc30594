#pragma once

#include <memory>

#include "sim/ranks/communicator.hpp"

namespace bombard::tools {

/// The whole program, in the ranks that `start` makes, or in a single process; returns its exit
/// code, the same on all ranks. Rank 0 does the work while the others serve it; only rank 0 prints
/// and is asked to stop.
using StartRanks = std::unique_ptr<Communicator> (*)(int& argc, char**& argv);
int program(int argc, char** argv, StartRanks start = nullptr);

/// The ranks that this program runs in; null for a single process.
extern std::unique_ptr<Communicator> ranks_of_program;
Communicator& communicator();

}  // namespace bombard::tools
