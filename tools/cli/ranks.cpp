#include "tools/cli/ranks.hpp"

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "kernels/base/registry.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

std::unique_ptr<Communicator> of_program;

}  // namespace

Communicator& communicator() {
  return of_program ? *of_program : Communicator::alone();
}

int on_all_ranks(int argc, char** argv, int (*work)(const std::vector<std::string>& command),
                 int (*explain)()) {
  if (const auto& ways = registered<RanksStart>(); !ways.empty()) {
    of_program = ways.front().start(argc, argv);
  }
  if (!communicator().is_first()) {
    // Rank 0 is asked to stop, too, and knows what it still has to write.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    set_printing(false);
  }
  int code = 0;
  try {
    do_together(communicator(), [&] {
      std::vector<std::string> command(argv + std::min(argc, 1), argv + argc);
      std::size_t count = command.size();
      broadcast(communicator(), count);
      command.resize(count);
      for (std::string& word : command) broadcast(communicator(), word);
      code = work(command);
    });
  } catch (const std::exception&) {
    code = explain();
  }
  broadcast(communicator(), code);  // after everything that rank 0 has to say
  of_program.reset();
  return code;
}

}  // namespace bombard::tools
