#include <algorithm>

#include "tools/manual/manual.hpp"

namespace bombard::tools {

std::vector<std::string> completions(std::span<const Subcommand> subcommands,
                                     std::span<const std::string> words) {
  std::vector<std::string> offered;
  const std::string begun = words.empty() ? "" : words.back();
  const auto offer = [&](const std::string& word, const std::string& meaning) {
    if (word.starts_with(begun)) offered.push_back(word + '\t' + meaning);
  };
  if (words.size() < 2 || (words.size() == 2 && words[0] == "help")) {
    for (const Subcommand& subcommand : subcommands) offer(subcommand.name, subcommand.summary);
    offer("help", "the options of a subcommand");
    offer("--version", "version, commit, compilers");
    return offered;
  }
  const auto subcommand = std::ranges::find(subcommands, words[0], &Subcommand::name);
  if (subcommand == subcommands.end()) return offered;
  if (begun.starts_with('-')) {
    for (const Option* const option : subcommand->options()) {
      offer("--" + option->name, option->help);
    }
  } else if (words.size() == 2) {
    for (const Subcommand& topic : subcommand->topics) offer(topic.name, topic.summary);
  }
  return offered;
}

}  // namespace bombard::tools
