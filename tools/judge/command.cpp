#include "tools/judge/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "bombard/errors.hpp"
#include "sim/processor.hpp"

namespace bombard::judge {

namespace {

constexpr std::string_view storms_word = "{storms}";

bool contain(const std::vector<std::string>& words, std::string_view part) {
  return std::ranges::any_of(
      words, [&](const std::string& word) { return word.find(part) != std::string::npos; });
}

/// A word with the number in place of a name in braces.
std::string with_number(std::string word, std::string_view name, std::int64_t number) {
  for (std::size_t at = 0; (at = word.find(name)) != std::string::npos;) {
    word.replace(at, name.size(), std::to_string(number));
  }
  return word;
}

}  // namespace

std::vector<std::string> Command::words(const std::string& program, std::int64_t cells,
                                        const std::vector<std::string>& storms) const {
  std::vector<std::string> all;
  const int number = threads.value_or(processor().cores);
  const auto append = [&](const std::vector<std::string>& words) {
    for (std::string word : words) {
      if (word == storms_word) {
        all.insert(all.end(), storms.begin(), storms.end());
        continue;
      }
      word = with_number(std::move(word), "{cells}", cells);
      for (const char* name : {"{threads}", "{ranks}"}) {
        word = with_number(std::move(word), name, number);
      }
      all.push_back(std::move(word));
    }
  };
  append(launcher);
  all.push_back(std::filesystem::absolute(program).string());
  append(arguments);
  return all;
}

std::vector<std::string> Command::variables(bool timed) const {
  std::vector<std::string> variables;
  if (threads && !contain(launcher, "{ranks}")) {
    variables.push_back(fmt::format("OMP_NUM_THREADS={}", *threads));
  }
  if (!timed && std::getenv("OMP_WAIT_POLICY") == nullptr) {
    variables.emplace_back("OMP_WAIT_POLICY=passive");
  }
  return variables;
}

std::vector<std::string> command_words(const std::string& text, const char* option) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    std::string rest = word;
    for (const char* name : {"{cells}", "{threads}", "{ranks}"}) rest = with_number(rest, name, 0);
    if (word != storms_word && rest.find_first_of("{}") != std::string::npos) {
      throw InputError(fmt::format(
          "{} \"{}\" has a word that means nothing here: {}; it may have {{cells}}, {{threads}}, "
          "{{ranks}}, and {{storms}} as a word of its own",
          option, text, word));
    }
    words.push_back(std::move(word));
  }
  return words;
}

std::vector<std::string> argument_words(const std::string& text) {
  std::vector<std::string> words = command_words(text, "--arguments");
  if (contain(words, "{cells}") && contain(words, storms_word)) return words;
  throw InputError(fmt::format(
      "--arguments \"{}\" must have {{cells}} and {{storms}}: a program cannot know them otherwise",
      text));
}

}  // namespace bombard::judge
