#pragma once

#include <string>

#include "bombard/simulation_observer.hpp"

namespace bombard::tools {

/// "less than 1 s", "12 s", "34 min", "5.6 h".
std::string duration_text(double seconds);

/// "storm 3 of 40, 2.1e+10 interactions/s, 12 s left"; without the pace before anything is done.
std::string progress_text(const Progress& progress);

}  // namespace bombard::tools
