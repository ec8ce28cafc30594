#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/judge/judgement.hpp"

namespace bombard::judge {

/// A program in its class, with all its numbers of threads.
struct Standing {
  std::string program = {};
  std::string verdict = {};  ///< the word for its worst verdict, or "not built"
  bool passes = true;
  int wrong = 0;                                     ///< cases
  std::string mistakes = {}, reason = {};            ///< that it looks like; why it does not pass
  double seconds = unknown, speedup = unknown;       ///< the best
  double spread = unknown;                           ///< of these seconds
  std::vector<std::pair<int, double>> scaling = {};  ///< speedups over numbers of threads
  int rank = 0;                                      ///< none where it does not pass
  int number = 0;                                    ///< of the program in the class
};

Standing standing_of(std::span<const ProgramJudgement> judgements, const Options& options);

/// Sorts a class, the highest speedup first and those that do not pass last, and gives ranks:
/// programs whose speedups are within the larger spread of the two share a rank with the first of
/// it. Points follow speedups, too, which another load on the machine changes little.
void give_ranks(std::vector<Standing>& standings);

}  // namespace bombard::judge
