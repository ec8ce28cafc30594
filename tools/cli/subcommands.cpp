#include "tools/cli/subcommands.hpp"

#include "tools/cli/ranks.hpp"

namespace bombard::tools {

std::span<const Subcommand> subcommands() {
  static const std::vector<Subcommand> all{
      run_subcommand(),   validate_subcommand(), generate_subcommand(), devices_subcommand(),
      solve_subcommand(), study_subcommand(),    judge_subcommand()};
  return all;
}

std::unique_ptr<Communicator> ranks_of_program;

Communicator& communicator() {
  static Communicator alone;
  return ranks_of_program ? *ranks_of_program : alone;
}

OptionGroup messages(std::vector<Option> more) {
  more.push_back({"quiet", "", "No notes and no progress on standard error"});
  more.push_back({"help", "", "Show this help"});
  more.push_back({"version", "", "Show version, commit, compilers, what is compiled in"});
  return {"Messages", std::move(more)};
}

}  // namespace bombard::tools
