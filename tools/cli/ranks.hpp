#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/ranks/communicator.hpp"

namespace bombard::tools {

/// The registration that turns bombard into bombard-mpi (kernels/base/registry.hpp).
struct RanksStart {
  std::unique_ptr<Communicator> (*start)(int& argc, char**& argv);
};

/// The ranks that this program runs in; for bombard, a single process.
Communicator& communicator();

/// Does the work on all ranks, with the words after the name of rank 0's program; only rank 0
/// prints and is asked to stop. Returns rank 0's exit code on all of them; `explain` says what the
/// exception that is being handled means, and returns its code.
int on_all_ranks(int argc, char** argv, int (*work)(const std::vector<std::string>& command),
                 int (*explain)());

}  // namespace bombard::tools
