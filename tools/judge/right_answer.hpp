#pragma once

#include <string>
#include <vector>

#include "sim/engines/engine.hpp"
#include "tools/judge/cases.hpp"

namespace bombard::judge {

/// The rule's maxima, by the engine that should be quickest here.
struct RightAnswer {
  std::vector<Maximum> maxima;
  double seconds = 0;  ///< the storms were in memory, and so was nothing else
};

/// Throws CannotRun when the case does not fit into this machine's memory.
RightAnswer right_answer(const Case& tried);

/// The rule's layer after the first `storms` storms of a case.
std::vector<float> right_layer(const Case& tried, std::size_t storms);

}  // namespace bombard::judge
