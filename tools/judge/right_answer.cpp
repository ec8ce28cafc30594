#include "tools/judge/right_answer.hpp"

#include <memory>
#include <span>

#include "kernels/base/timer.hpp"
#include "kernels/device/device.hpp"
#include "kernels/layer/part.hpp"
#include "sim/plan.hpp"

namespace bombard::judge {

namespace {

EngineOptions engine_options(const Case& tried, int device) {
  return {.part = whole_layer(tried.cells),
          .storms = static_cast<std::int64_t>(tried.storms.size()),
          .rule = {.edition = tried.edition},
          .device = device};
}

}  // namespace

RightAnswer right_answer(const Case& tried) {
  const auto storms = static_cast<std::int64_t>(tried.storms.size());
  const Plan plan = make_plan({}, {tried.cells, interactions(tried) / tried.cells, storms});
  if (plan.on_gpu) cuda::use_device(plan.gpu);
  EngineOptions options = engine_options(tried, plan.gpu);
  options.keep_layer = false;
  const WallTimer timer;
  const std::unique_ptr<Engine> engine = engine_of(plan).make(options);
  RightAnswer answer;
  answer.maxima = engine->apply(tried.storms);
  answer.seconds = timer.seconds();
  return answer;
}

std::vector<float> right_layer(const Case& tried, std::size_t storms) {
  const std::unique_ptr<Engine> engine = find_engine("cpu_direct")->make(engine_options(tried, 0));
  engine->apply(std::span(tried.storms).first(storms));
  return std::get<std::vector<float>>(engine->dense()->layer());
}

}  // namespace bombard::judge
