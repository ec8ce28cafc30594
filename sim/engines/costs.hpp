#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "bombard/rule.hpp"
#include "sim/engines/storm_view.hpp"

/// The numbers that decide which way is faster are in this file and in costs.cpp, each next to the
/// function that uses it. To tune engines, change these two files, and measure with `bombard-bench`
/// ("estimate" is the estimated time over the measured one).
///
/// CPU numbers are for one thread of an Intel Xeon with AVX-512 (2026-11-20), GPU numbers for an
/// H200 (2026-11-21); the chapters of docs/journal.md that are named have the measurements. Numbers
/// that tune a kernel's tiles, or a transfer, are next to those.
namespace bombard {

/// The work of a run.
struct Workload {
  std::int64_t cells;
  std::int64_t impacts;  ///< of all storms together
  std::int64_t storms;
};

// ---- How long does a run take? ----

/// What counting costs, as fractions of a direct engine's time for an interaction: for the ends of
/// blocks and for open impacts; and the impacts that the rule adds where binades end: a number for
/// any layer, and one to be multiplied by the root of its cells. For fewer impacts a pass over the
/// layer is not worth its time.
struct CountingCosts {
  double of_ends, of_open, impacts_by_rule, by_rule_of_root;
  double fewest_impacts = 1000;
};

/// The typical costs of an engine, on a GPU or with one thread of the CPU: of its start (without
/// the start of a device), of each storm, however small, of each cell in each storm, of each impact
/// and, if it computes all of them, of each interaction.
struct Costs {
  double start_seconds = 0, storm_seconds = 0, cells_per_second, impacts_per_second;
  double interactions_per_second = 0;
  double fewest_cells = 0;  ///< interactions with fewer cells take as long as this many
  const CountingCosts* counting = nullptr;  ///< null: it cannot count impacts

  /// Seconds for storms of `impacts` impacts in all: without the interactions, and for these alone.
  double of_passes(double cells, double impacts, double storms) const {
    return storms * (storm_seconds + cells / cells_per_second) + impacts / impacts_per_second;
  }
  double of_interactions(double cells, double impacts) const {
    return std::max(cells, fewest_cells) * impacts / interactions_per_second;
  }
};

/// The costs of each engine (docs/journal.md, The cost model; of a GPU, Choosing a device).
namespace costs {
inline constexpr CountingCosts counting{0.04, 6.3, 800, 6};
inline constexpr Costs reference{0, 2e-6, 5e7, 1e7, 3.5e8};
inline constexpr Costs cpu_direct{0, 1e-6, 8e8, 1e9, 4.3e9, 0, &counting};
inline constexpr Costs cpu_fast{1e-3, 6e-5, 2.2e8, 4.5e6};
inline constexpr Costs cpu_sparse{4e-4, 0, 1e18, 1.4e6};
inline constexpr Costs cpu_double{1.5e-3, 5e-6, 2.2e8, 2.5e7};
inline constexpr Costs cuda_staged{3e-3, 4.5e-5, 1e11, 1e9, 7e11, 1e5};
inline constexpr Costs cuda_direct{3e-3, 5e-6, 2.8e11, 1e9, 1.7e12, 7.4e4};
inline constexpr Costs cuda_fast{5e-3, 1e-4, 1.4e11, 2.2e8};
inline constexpr Costs cuda_double{5e-3, 3.5e-5, 1.3e11, 8e8};
}  // namespace costs

/// The speed of the CPU with all threads that a run may use, as a multiple of one thread of the CPU
/// on which the costs of engines were measured.
struct ProcessorSpeed {
  double interactions = 1;  ///< interactions of direct engines
  double passes = 1;        ///< passes of fast engines over a layer
  double one_thread = 1;    ///< interactions of the reference, which has one thread
};

/// The speed of a CPU, from its vector instructions and from the number of threads (0: all cores),
/// which wait for the same memory when they pass over a layer.
ProcessorSpeed processor_speed(int threads);

/// The most seconds that an engine without a layer takes if its impacts share a few cells: nearly
/// all of it is for sorting them and for finding that out.
inline double seconds_of_shared_cells(double impacts) {
  constexpr double to_find_out = 0.3, sorted_per_second = 1.5e7;
  return to_find_out + impacts / sorted_per_second;
}

// ---- Is a fast engine worth it? ----

/// The cost of a storm with all the arithmetic, in interactions of the direct engine.
/// `time` is time_of_counting(), or 1.
inline double cost_of_direct_storm(std::int64_t cells, const StormView& storm, double time = 1) {
  constexpr double relaxation = 4;  // of a cell, its maximum included
  const auto impacts = static_cast<double>(storm.impacts.size());
  return static_cast<double>(cells) * (relaxation + time * impacts);
}

/// Whether uncertainties cell by cell cost less than the candidates that they save, after a storm
/// of `impacts` impacts (docs/methods.md, The bound).
inline bool is_dense(std::int64_t impacts, std::int64_t cells) {
  return 16 * static_cast<double>(impacts) > static_cast<double>(cells);
}

// ---- Are the impacts of a storm counted? ----

/// The fraction of a direct engine's time for a storm's interactions that counting takes; 1 or more
/// if it does not pay (docs/journal.md, Counting). This assumes the square root, and impacts that
/// are spread over the layer and whose shares all count. An impact is added by the rule where its
/// number of units changes: in a block of 32 cells, with e / u the energy in units, these are the
/// impacts nearer than n = (16 e / u)^(2/3), and twice their number beyond. The unit is the unit of
/// the sum, which grows from what `before` impacts left.
double time_of_counting(double cells, double impacts, double before,
                        const CountingCosts& costs = costs::counting);
/// The same for a storm of which every share counts; never more than 1.
double time_of_counting(const StormView& storm, std::int64_t cells, double before,
                        const CountingCosts& costs = costs::counting);

// ---- When is a search for the maximum given up, and all the arithmetic done? ----

/// A screened engine gives up once its candidates have cost more than all the arithmetic for the
/// same storms. This many interactions, over a whole run, are no reason: 2 ms on two cores.
inline constexpr double negligible_interactions = 2e7;
/// What a layer that is not stored may spend on the candidates of a storm, on one thread.
inline constexpr double interactions_of_a_second = costs::cpu_direct.interactions_per_second;
inline constexpr std::int64_t negligible_bytes = std::int64_t{1} << 26;

/// The memory to plan with for the cells that candidates need, in an engine that stores `cells`
/// cells.
inline std::int64_t most_bytes_of_candidates(std::int64_t cells) {
  return negligible_bytes + cells;
}

/// An interaction of a narrow range of cells costs as much as this many of the direct engine, which
/// keeps the sums of whole tiles in registers; likewise an interaction of a tile on a GPU
/// (docs/journal.md, The fast method on the GPU).
inline constexpr double narrow_cost = 3, tile_cost = 1.25;

/// The same for what a launch on a GPU costs besides its interactions: of a round of tiles, and of
/// a storm with all the arithmetic, whose answer is waited for, too.
inline constexpr double cost_of_round = 3e6, cost_of_direct_launch = 2e7;

/// The cost of a storm of `impacts` impacts in a narrow range of `cells` cells, whole vectors: with
/// what a cell costs besides its interactions, and a range besides its cells.
inline double cost_of_narrow_range(double cells, double impacts) {
  constexpr double of_cell = 16, of_range = 2e3;
  return narrow_cost * (cells * (impacts + of_cell) + of_range);
}
/// What an impact costs in a range of any width where impacts are counted, besides the interactions
/// of its cells: the larger blocks examine every impact.
inline constexpr double cost_of_counted_range = 30;
/// The cost of a storm there, with a range for each `most_cells` cells or fewer. `time` is
/// time_of_counting().
inline double cost_of_counted_cells(double cells, double impacts, double time, double most_cells) {
  return impacts * (time * cells + cost_of_counted_range * std::ceil(cells / most_cells));
}

/// The most candidates of a storm on a GPU, 1.5 MiB: more take longer to plan than the
/// direct way takes, and besides these, 30000 impacts fit into the 2 MiB that the driver page-locks
/// at once, in a millisecond.
inline constexpr std::size_t most_candidates_on_gpu = 6 << 14;

// ---- Is the layer stored? ----

/// Where more than one cell in four is in a neighbourhood, passes over the layer take no longer
/// (docs/methods.md, Sparse).
inline bool neighbourhoods_cover(double neighbourhood_cells, double cells) {
  return 4 * neighbourhood_cells > cells;
}

/// Tables of relaxed shares grow with the square of the storms: up to 50 MB for this number of
/// storms.
inline constexpr std::size_t most_sparse_storms = 1000;

/// The most cells of gaps that are looked at one by one. It takes 100 times as long as a storm of
/// few impacts. If these are not enough, hardly any peak is higher than others.
inline constexpr std::int64_t most_in_gaps = 1 << 20;
}  // namespace bombard
