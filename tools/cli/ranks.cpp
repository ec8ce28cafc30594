#include "tools/cli/ranks.hpp"

#include <csignal>
#include <string>
#include <vector>

#include "kernels/base/registry.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

std::unique_ptr<Communicator> of_program;

/// Rank 0's arguments, on all ranks.
class Arguments {
 public:
  Arguments(int argc, char** argv) {
    for (int i = 0; i < argc; ++i) texts_.emplace_back(argv[i]);
    std::size_t count = texts_.size();
    broadcast(communicator(), count);
    texts_.resize(count);
    for (std::string& text : texts_) {
      broadcast(communicator(), text);
      addresses_.push_back(text.data());
    }
    addresses_.push_back(nullptr);
  }
  int count() const { return static_cast<int>(texts_.size()); }
  char** addresses() { return addresses_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> addresses_;
};

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
      Arguments arguments(argc, argv);
      code = work(arguments.count(), arguments.addresses());
    });
  } catch (const std::exception&) {
    code = explain();
  }
  broadcast(communicator(), code);  // after all that rank 0 has to say
  of_program.reset();
  return code;
}

}  // namespace bombard::tools
