#include "bombard/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "bombard/simulation.hpp"
#include "inputs/array_file.hpp"
#include "inputs/byte_count.hpp"
#include "kernels/base/profiling_range.hpp"
#include "kernels/base/stoppable_work.hpp"
#include "kernels/base/timer.hpp"
#include "kernels/base/usual_arithmetic.hpp"
#include "kernels/device/device.hpp"
#include "sim/checks.hpp"
#include "sim/plan.hpp"
#include "sim/progress.hpp"
#include "sim/storm_stream.hpp"

namespace bombard {

namespace {

Wanted wanted(const RunOptions& options) {
  if (options.layers != Layers::none || options.initial_path) return Wanted::layer;
  return options.cells_at.empty() && options.peaks == 0 ? Wanted::maxima : Wanted::cells;
}

/// The plan for these storms. Besides the engine there are the storms that wait, in each rank the
/// one that is computed, and what the results keep of each layer. A layer to begin with is there
/// when no other copy is, which a single process plans for; rank 0 reads the whole.
Plan planned(const RunOptions& options, const StormStream& storms, const Communicator& ranks) {
  check_peaks(options.peaks);
  ranges_of(options.cells_at, options.cells);  // refuses cells outside
  Plan plan = make_plan(options.cells, storms.expected(options.settings, wanted(options)), ranks);
  if (options.initial_path) require_begins_with_a_layer(plan);
  const std::int64_t cells = std::min(options.peaks, options.cells) + std::ssize(options.cells_at);
  const bool reads_for_all = options.initial_path && !ranks.is_alone();
  plan.host_bytes =
      total_bytes({plan.host_bytes, storms.bytes(),
                   byte_count({ranks.ranks_on_host() - 1, storms.largest(), sizeof(Impact)}),
                   reads_for_all ? options.cells * bytes_of_cell(plan.precision) : 0,
                   byte_count({storms.storms(), cells, sizeof(CellValue)})});
  require_memory(plan);
  return plan;
}

/// The layer that the first storm falls on, in the engine's precision.
Layer initial_layer(const std::string& path, const Plan& plan) {
  Layer layer = read_layer(path, plan.cells);
  const auto* const single = std::get_if<std::vector<float>>(&layer);
  if (plan.precision == Precision::binary64 && single != nullptr) {
    return std::vector<double>(single->begin(), single->end());
  }
  if (plan.precision == Precision::binary32 && single == nullptr) {
    throw InputError(fmt::format(
        "{}: holds float64, and single precision begins with float32; take precision double, or "
        "write it as float32 if fewer digits will do",
        path));
  }
  return layer;
}

/// One after another: read, apply, report.
class Run {
 public:
  Run(const RunOptions& options, const SimulationObserver& observer, Communicator& ranks)
      : options_(options),
        observer_(observer),
        storms_(options.storm_paths),
        plan_(planned(options, storms_, ranks)),
        ranks_(ranks.ranks()),
        stops_within_(observer.stop && ranks.is_alone() && !plan_.on_gpu) {
    storms_.begin();
    if (observer.begin) observer.begin(plan_);
    Layer initial;
    if (options.initial_path) initial = initial_layer(*options.initial_path, plan_);
    const WallTimer making;
    simulation_.emplace(
        plan_, [this](double interactions) { within(interactions); }, ranks);
    result_.plan = plan_;
    result_.ranks = simulation_->places();
    result_.start_seconds = simulation_->start_seconds();
    result_.simulation_seconds = making.seconds() - result_.start_seconds;
    if (options.initial_path) simulation_->begin_with(view_of(initial));
    meter_.emplace(plan_, [this](const Progress& progress) {
      if (options_.settings.interrupt) options_.settings.interrupt();
      if (observer_.progress) observer_.progress(progress);
    });
  }

  SimulationResult result() {
    try {
      while (std::ssize(result_.storms) < plan_.storms && !(observer_.stop && observer_.stop())) {
        Storm storm = storms_.take();
        may_stop_now_ = stops_within_;
        StormResult found = result_of(std::move(storm));
        may_stop_now_ = false;
        if (observer_.storm) observer_.storm(found);
        if (gives_layer()) simulation_->give_layer(observer_.layer);
        meter_->done(result_.storms.emplace_back(std::move(found)).impacts);
      }
    } catch (const Stopped&) {
      // The storm in progress is lost, also while it is told.
    }
    result_.plan.engine = simulation_->engine();  // another one, where the first gave up
    result_.plan.method = engine_of(result_.plan).method;
    result_.storms_left = plan_.storms - std::ssize(result_.storms);
    result_.reading_seconds = storms_.waited_seconds();
    result_.total_seconds = total_.seconds();
    return std::move(result_);
  }

 private:
  void within(double interactions) {
    if (!meter_) return;
    meter_->within(interactions * ranks_);  // the others have parts of the same size
    if (may_stop_now_ && observer_.stop()) throw Stopped{};
  }

  StormResult result_of(Storm&& storm) {
    const ProfilingRange range("storm");
    StormResult found{.file = std::move(storm.name), .impacts = std::ssize(storm.impacts)};
    found.impacts_outside = std::ranges::count_if(storm.impacts, [&](const Impact& impact) {
      return impact.position < 0 || impact.position >= plan_.cells;
    });
    const WallTimer computing;
    found.maximum = simulation_->apply(std::move(storm.impacts));
    found.seconds = computing.seconds();
    result_.simulation_seconds += found.seconds;
    if (!simulation_->evidence().empty()) found.evidence = simulation_->evidence().back();
    if (!options_.cells_at.empty()) found.cells = simulation_->values_at(options_.cells_at);
    if (options_.peaks > 0) found.peaks = simulation_->highest_peaks(options_.peaks);
    return found;
  }

  /// Of the storm behind those in the result.
  bool gives_layer() const {
    const bool is_last = std::ssize(result_.storms) + 1 == plan_.storms;
    return observer_.layer &&
           (options_.layers == Layers::each || (options_.layers == Layers::last && is_last));
  }

  const WallTimer total_;
  const RunOptions& options_;
  const SimulationObserver& observer_;
  StormStream storms_;
  Plan plan_;
  int ranks_;
  bool stops_within_, may_stop_now_ = false;
  std::optional<Simulation> simulation_;
  std::optional<ProgressMeter> meter_;
  SimulationResult result_{};
};

}  // namespace

SimulationResult run(const RunOptions& options, const SimulationObserver& observer,
                     Communicator& ranks) {
  const ProfilingRange range("simulation");  // tools/profile selects kernels by this name
  const cuda::CallersDevice callers;
  const UsualArithmetic arithmetic;
  const StoppableWork waiting([&](double) {
    if (options.settings.interrupt) options.settings.interrupt();
    if (observer.stop && observer.stop()) throw Stopped{};
  });
  try {
    return Run(options, observer, ranks).result();
  } catch (const Stopped&) {
    SimulationResult nothing{};
    nothing.storms_left = std::ssize(options.storm_paths);
    return nothing;
  }
}

SimulationResult run(const RunOptions& options, const SimulationObserver& observer) {
  Communicator alone;
  return run(options, observer, alone);
}

Plan plan(const RunOptions& options, const Communicator& ranks) {
  const cuda::CallersDevice callers;
  const UsualArithmetic arithmetic;
  return planned(options, StormStream(options.storm_paths), ranks);
}

Plan plan(const RunOptions& options) {
  return plan(options, Communicator());
}

}  // namespace bombard
