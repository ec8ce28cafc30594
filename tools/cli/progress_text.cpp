#include "tools/cli/progress_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bombard::tools {

std::string duration_text(double seconds) {
  if (seconds < 1) return "less than 1 s";
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string progress_text(const Progress& progress) {
  const std::string pace =
      progress.interactions_done > 0
          ? fmt::format("{:.1e} interactions/s, ", progress.interactions_done / progress.seconds)
          : "";
  return fmt::format("storm {} of {}, {}{} left",
                     std::min(progress.storms_done + 1, progress.storms), progress.storms, pace,
                     duration_text(progress.seconds_left));
}

}  // namespace bombard::tools
