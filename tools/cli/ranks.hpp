#pragma once

#include <memory>

#include "sim/ranks/communicator.hpp"

namespace bombard::tools {

/// What bombard-mpi registers (kernels/base/registry.hpp), and bombard does not.
struct RanksStart {
  std::unique_ptr<Communicator> (*start)(int& argc, char**& argv);
};

/// Rank 0's, where there are other ranks; null in one process.
Communicator* communicator();

/// Does the work on rank 0 while the others serve it; in one process, just does it. Returns the
/// exit code, the same one on all ranks.
int on_all_ranks(int argc, char** argv, int (*work)(int argc, char** argv));

}  // namespace bombard::tools
