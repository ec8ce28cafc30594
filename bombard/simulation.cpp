#include "bombard/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "kernels/base/stoppable_work.hpp"
#include "kernels/base/timer.hpp"
#include "kernels/base/usual_arithmetic.hpp"
#include "kernels/device/device.hpp"
#include "sim/checks.hpp"
#include "sim/engine_chain.hpp"
#include "sim/plan.hpp"
#include "sim/ranks/engine_of_ranks.hpp"

namespace bombard {

Plan plan(std::int64_t cells, const SimulationSettings& settings) {
  const cuda::CallersDevice callers;
  const UsualArithmetic arithmetic;
  Plan made = make_plan(cells, settings);
  require_memory(made);
  return made;
}

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const EngineEntry& entry : engines()) names.emplace_back(entry.name);
  return names;
}

struct Simulation::State {
  State(Plan of, const Meter& asked, Communicator& ranks) : plan(std::move(of)), meter(asked) {
    const cuda::CallersDevice callers;
    const UsualArithmetic arithmetic;
    if (!ranks.is_alone()) {
      const StoppableWork all([](double) {});  // if one stopped here, the others would wait
      together.emplace(ranks, engine_of(plan), engine_options(plan));
      start_seconds = together->start_seconds();
      return;
    }
    if (plan.on_gpu) {
      const WallTimer starting;
      cuda::use_device(plan.gpu);
      start_seconds = starting.seconds();
    }
    alone.emplace(engine_of(plan), engine_options(plan));
  }

  /// call(), with the engine's device current.
  template <class Call>
  auto with_device(const Call& call) {
    const cuda::CallersDevice callers;
    const UsualArithmetic arithmetic;
    if (plan.on_gpu) cuda::make_current(plan.gpu);
    return call();
  }

  ~State() {
    const cuda::CallersDevice callers;
    const UsualArithmetic arithmetic;
    try {
      if (plan.on_gpu) cuda::make_current(plan.gpu);
    } catch (const CannotRun&) {  // the GPU has failed, and takes back the memory by itself
    }
    alone.reset();
    together.reset();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void require_whole_storms() const {
    if (unfinished) {
      throw InputError(
          "an earlier call ended with an exception, and the layer is lost; reset() comes next");
    }
  }

  /// An engine that knows what comes leaves out all that nobody will ask for.
  void require_wanted() const {
    if (plan.exactly_these && plan.wanted == Wanted::maxima) {
      throw InputError("maxima alone are wanted of exactly these storms; ask for cells or a layer");
    }
  }

  /// with_device(), stoppable. An exception leaves it unfinished: another engine may have taken
  /// only some of the storms again.
  template <class Call>
  auto compute(const Call& call) {
    require_whole_storms();
    unfinished = true;
    const StoppableWork work(meter);
    StoppableWork::may_stop();
    auto answer = with_device(call);
    unfinished = false;
    return answer;
  }

  Maximum apply(std::vector<Impact> impacts) {
    const StormExtent extent = extent_of(impacts, plan.threads);
    // Only if one is too far away are the impacts read again, to name it.
    const bool is_near = -largest_position <= extent.lowest && extent.highest <= largest_position;
    if (!is_near) check_positions(impacts);
    if (plan.exactly_these && storms == plan.storms) {
      throw InputError(fmt::format("exactly {} storms were expected, and one more comes", storms));
    }
    KeptStorm storm{std::move(impacts), extent};
    const Maximum maximum = compute([&] {
      return together ? together->apply(std::move(storm)) : alone->apply(std::move(storm));
    });
    const std::optional<Evidence> found = together ? together->evidence() : alone->evidence();
    if (found) evidence.push_back(*found);
    ++storms;
    return last = maximum;
  }

  Plan plan;
  Meter meter;
  std::optional<EngineChain> alone;  ///< either this or the next one
  std::optional<EngineOfRanks> together;
  double start_seconds = 0;
  std::int64_t storms = 0;  ///< so far
  Maximum last = {};        ///< after the last of them
  std::vector<Evidence> evidence;
  bool unfinished = false;  ///< in a call, or after one that an exception has ended
};

namespace {

Simulation::Meter meter_of(const std::function<void()>& interrupt) {
  if (!interrupt) return {};
  return [interrupt](double) { interrupt(); };
}

}  // namespace

Simulation::Simulation(std::int64_t cells, const SimulationSettings& settings)
    : Simulation(bombard::plan(cells, settings), meter_of(settings.interrupt)) {}
Simulation::Simulation(const Plan& plan, const Meter& meter) {
  Communicator alone;
  state_ = std::make_unique<State>(plan, meter, alone);
}
Simulation::Simulation(const Plan& plan, const Meter& meter, Communicator& ranks)
    : state_(std::make_unique<State>(plan, meter, ranks)) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

Maximum Simulation::apply(std::vector<Impact> impacts) {
  return state_->apply(std::move(impacts));
}

Maximum Simulation::apply(std::span<const std::int64_t> positions,
                          std::span<const std::int32_t> energies) {
  if (positions.size() != energies.size()) {
    throw InputError(
        fmt::format("{} positions and {} energies: a storm has one energy for each "
                    "position",
                    positions.size(), energies.size()));
  }
  std::vector<Impact> impacts;
  impacts.reserve(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    impacts.push_back({positions[i], energies[i]});
  }
  return apply(std::move(impacts));
}

std::vector<Maximum> Simulation::apply(std::span<const Storm> storms) {
  std::vector<Maximum> maxima;
  maxima.reserve(storms.size());
  for (const Storm& storm : storms) maxima.push_back(apply(storm.impacts));
  return maxima;
}

void Simulation::begin_with(const LayerView& layer) {
  const Plan& plan = state_->plan;
  state_->require_whole_storms();
  if (state_->storms > 0)
    throw InputError("storms have come already; reset() comes before begin_with()");
  require_begins_with_a_layer(plan);
  const Precision given = layer.index() == 1 ? Precision::binary64 : Precision::binary32;
  if (given != plan.precision) {
    throw InputError(fmt::format("{} computes in {} precision and cannot begin with values in {}",
                                 plan.engine, name_of(plan.precision), name_of(given)));
  }
  const auto cells = std::visit([](const auto& values) { return std::ssize(values); }, layer);
  if (cells != plan.cells) {
    throw InputError(fmt::format("{} values are not a layer of {} cells", cells, plan.cells));
  }
  state_->unfinished = true;
  state_->with_device([&] {
    state_->together ? state_->together->begin_with(layer) : state_->alone->begin_with(layer);
  });
  state_->unfinished = false;
}

void Simulation::reset() {
  state_->unfinished = true;
  state_->with_device(
      [&] { state_->together ? state_->together->reset() : state_->alone->reset(); });
  state_->storms = 0;
  state_->last = {};
  state_->evidence.clear();
  state_->unfinished = false;
}

Maximum Simulation::maximum() const {
  state_->require_whole_storms();
  return state_->last;
}

Layer Simulation::layer() {
  std::optional<Layer> whole;
  give_layer([&](Layer piece) {
    if (whole) {
      append(*whole, piece);
    } else {
      whole = std::move(piece);
    }
  });
  return *std::move(whole);
}

void Simulation::give_layer(const LayerSink& sink) {
  state_->require_wanted();
  if (state_->alone) return sink(state_->compute([&] { return state_->alone->layer(); }));
  state_->compute([&] {
    state_->together->give_layer(sink);
    return true;  // compute() returns an answer
  });
}

std::vector<CellValue> Simulation::values_at(std::span<const std::int64_t> cells) {
  state_->require_wanted();
  const std::vector<CellRange> ranges = ranges_of(cells, state_->plan.cells);
  if (state_->alone) return state_->compute([&] { return state_->alone->values_at(ranges); });
  const Layer whole = layer();
  return bombard::values_at(view_of(whole), ranges);
}

PeakList Simulation::highest_peaks(std::int64_t count) {
  state_->require_wanted();
  check_peaks(count);
  const std::int64_t most = std::min(count, state_->plan.cells);
  if (state_->alone) return state_->compute([&] { return state_->alone->highest_peaks(most); });
  const Layer whole = layer();
  return {bombard::highest_peaks(view_of(whole), most)};
}

const std::vector<Evidence>& Simulation::evidence() const {
  state_->require_whole_storms();
  return state_->evidence;
}

const Plan& Simulation::plan() const {
  return state_->plan;
}

std::string Simulation::engine() const {
  return state_->alone ? state_->alone->entry().name : state_->plan.engine;
}

double Simulation::start_seconds() const {
  return state_->start_seconds;
}

std::vector<std::string> Simulation::places() const {
  if (!state_->together) return {};
  return state_->together->places();
}

}  // namespace bombard
