#pragma once

#include <cstddef>
#include <future>
#include <optional>
#include <vector>

#include "bombard/maximum.hpp"
#include "bombard/simulation.hpp"
#include "tools/judge/cases.hpp"

namespace bombard::judge {

/// The rule's maxima, by the engine that should be fastest here, and the seconds that it takes once
/// it is started and the storms are in memory. Throws CannotRun when the case does not fit into
/// this machine's memory.
std::vector<Maximum> right_answer(const Case& tried, double* seconds = nullptr);

/// The rule's layers of a case, which must outlive this. Layers that are asked for in the order of
/// the storms are computed in one go.
class RightLayers {
 public:
  explicit RightLayers(const Case& tried) : tried_(tried) {}
  /// After the first `storms` storms; no fewer than in the call before.
  const std::vector<float>& after(std::size_t storms);

 private:
  const Case& tried_;
  std::optional<Simulation> simulation_;  // once a layer is asked for
  std::size_t storms_ = 0;                // that it has
  std::vector<float> layer_;
};

/// A case with its right answer, and how long others take for it.
struct PreparedCase : Case {
  std::vector<Maximum> right = {};
  double right_seconds = 0, sequential_seconds = 0;
  bool sequential_is_estimate = false;
  bool counts = true;                  ///< for a program's verdict and its points
  bool counts_speed = true;            ///< for a program's time and speedup
  std::vector<double> roundings = {};  ///< how far they move the maximum after each storm
  /// answers_of_mistakes(), once they are needed; not valid if they are not computed.
  std::shared_future<std::vector<std::vector<Maximum>>> mistaken = {};
};

/// Whether a case says something about speed: in less time a process and its threads do little but
/// start, and with few impacts on many cells memory takes the time.
bool shows_speed(const Case& tried);

/// The cases of the assignment count, and for speed those that show it; all cases, where there is
/// none. Throws CannotRun when a case does not fit into this machine's memory.
std::vector<PreparedCase> prepare(std::vector<Case> cases);

}  // namespace bombard::judge
