#include "sim/engines/processor_speed.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

#include "kernels/base/timer.hpp"
#include "sim/engines/engines.hpp"

namespace bombard {

namespace {

// The measured storms keep all threads busy for about half a millisecond each, the first of them to
// make tables and threads. The quickest of the others counts: the rest may have waited for another
// process.
constexpr std::int64_t measured_storms = 6;
constexpr Workload many_interactions{1 << 15, 128, 1};
constexpr Workload many_cells{1 << 18, 64, 1};
// The seconds for a storm of the thread on which the costs were measured.
constexpr double typical_seconds_of_interactions = 1.04e-3;
constexpr double typical_seconds_of_cells = 1.0e-3;

/// Seconds that an engine takes for such a storm.
double measured_seconds(const char* name, const Workload& workload, int threads) {
  const std::unique_ptr<Engine> engine = find_engine(name)->make_on_processor(
      {.part = whole_layer(workload.cells), .storms = measured_storms, .threads = threads});
  Storm storm{"", {}};
  for (std::int64_t i = 0; i < workload.impacts; ++i) {
    storm.impacts.push_back({i * workload.cells / workload.impacts, 1000});
  }
  engine->apply({&storm, 1});
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t i = 1; i < measured_storms; ++i) {
    const WallTimer timer;
    engine->apply({&storm, 1});
    least = std::min(least, timer.seconds());
  }
  return least;
}

/// On a busy machine threads wait for each other longer than so little work takes: then one thread
/// tells more than all.
ProcessorSpeed measure(int threads) {
  const double interactions_by_one = measured_seconds("cpu_direct", many_interactions, 1);
  const double interactions =
      std::min(interactions_by_one, measured_seconds("cpu_direct", many_interactions, threads));
  const double cells = std::min(measured_seconds("cpu_double", many_cells, 1),
                                measured_seconds("cpu_double", many_cells, threads));
  return {.interactions = typical_seconds_of_interactions / interactions,
          .passes = typical_seconds_of_cells / cells,
          .one_thread = typical_seconds_of_interactions / interactions_by_one};
}

}  // namespace

ProcessorSpeed typical_speed(int threads) {
  const auto count = static_cast<double>(thread_count({.part = {}, .threads = threads}));
  return {count, count, 1};
}

const ProcessorSpeed& measured_speed(int threads) {
  static std::mutex measuring;
  static std::map<int, ProcessorSpeed> known;
  const std::scoped_lock lock(measuring);
  const auto at = known.find(threads);
  return at != known.end() ? at->second : known.emplace(threads, measure(threads)).first->second;
}

}  // namespace bombard
