#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bombard::judge {

/// How programs are started: the words before a program, and those behind it. In them {cells} is
/// the number of cells, {threads} and {ranks} the number of threads or processes, and a word
/// {storms} all storm files.
struct Command {
  std::vector<std::string> launcher = {};                        ///< as `mpirun -n {ranks}`
  std::vector<std::string> arguments = {"{cells}", "{storms}"};  ///< `--arguments`
  std::optional<int> threads = {};  ///< of `--threads`; else the processors that may be used

  /// The words that start a program on a case.
  std::vector<std::string> words(const std::string& program, std::int64_t cells,
                                 const std::vector<std::string>& storms) const;

  /// NAME=VALUE, for the program's environment. With a number of threads, OMP_NUM_THREADS is that
  /// number, unless the launcher has {ranks}. Where its time does not count, a program's threads
  /// leave the processors to others while they wait for each other.
  std::vector<std::string> variables(bool timed) const;
};

/// Words between blanks; quotes have no meaning among them. Throws InputError for a word in braces
/// that has no meaning; `option` is for the message.
std::vector<std::string> command_words(const std::string& text, const char* option);

/// The words of `--arguments`: without {cells} and {storms} a program cannot know its case.
std::vector<std::string> argument_words(const std::string& text);

}  // namespace bombard::judge
