#include "tools/judge/prepared_case.hpp"

#include <span>
#include <utility>

#include "bombard/simulation.hpp"
#include "kernels/base/timer.hpp"
#include "tools/judge/comparison.hpp"
#include "tools/judge/mistakes.hpp"

namespace bombard::judge {

RightAnswer right_answer(const Case& tried) {
  Simulation simulation(tried.cells,
                        {.rule = {.edition = tried.edition},
                         .expected_storms = static_cast<std::int64_t>(tried.storms.size()),
                         .expected_impacts = interactions(tried) / tried.cells});
  const WallTimer timer;
  std::vector<Maximum> maxima = simulation.apply(tried.storms);
  return {std::move(maxima), timer.seconds()};
}

std::vector<float> right_layer(const Case& tried, std::size_t storms) {
  Simulation simulation(tried.cells, {.engine = "cpu_direct", .rule = {.edition = tried.edition}});
  simulation.apply(std::span(tried.storms).first(storms));
  return simulation.layer();
}

std::vector<PreparedCase> prepare(std::vector<Case> cases) {
  std::vector<PreparedCase> prepared;
  for (Case& tried : cases) {
    RightAnswer right = right_answer(tried);
    const SequentialTime sequential = sequential_time(tried);
    std::vector<double> roundings = rounding_errors(tried, right.maxima);
    right.maxima = printed(right.maxima);
    PreparedCase of{tried, std::move(right), sequential, std::move(roundings)};
    if (shows_mistakes(tried)) {
      of.mistaken = std::async(std::launch::deferred, answers_of_mistakes, std::move(tried));
    }
    prepared.push_back(std::move(of));
  }
  return prepared;
}

}  // namespace bombard::judge
