#include "tools/cli/ranks.hpp"

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

int on_all_ranks(int argc, char** argv, int (*work)(int argc, char** argv), int (*explain)()) {
  if (const auto& ways = registered<RanksStart>(); !ways.empty()) {
    of_program = ways.front().start(argc, argv);
  }
  if (!communicator().is_first()) {
    // Rank 0 is asked to stop, too, and knows what is left to write.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    set_printing(false);
  }
  int code = 0;
  try {
    do_together(communicator(), [&] {
      std::vector<std::string> arguments(argv, argv + argc);  // those of rank 0, on all ranks
      std::size_t count = arguments.size();
      broadcast(communicator(), count);
      arguments.resize(count);
      std::vector<char*> addresses;
      for (std::string& argument : arguments) {
        broadcast(communicator(), argument);
        addresses.push_back(argument.data());
      }
      addresses.push_back(nullptr);
      code = work(static_cast<int>(count), addresses.data());
    });
  } catch (const std::exception&) {
    code = explain();
  }
  broadcast(communicator(), code);  // after all that rank 0 has to say
  of_program.reset();
  return code;
}

}  // namespace bombard::tools
