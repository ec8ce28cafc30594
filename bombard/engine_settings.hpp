#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "bombard/simulation.hpp"
#include "bombard/storm.hpp"
#include "kernels/layer/cell_range.hpp"
#include "sim/selection.hpp"

/// What the library asks of the floors below, from the settings of its callers. Not installed.
namespace bombard {

/// Throws InputError for a position beyond largest_position, of the impact of that index.
void check_position(std::int64_t position, std::size_t index);
/// For the impacts of a storm.
void check_positions(std::span<const Impact> impacts);

/// As ranges where cells stand one behind the other, in their order. Throws InputError for a cell
/// that is not in the layer.
std::vector<CellRange> ranges_of(std::span<const std::int64_t> list, std::int64_t cells);
/// Throws InputError for a number of peaks below 0.
void check_peaks(std::int64_t peaks);

/// The engine for a layer of workload.cells. Throws as select_engine() does, and InputError for
/// settings that are none.
Selection selection_for(const SimulationSettings& settings, const Workload& workload);

/// For that engine, of the whole layer; the layer can be asked for.
EngineOptions engine_options(const SimulationSettings& settings, const Workload& workload,
                             const Selection& selection);

/// Passes the question whether to go on to the caller, several times a second.
class Interrupt {
 public:
  explicit Interrupt(std::function<void()> ask) : ask_(std::move(ask)) {}

  bool is_asked() const { return static_cast<bool>(ask_); }
  void maybe_ask() {
    if (!ask_) return;
    const auto now = Clock::now();
    if (now - asked_ < std::chrono::milliseconds(50)) return;
    asked_ = now;
    ask_();
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::function<void()> ask_;
  Clock::time_point asked_ = Clock::now();
};

}  // namespace bombard
