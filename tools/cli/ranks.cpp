#include "tools/cli/ranks.hpp"

#include <csignal>

#include "kernels/base/registry.hpp"
#include "sim/ranks/engine_of_ranks.hpp"

namespace bombard::tools {

namespace {

Communicator* of_rank_0 = nullptr;

}  // namespace

Communicator* communicator() {
  return of_rank_0;
}

int on_all_ranks(int argc, char** argv, int (*work)(int argc, char** argv)) {
  const auto& ways = registered<RanksStart>();
  if (ways.empty()) return work(argc, argv);
  const std::unique_ptr<Communicator> ranks = ways.front().start(argc, argv);
  if (ranks->rank() != 0) {
    // Rank 0 is asked to stop, too, and knows what is left to write.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    return serve(*ranks);
  }
  if (ranks->ranks() > 1) of_rank_0 = ranks.get();
  const int code = work(argc, argv);
  of_rank_0 = nullptr;
  let_go(*ranks, code);
  return code;
}

}  // namespace bombard::tools
