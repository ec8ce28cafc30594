// CMake compiles this file as a first program is compiled: with -O3, and with errno, which keeps
// the loop over the cells from becoming one of vectors.

#include "tools/judge/sequential_time.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>

#include "kernels/base/timer.hpp"

namespace bombard::judge {

namespace {

// Some 3.5 ns each on the machines of docs/performance.md.
constexpr std::int64_t most_interactions = 30'000'000;
constexpr std::int64_t most_cells = 1'000'000;

template <Edition edition>
void add(std::span<const Impact> impacts, std::span<float> layer) {
  const auto cells = static_cast<std::int64_t>(layer.size());
  const float smallest = Rule{edition}.smallest_share(cells);
  for (const Impact& impact : impacts) {
    const auto thousands = static_cast<float>(impact.energy);
    const float energy = edition == Edition::first ? thousands / 1000 : thousands * 1000;
    for (std::int64_t k = 0; k < cells; ++k) {
      const auto distance = static_cast<float>(std::abs(impact.position - k) + 1);
      float share = energy / std::sqrt(distance);
      if constexpr (edition == Edition::second) {
        share = energy / static_cast<float>(cells) / std::sqrt(distance);
      }
      if (share >= smallest || share <= -smallest) layer[k] += share;
    }
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
  volatile float maximum = 0;  // so that nothing is left out
  const WallTimer timer;
  for (const Storm& storm : tried.storms) {
    if (tried.edition == Edition::first) {
      add<Edition::first>(storm.impacts, layer);
    } else {
      add<Edition::second>(storm.impacts, layer);
    }
    maximum = finish(layer, copy);
  }
  static_cast<void>(maximum);
  return timer.seconds();
}

}  // namespace

SequentialTime sequential_time(const Case& tried) {
  if (tried.cells <= most_cells && interactions(tried) <= most_interactions) {
    return {seconds_of(tried), false};
  }
  Case part{.edition = tried.edition, .cells = std::min(tried.cells, most_cells)};
  part.storms.push_back(*std::ranges::max_element(
      tried.storms, {}, [](const Storm& storm) { return storm.impacts.size(); }));
  std::vector<Impact>& impacts = part.storms.front().impacts;
  const auto most = static_cast<std::size_t>(most_interactions / part.cells);
  if (impacts.size() > most) impacts.resize(most);
  if (impacts.empty()) impacts.push_back({0, 0});  // what a storm costs that only relaxes
  const auto times = static_cast<double>(std::max(interactions(tried), tried.cells)) /
                     static_cast<double>(interactions(part));
  return {times * seconds_of(part), true};
}

}  // namespace bombard::judge
