#include "bombard/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "kernels/base/stoppable_work.hpp"
#include "kernels/device/device.hpp"
#include "sim/checks.hpp"
#include "sim/engines/engines.hpp"
#include "sim/plan.hpp"
#include "sim/simulation.hpp"

namespace bombard {

namespace {

// An engine is told how many storms will come; here the layer is whole, and any number may come.
constexpr std::int64_t any_number = std::numeric_limits<std::int64_t>::max() / 2;

/// The engine stores its layer, because the caller may ask for it at any time.
Plan plan_for(std::int64_t cells, const SimulationSettings& settings) {
  const Workload expected{.cells = cells,
                          .impacts = settings.expected_impacts,
                          .storms = settings.expected_storms,
                          .attenuation = settings.rule.attenuation,
                          .layer_on_request = true};
  return make_plan(settings, expected);
}

EngineOptions options_for(const Plan& plan, const SimulationSettings& settings) {
  EngineOptions options = engine_options(plan, settings);
  options.storms = any_number;
  return options;
}

}  // namespace

Plan plan(std::int64_t cells, const SimulationSettings& settings) {
  const cuda::CallersDevice callers;
  Plan made = plan_for(cells, settings);
  const EngineOptions options = options_for(made, settings);
  engine_of(made).require_memory(options);
  made.host_bytes = engine_of(made).all_bytes(options);
  made.most_host_bytes = engine_of(made).most_bytes(options);
  return made;
}

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const EngineEntry& entry : engines()) names.emplace_back(entry.name);
  return names;
}

struct Simulation::State {
  State(std::int64_t cells, const SimulationSettings& settings) : interrupt(settings.interrupt) {
    const cuda::CallersDevice callers;
    plan = plan_for(cells, settings);
    if (plan.on_gpu) cuda::use_device(plan.gpu);
    engine = engine_of(plan).make(options_for(plan, settings));
  }

  /// call(engine), with its device current.
  template <class Call>
  auto with_engine(const Call& call) const {
    const cuda::CallersDevice callers;
    if (plan.on_gpu) cuda::make_current(plan.gpu);
    return call(*engine);
  }

  ~State() {
    with_engine([&](Engine&) { engine.reset(); });
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void require_whole_storms() const {
    if (within_a_storm) {
      throw InputError("an exception left this simulation in the middle of a storm; reset() it");
    }
  }

  void require_stored_layer() const {
    require_whole_storms();
    if (plan.method != Method::sparse) return;
    throw InputError(fmt::format("{} stores no layer; take another method", plan.engine));
  }

  template <class Value>
  std::vector<Value> layer() const {
    require_stored_layer();
    Layer layer = with_engine([](Engine& it) { return it.layer(); });
    if (auto* const same = std::get_if<std::vector<Value>>(&layer)) return std::move(*same);
    return std::visit(
        [](const auto& cells) { return std::vector<Value>(cells.begin(), cells.end()); }, layer);
  }

  template <class Value>
  void begin_with(std::span<const Value> values) const {
    constexpr Precision given = sizeof(Value) == 8 ? Precision::binary64 : Precision::binary32;
    require_stored_layer();
    if (last) throw InputError("storms have come already; reset() comes before begin_with()");
    if (given != plan.precision) {
      throw InputError(fmt::format("{} computes in {} precision and cannot begin with values in {}",
                                   plan.engine, name_of(plan.precision), name_of(given)));
    }
    if (std::ssize(values) != plan.cells) {
      throw InputError(
          fmt::format("{} values are not a layer of {} cells", values.size(), plan.cells));
    }
    with_engine([&](Engine& it) { it.begin_with(values); });
  }

  std::function<void()> interrupt;
  Plan plan;
  std::unique_ptr<Engine> engine;
  std::vector<Impact> impacts;  ///< of positions and energies; the next storm reuses their memory
  std::optional<Maximum> last;  ///< after the last storm, if one has come
  bool within_a_storm = false;  ///< also after an exception there
};

Simulation::Simulation(std::int64_t cells, const SimulationSettings& settings)
    : state_(std::make_unique<State>(cells, settings)) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

Maximum Simulation::apply(std::span<const Impact> impacts) {
  return apply(std::span(&impacts, 1)).front();
}

Maximum Simulation::apply(std::span<const std::int64_t> positions,
                          std::span<const std::int32_t> energies) {
  if (positions.size() != energies.size()) {
    throw InputError(
        fmt::format("{} positions and {} energies: a storm has one energy for each "
                    "position",
                    positions.size(), energies.size()));
  }
  std::vector<Impact>& impacts = state_->impacts;
  impacts.clear();
  impacts.reserve(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    impacts.push_back({positions[i], energies[i]});
  }
  return apply(impacts);
}

std::vector<Maximum> Simulation::apply(std::span<const Storm> storms) {
  std::vector<std::span<const Impact>> impacts;
  for (const Storm& storm : storms) impacts.emplace_back(storm.impacts);
  return apply(impacts);
}

std::vector<Maximum> Simulation::apply(std::span<const std::span<const Impact>> storms) {
  State& state = *state_;
  std::vector<StormView> views;
  for (const std::span<const Impact> storm : storms) {
    const StormExtent extent = extent_of(storm, state.plan.threads);
    // The impacts are read again to name the one that is too far away.
    const bool is_near = -largest_position <= extent.lowest && extent.highest <= largest_position;
    if (!is_near) check_positions(storm);
    views.push_back({storm, extent});
  }
  state.require_whole_storms();
  state.within_a_storm = true;
  std::vector<Maximum> maxima;
  state.with_engine([&](Engine& engine) {
    const StoppableWork work(state.interrupt);
    for (const StormView& view : views) {
      StoppableWork::may_stop();
      maxima.push_back(engine.apply(view));
    }
  });
  state.within_a_storm = false;
  if (!maxima.empty()) state.last = maxima.back();
  return maxima;
}

void Simulation::begin_with(std::span<const float> layer) {
  state_->begin_with(layer);
}

void Simulation::begin_with(std::span<const double> layer) {
  state_->begin_with(layer);
}

void Simulation::reset() {
  state_->with_engine([](Engine& it) { it.reset(); });
  state_->last.reset();
  state_->within_a_storm = false;
}

Maximum Simulation::maximum() const {
  state_->require_whole_storms();
  return state_->last.value_or(Maximum{});
}

std::vector<float> Simulation::layer() const {
  return state_->layer<float>();
}

std::vector<double> Simulation::layer_in_double() const {
  return state_->layer<double>();
}

std::vector<CellValue> Simulation::values_at(std::span<const std::int64_t> cells) {
  const std::vector<CellRange> ranges = ranges_of(cells, state_->plan.cells);
  state_->require_whole_storms();
  return state_->with_engine([&](Engine& it) { return it.values_at(ranges); });
}

std::vector<CellValue> Simulation::highest_peaks(std::int64_t count) {
  check_peaks(count);
  state_->require_whole_storms();
  return state_->with_engine([&](Engine& it) { return it.highest_peaks(count); });
}

std::vector<Evidence> Simulation::evidence() const {
  state_->require_whole_storms();
  return state_->engine->evidence();
}

std::int64_t Simulation::cells() const {
  return state_->plan.cells;
}

std::string Simulation::engine() const {
  return state_->plan.engine;
}

std::string Simulation::device() const {
  return state_->plan.device;
}

std::string Simulation::reason() const {
  return state_->plan.reason;
}

bool Simulation::in_double() const {
  return state_->plan.precision == Precision::binary64;
}

}  // namespace bombard
