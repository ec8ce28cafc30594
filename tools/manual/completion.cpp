#include <algorithm>

#include "tools/manual/manual.hpp"

namespace bombard::tools {

namespace {

/// The words that begin like the one that is being typed.
struct Offer {
  std::string before;   ///< "--device=" if option and value are one word
  std::string current;  ///< the beginning of the value, or of any other word
  std::vector<std::string> words = {};

  void add(const std::string& word, const std::string& meaning) {
    if (word.starts_with(current)) words.push_back(before + word + '\t' + meaning);
  }
};

}  // namespace

std::optional<std::vector<std::string>> completions(std::span<const Subcommand> subcommands,
                                                    std::span<const std::string> words) {
  Offer offer{"", words.empty() ? "" : words.back()};
  if (words.size() < 2 || (words.size() == 2 && words[0] == "help")) {
    for (const Subcommand& subcommand : subcommands) offer.add(subcommand.name, subcommand.summary);
    offer.add("help", "the options of a subcommand");
    offer.add("--version", "version, commit, compilers");
    return offer.words;
  }
  const auto subcommand = std::ranges::find(subcommands, words[0], &Subcommand::name);
  if (subcommand == subcommands.end()) return offer.words;

  std::string before = words[words.size() - 2];
  const std::size_t equals = offer.current.find('=');
  if (offer.current == "=") {  // bash takes --device=cpu apart
    offer.current.clear();
  } else if (before == "=" && words.size() > 2) {
    before = words[words.size() - 3];
  } else if (offer.current.starts_with("--") && equals != std::string::npos) {
    before = offer.current.substr(0, equals);
    offer.before = before + '=';
    offer.current.erase(0, equals + 1);
  }
  std::string topic;
  for (const std::string& word : words.subspan(1, words.size() - 2)) {
    const bool known = std::ranges::count(subcommand->topics, word, &Topic::name) > 0;
    if (known && topic.empty()) topic = word;
  }
  const std::string& of_topic = topic.empty() ? subcommand->usual_topic : topic;
  const Option* const option = subcommand->option_named(before, of_topic);
  if (option != nullptr && !option->value.empty()) {
    if (option->is_path() || option->value == "PROGRAM") return {};
    for (const std::string& choice : option->choices()) offer.add(choice, option->name);
    return offer.words;
  }
  if (offer.current.starts_with('-')) {
    for (const Option* const each : subcommand->options(of_topic)) {
      offer.add("--" + each->name, each->help);
    }
    return offer.words;
  }
  if (topic.empty() && !subcommand->topics.empty()) {
    for (const Topic& known : subcommand->topics) offer.add(known.name, known.help);
    return offer.words;
  }
  return {};
}

}  // namespace bombard::tools
