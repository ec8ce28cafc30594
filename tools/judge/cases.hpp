#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bombard/storm.hpp"
#include "kernels/layer/rule.hpp"

namespace bombard::judge {

/// A case on which a program of the assignment is tried.
struct Case {
  std::string name = {};   ///< a word; `--keep` makes it a directory
  std::string tries = {};  ///< what a program can get wrong here, a sentence
  Edition edition = Edition::second;
  /// It breaks a promise of the assignment's public files: 3 or more cells, impacts inside the
  /// layer, at least one in each storm, and a peak after each.
  bool is_beyond = false;
  bool shows_races = false;  ///< what several threads do without protection goes wrong here
  std::int64_t cells = 0;
  std::vector<Storm> storms = {};
};

/// Cells times impacts, summed over all storms.
std::int64_t interactions(const Case& tried);

/// Cases that take a right sequential program less than a tenth of a second each.
std::vector<Case> quick_cases(Edition edition);

/// Cases that take it up to some seconds: arrays of a fixed size are too short here, and times mean
/// something.
std::vector<Case> large_cases(Edition edition);

/// The seconds that the sequential program takes for a case, impacts in the outer loop and cells in
/// the inner one, with a root and its divisions for each share, as a compiler translates the
/// published text with -O3. Runs it, or part of it, for about a tenth of a second at most.
double sequential_time(const Case& tried);

/// Whether the case is so large that only part of this work is timed.
bool is_timed_in_part(const Case& tried);

}  // namespace bombard::judge
