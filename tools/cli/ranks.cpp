#include "tools/cli/ranks.hpp"

#include <algorithm>
#include <csignal>

#include "sim/ranks/engine_of_ranks.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

std::unique_ptr<Communicator> of_program;

}  // namespace

Communicator& communicator() {
  return of_program ? *of_program : Communicator::alone();
}

int on_first_rank(int argc, char** argv, StartRanks start,
                  int (*work)(const std::vector<std::string>& command), int (*explain)()) {
  if (start != nullptr) of_program = start(argc, argv);
  Communicator& ranks = communicator();
  if (!ranks.is_first()) {
    // Rank 0 is asked to stop, too, and knows what it still has to write.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    set_printing(false);
  }
  int code = 0;
  try {
    do_together(ranks, [&] {
      if (!ranks.is_first()) return serve_first_rank(ranks);
      code = work(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
      end_service(ranks);
    });
  } catch (const std::exception&) {
    code = explain();
  }
  broadcast(ranks, code);  // after everything that rank 0 has to say
  of_program.reset();
  return code;
}

}  // namespace bombard::tools
