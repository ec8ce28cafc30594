// CMake compiles this file as a beginner compiles a program: with -O3, and with errno, which keeps
// the loop over the cells from being vectorised.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>

#include "kernels/base/timer.hpp"
#include "tools/judge/cases.hpp"

namespace bombard::judge {

namespace {

// About 3.5 ns each on the machines of docs/performance.md.
constexpr std::int64_t most_interactions = 30'000'000;
constexpr std::int64_t most_cells = 1'000'000;
constexpr std::int64_t far = 1'000'000'000;  // fits in an int; times do not depend on it

/// The quotients are where the published program has them, for each share: the call of sqrtf, which
/// may set errno, comes between them, so that the compiler moves none of them out of the loop.
template <Edition edition>
void add(const Impact& impact, float* layer, int cells) {
  const auto thousands = static_cast<float>(impact.energy);
  const float energy = edition == Edition::first ? thousands / 1000 : thousands * 1000;
  const auto position = static_cast<int>(std::clamp<std::int64_t>(impact.position, -far, far));
  for (int k = 0; k < cells; ++k) {
    const float root = std::sqrt(static_cast<float>(std::abs(position - k) + 1));
    float share = energy / root;
    float smallest = 0.001F;
    if constexpr (edition == Edition::second) {
      share = energy / static_cast<float>(cells) / root;
      smallest /= static_cast<float>(cells);
    }
    if (share >= smallest || share <= -smallest) layer[k] = layer[k] + share;
  }
}

/// Relaxes and returns the highest peak.
float finish(std::span<float> layer, std::span<float> copy) {
  std::ranges::copy(layer, copy.begin());
  for (std::size_t k = 1; k + 1 < layer.size(); ++k) {
    layer[k] = (copy[k - 1] + copy[k] + copy[k + 1]) / 3;
  }
  float maximum = 0;
  for (std::size_t k = 1; k + 1 < layer.size(); ++k) {
    const bool is_peak = layer[k] > layer[k - 1] && layer[k] > layer[k + 1];
    if (is_peak && layer[k] > maximum) maximum = layer[k];
  }
  return maximum;
}

double seconds_of(const Case& tried) {
  std::vector<float> layer(static_cast<std::size_t>(tried.cells));
  std::vector<float> copy(layer.size());
  volatile float maximum = 0;  // so that nothing is optimised away
  const WallTimer timer;
  const auto add_one = tried.edition == Edition::first ? add<Edition::first> : add<Edition::second>;
  for (const Storm& storm : tried.storms) {
    for (const Impact& impact : storm.impacts) {
      add_one(impact, layer.data(), static_cast<int>(tried.cells));
    }
    maximum = finish(layer, copy);
  }
  static_cast<void>(maximum);
  return timer.seconds();
}

}  // namespace

bool is_timed_in_part(const Case& tried) {
  return tried.cells > most_cells || interactions(tried) > most_interactions;
}

double sequential_time(const Case& tried) {
  if (!is_timed_in_part(tried)) return seconds_of(tried);
  Case part{.edition = tried.edition, .cells = std::min(tried.cells, most_cells)};
  part.storms.push_back(*std::ranges::max_element(
      tried.storms, {}, [](const Storm& storm) { return storm.impacts.size(); }));
  std::vector<Impact>& impacts = part.storms.front().impacts;
  const auto most = static_cast<std::size_t>(most_interactions / part.cells);
  if (impacts.size() > most) impacts.resize(most);
  if (impacts.empty()) impacts.push_back({0, 0});  // the cost of a storm that only relaxes
  const auto times = static_cast<double>(std::max(interactions(tried), tried.cells)) /
                     static_cast<double>(interactions(part));
  return times * seconds_of(part);
}

}  // namespace bombard::judge
