#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bombard/errors.hpp"
#include "bombard/layer.hpp"
#include "bombard/maximum.hpp"
#include "bombard/plan.hpp"
#include "bombard/settings.hpp"
#include "bombard/simulation_observer.hpp"
#include "bombard/storm.hpp"

namespace bombard {

class Communicator;  // the ranks of bombard-mpi

/// The names of all engines; an engine on a GPU may be missing in this build.
[[gnu::visibility("default")]] std::vector<std::string> engine_names();

/// The plan of a simulation with these settings and their expected storms and impacts. It computes
/// nothing. Throws as Simulation does.
[[gnu::visibility("default")]] Plan plan(std::int64_t cells,
                                         const SimulationSettings& settings = {});

/// A layer, and the engine that applies storms to it. In single precision every device and method
/// gives the same maxima, bit for bit.
///
/// Several simulations may exist at once; each serves one thread at a time, any thread. No call
/// changes the state of the process or of the thread: the caller's current GPU is current again
/// when a call ends. Errors are InputError, for a wrong argument or file, and CannotRun, for a
/// request that this machine cannot serve (std::bad_alloc if the system refuses memory that it
/// reported as free). After an exception from a call that computes (apply(), layer(), values_at(),
/// highest_peaks()) the layer is lost: call reset() next.
class [[gnu::visibility("default")]] Simulation {
 public:
  /// Called several times a second with the interactions done since the last call, in the thread
  /// that computes; an exception from it ends the call.
  using Meter = std::function<void(double interactions)>;

  /// A layer of `cells` cells, 1 or more, all 0. The GPU is started here.
  explicit Simulation(std::int64_t cells, const SimulationSettings& settings = {});
  /// The same as planned.
  explicit Simulation(const Plan& plan, const Meter& meter = {});
  /// The same by several ranks, of which this process is the first.
  Simulation(const Plan& plan, const Meter& meter, Communicator& ranks);
  ~Simulation();
  Simulation(Simulation &&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Applies a storm of these impacts, in this order; returns the maximum after it. They are kept
  /// while another engine may have to take them again.
  Maximum apply(std::vector<Impact> impacts);
  /// The same from cell indices and energies in thousands, one energy for each index.
  Maximum apply(std::span<const std::int64_t> positions, std::span<const std::int32_t> energies);
  /// Applies several storms, in order; returns the maximum after each.
  std::vector<Maximum> apply(std::span<const Storm> storms);

  /// Call it before the first storm: the storms then fall on these values, one for each cell,
  /// instead of 0. They are float in single precision, where the engine must be a direct one, and
  /// double in double precision.
  void begin_with(const LayerView& layer);
  /// Sets the layer back to 0.
  void reset();

  /// The maximum after the last storm; {0, 0} before the first.
  Maximum maximum() const;
  /// The cells after the last storm: float in single precision, where they are the rule's, bit for
  /// bit, and double in double precision. A fast or a sparse engine in single precision has none: a
  /// direct engine takes all storms so far again, and goes on.
  Layer layer();
  /// The same in pieces; of several ranks none holds the whole layer.
  void give_layer(const LayerSink& sink);
  /// The values of these cells, each inside the layer, in the order of the list; and the `count`
  /// highest peaks, or all: cells above 0 that exceed both their neighbours, the highest first, and
  /// among equals the smaller position first. The values are those of layer(). A sparse engine
  /// computes them without a layer if it can.
  std::vector<CellValue> values_at(std::span<const std::int64_t> cells);
  PeakList highest_peaks(std::int64_t count);
  /// How each maximum since the beginning was found; empty where the first engine always does all
  /// the arithmetic.
  const std::vector<Evidence>& evidence() const;

  /// The plan that it follows: cells, precision, the name of the device, why the first engine was
  /// chosen.
  const Plan& plan() const;
  /// The engine that computes now ("cpu_direct"); in several ranks the first one.
  std::string engine() const;

  double start_seconds() const;             ///< of the GPU
  std::vector<std::string> places() const;  ///< of the ranks, for people; empty in one process

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bombard
