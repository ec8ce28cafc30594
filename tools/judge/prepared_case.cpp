#include "tools/judge/prepared_case.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include "kernels/base/timer.hpp"
#include "tools/judge/comparison.hpp"
#include "tools/judge/mistakes.hpp"

namespace bombard::judge {

std::vector<Maximum> right_answer(const Case& tried, double* seconds) {
  Simulation simulation(tried.cells,
                        {.rule = {.edition = tried.edition},
                         .expected_storms = static_cast<std::int64_t>(tried.storms.size()),
                         .expected_impacts = interactions(tried) / tried.cells});
  const WallTimer timer;
  std::vector<Maximum> maxima = simulation.apply(tried.storms);
  if (seconds != nullptr) *seconds = timer.seconds();
  return maxima;
}

const std::vector<float>& RightLayers::after(std::size_t storms) {
  if (!simulation_) {
    simulation_.emplace(tried_.cells, SimulationSettings{.engine = "cpu_direct",
                                                         .rule = {.edition = tried_.edition}});
  }
  simulation_->apply(std::span(tried_.storms).subspan(storms_, storms - storms_));
  storms_ = storms;
  layer_ = std::get<std::vector<float>>(simulation_->layer());
  return layer_;
}

bool shows_speed(const Case& tried) {
  constexpr std::int64_t least_interactions = 25'000'000;  // 50 ms on the fastest cores
  constexpr std::int64_t least_impacts = 100;
  return interactions(tried) >= std::max(least_interactions, least_impacts * tried.cells);
}

std::vector<PreparedCase> prepare(std::vector<Case> cases) {
  std::vector<PreparedCase> prepared;
  for (Case& tried : cases) {
    PreparedCase of{tried};
    of.right = right_answer(tried, &of.right_seconds);
    of.sequential_seconds = sequential_time(tried);
    of.sequential_is_estimate = is_timed_in_part(tried);
    of.roundings = rounding_errors(tried, of.right);
    if (shows_mistakes(tried)) {
      of.mistaken = std::async(std::launch::deferred, answers_of_mistakes, std::move(tried));
    }
    prepared.push_back(std::move(of));
  }
  const bool all_count = std::ranges::all_of(prepared, &Case::is_beyond);
  const bool all_show = std::ranges::none_of(prepared, shows_speed);
  for (PreparedCase& of : prepared) {
    of.counts = all_count || !of.is_beyond;
    of.counts_speed = all_show || shows_speed(of);
  }
  return prepared;
}

}  // namespace bombard::judge
