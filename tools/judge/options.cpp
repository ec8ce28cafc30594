#include "tools/judge/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "bombard/errors.hpp"
#include "inputs/token.hpp"
#include "sim/processor.hpp"

namespace bombard::judge {

namespace {

constexpr std::string_view storms_word = "{storms}";

bool contain(const std::vector<std::string>& words, std::string_view part) {
  return std::ranges::any_of(
      words, [&](const std::string& word) { return word.find(part) != std::string::npos; });
}

/// A word with numbers in place of names in braces. Throws fmt::format_error for another name.
std::string with_numbers(const std::string& word, std::int64_t cells, int threads) {
  return fmt::format(fmt::runtime(word), fmt::arg("cells", cells), fmt::arg("threads", threads),
                     fmt::arg("ranks", threads));
}

}  // namespace

std::vector<std::string> command_of(const std::string& program, std::int64_t cells,
                                    const std::vector<std::string>& storms,
                                    const Options& options) {
  std::vector<std::string> all;
  const int number = options.threads.value_or(usable_cores());
  const auto append = [&](const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      if (word == storms_word) {
        all.insert(all.end(), storms.begin(), storms.end());
      } else {
        all.push_back(with_numbers(word, cells, number));
      }
    }
  };
  append(options.launcher);
  all.push_back(std::filesystem::absolute(program).string());
  append(options.arguments);
  return all;
}

std::vector<std::string> variables_of(const Options& options, bool timed) {
  std::vector<std::string> variables;
  if (options.threads && !contain(options.launcher, "{ranks}")) {
    variables.push_back(fmt::format("OMP_NUM_THREADS={}", *options.threads));
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
    try {
      if (word != storms_word) static_cast<void>(with_numbers(word, 0, 0));
    } catch (const fmt::format_error&) {
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

void take_points(const std::string& text, Options& options) {
  double* const members[] = {&options.right_points, &options.speed_points, &options.full_speedup};
  std::istringstream parts(text);
  std::size_t count = 0;
  bool valid = true;
  for (std::string part; std::getline(parts, part, ','); ++count) {
    const double value = number_of<double>(part).value_or(-1);
    valid = valid && count < std::size(members) && std::isfinite(value) && value >= 0;
    if (valid) *members[count] = value;
  }
  if (valid && count > 0 && options.right_points + options.speed_points > 0 &&
      options.full_speedup > 1) {
    return;
  }
  throw InputError(fmt::format(
      "--points \"{}\" is not RIGHT[,SPEED[,SPEEDUP]], as 70,30,4: points from 0 up for right "
      "cases and for speed, and the speedup above 1 that earns all of the latter",
      text));
}

}  // namespace bombard::judge
