#include "tools/benchmark/scaling.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>

#include "bombard/errors.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/measure.hpp"
#include "kernels/base/share_out.hpp"
#include "sim/engines/engines.hpp"
#include "sim/generation.hpp"
#include "tools/benchmark/maximum_check.hpp"
#include "tools/benchmark/measurement.hpp"

namespace bombard {

namespace {

constexpr std::int64_t largest_copy = 300'000'000;
// A storm that takes longer is an engine's last.
constexpr double patience_seconds = 4;

struct Shape {
  std::int64_t cells, impacts;
};

struct Measurement {
  double seconds;
  Maximum maximum;
  bool direct;  ///< by all the arithmetic: nothing less proved the maximum
  bool dense;   ///< the layer was stored after all
};

/// The last one of `times` equal storms: from the second on, a storm finds a layer. The median of
/// several runs.
Measurement measure(const EngineEntry& entry, const Shape& shape, const Storm& storm, int times) {
  const auto engine = entry.make({.part = whole_layer(shape.cells),
                                  .storms = times,
                                  .rule = {.threshold = 0},
                                  .keep_layer = false});
  Measurement measured{};
  std::vector<double> seconds;
  const WallTimer all;
  for (int run = 0; run < 4 || (run < 41 && all.seconds() < 1); ++run) {
    engine->reset();
    for (int time = 1; time < times; ++time) engine->apply({&storm, 1});
    const double taken = seconds_of(entry.on_device, [&] {
      measured.maximum = engine->apply({&storm, 1}).at(0);
    });
    const std::vector<Evidence> evidence = engine->evidence();
    measured.direct = !evidence.empty() && evidence.back().direct;
    measured.dense = !evidence.empty() && *evidence.back().why_dense != '\0';
    // The first run finds its memory, but one of seconds is not repeated for that.
    if (run > 0 || taken > 1) seconds.push_back(taken);
    if (taken > 1 && seconds.size() > 1) break;
  }
  if (!seconds.empty()) measured.seconds = median(seconds);
  return measured;
}

/// A copy of a layer in binary64: on the device, or by all cores. A large one in pieces, which need
/// less room, from and to the same memory.
double copy_seconds(std::int64_t cells, bool with_device) {
  if (cells > largest_copy) {
    return static_cast<double>(cells) / largest_copy * copy_seconds(largest_copy, with_device);
  }
  const std::int64_t bytes = cells * static_cast<std::int64_t>(sizeof(double));
  if (with_device) return on_device<DeviceMeasurements>().copy_seconds(bytes);
  require_host_memory(4 * bytes, "a copy of the layer, with as much left for others,");
  const std::vector<double> from(static_cast<std::size_t>(cells), 1.0);
  std::vector<double> to(from.size());
  constexpr std::int64_t piece = 1 << 17;
  return host_seconds([&] {
    cpu::share_out((cells + piece - 1) / piece, omp_get_max_threads(), [&](const auto& each) {
      each([&](std::int64_t i) {
        const std::int64_t size = std::min(piece, cells - i * piece);
        std::memcpy(to.data() + i * piece, from.data() + i * piece,
                    static_cast<std::size_t>(size) * sizeof(double));
      });
    });
  });
}

struct Point {
  double size, seconds;
};

/// The least squares' slope of log time over log size, from some size on.
double exponent(const std::vector<Point>& points, double first) {
  double count = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Point& point : points) {
    if (point.size < first) continue;
    const double size = std::log(point.size);
    const double time = std::log(point.seconds);
    count += 1;
    x += size;
    y += time;
    xx += size * size;
    xy += size * time;
  }
  return (count * xy - x * y) / (count * xx - x * x);
}

/// The time that the larger sizes add.
std::vector<Point> above_the_first(const std::vector<Point>& points) {
  std::vector<Point> added;
  for (const Point& point : points) {
    const double seconds = point.seconds - points.front().seconds;
    if (seconds > 0) added.push_back({point.size, seconds});
  }
  return added;
}

/// Sizes from the first to the last, of a layer or a storm: where cells or impacts are 0, they
/// grow.
struct Growth {
  std::int64_t first, last, cells, impacts;

  bool over_impacts() const { return cells != 0; }
  Shape shape(std::int64_t size) const {
    return {cells == 0 ? size : cells, impacts == 0 ? size : impacts};
  }
  std::string what_stays() const {
    if (cells != 0) return fmt::format("{} cells", cells);
    return impacts == 0 ? "one impact for each" : fmt::format("{} impacts", impacts);
  }
};

/// 1, 3, 10, 30, ... from the first to the last.
std::vector<std::int64_t> half_decades(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = first; size <= last; size *= 10) {
    sizes.push_back(size);
    if (3 * size <= last) sizes.push_back(3 * size);
  }
  return sizes;
}

/// The definition of a study: the engines and sizes that it times.
struct Definition {
  std::string_view name;
  bool (*takes)(const EngineEntry& entry);
  std::vector<Growth> growths;
  bool beside_copies = true;  ///< of a layer
  bool direct_too = false;    ///< engines that do all the arithmetic stay
  int times = 2;              ///< storms up to the one that is timed
  /// Exponents are fitted to sizes down to this many times less than the last: on few cells, other
  /// things than passes cost time.
  double fitted = 100;
};

/// The study of one engine after the other at one shape after the other.
class Study {
 public:
  Study(const Definition& defined, bool with_device)
      : defined_(defined), with_device_(with_device) {
    const bool impacts_first = defined.growths.front().over_impacts();
    std::vector<std::string> columns{"method", impacts_first ? "impacts" : "cells",
                                     impacts_first ? "cells" : "impacts", "milliseconds"};
    if (defined.beside_copies) columns.insert(columns.end(), {"copy milliseconds", "of copy"});
    found_.table = Table(columns);
    for (const Growth& growth : defined.growths) {
      over_impacts_ = growth.over_impacts();
      for (const std::int64_t size : half_decades(growth.first, growth.last)) {
        measure_all(growth.shape(size));
      }
      note_growth(growth.what_stays());
    }
  }

  Scaling result() && { return std::move(found_); }

 private:
  /// Every engine that still takes part.
  void measure_all(const Shape& shape) {
    std::optional<Storm> storm;
    std::optional<MaximumCheck> check;
    for (const EngineEntry& entry : engines()) {
      if (!defined_.takes(entry) || (entry.on_device && !with_device_)) continue;
      if (ended_.contains(entry.name)) continue;
      try {
        if (!check) {
          storm = generate_storm(shape.cells, shape.impacts, 50, 150, 1, 0);
          check.emplace(shape.cells, *storm, defined_.times, with_device_);
        }
        measure_one(entry, shape, *storm, *check);
      } catch (const CannotRun& error) {
        leave_out(entry, shape, error.what());
      }
    }
  }

  /// Notes how times grew since the last note; engines that had left take part again.
  void note_growth(const std::string& where) {
    const std::string sizes = over_impacts_ ? "impacts" : "cells";
    for (const auto& [method, points] : points_) {
      if (points.size() < 3) continue;
      const double last = points.back().size;
      const double first = last / defined_.fitted;
      std::string note = fmt::format(
          "{}, {}: time as {}^{:.3f} from {:.3g} to {:.3g}, {:.3g} times as much in all", method,
          where, sizes, exponent(points, first), std::max(points.front().size, first), last,
          points.back().seconds / points.front().seconds);
      const std::vector<Point> added = above_the_first(points);
      if (defined_.beside_copies && added.size() > 1) {
        note += fmt::format("; what {0} add to the time of {1:g}, as {0}^{2:.3f}", sizes,
                            points.front().size, exponent(added, added.back().size / 100));
      }
      found_.notes.push_back(note);
    }
    points_.clear();
    ended_.clear();
  }

  void measure_one(const EngineEntry& entry, const Shape& shape, const Storm& storm,
                   MaximumCheck& check) {
    const double copy = defined_.beside_copies ? copy_of(shape.cells, entry.on_device) : 0;
    const Measurement measured = measure(entry, shape, storm, defined_.times);
    if (measured.dense) return;
    if (measured.direct && !defined_.direct_too) {
      leave_out(entry, shape, "storms are computed directly from here on");
      return;
    }
    note_if_wrong(entry.name, shape,
                  entry.precision == Precision::binary64 ? check.right_in_double(measured.maximum)
                                                         : check.right_in_single(measured.maximum));
    add(entry.name, shape, copy, measured.seconds);
    if (entry.on_device) {
      const std::string name = fmt::format("{}: convolution alone", entry.name);
      double peak = 0;
      const double seconds = on_device<DeviceMeasurements>().convolution_seconds(
          entry.precision, shape.cells, storm, peak);
      note_if_wrong(name, shape, check.right_about(peak, measured.maximum, entry.precision));
      add(name, shape, copy, seconds);
    }
    if (measured.seconds > patience_seconds) {
      leave_out(entry, shape, "this takes seconds; nothing larger was tried");
    }
  }

  void note_if_wrong(const std::string& method, const Shape& shape, bool right) {
    if (right) return;
    found_.valid = false;
    found_.notes.push_back(
        fmt::format("WRONG: {} at {} cells, {} impacts", method, shape.cells, shape.impacts));
  }

  void leave_out(const EngineEntry& entry, const Shape& shape, const std::string& why) {
    ended_.insert(entry.name);
    found_.notes.push_back(fmt::format("{} ends at {} cells, {} impacts: {}", entry.name,
                                       shape.cells, shape.impacts, why));
  }

  void add(const std::string& method, const Shape& shape, double copy, double seconds) {
    const bool impacts_first = defined_.growths.front().over_impacts();
    const std::int64_t first = impacts_first ? shape.impacts : shape.cells;
    const std::int64_t other = impacts_first ? shape.cells : shape.impacts;
    if (defined_.beside_copies) {
      found_.table.add({method, first, other, 1e3 * seconds, 1e3 * copy, seconds / copy});
    } else {
      found_.table.add({method, first, other, 1e3 * seconds});
    }
    const std::int64_t size = over_impacts_ ? shape.impacts : shape.cells;
    points_[method].push_back({static_cast<double>(size), seconds});
  }

  double copy_of(std::int64_t cells, bool with_device) {
    const auto key = std::pair(cells, with_device);
    if (!copies_.contains(key)) copies_[key] = copy_seconds(cells, with_device);
    return copies_[key];
  }

  const Definition& defined_;
  bool with_device_;
  bool over_impacts_ = false;
  Scaling found_;
  std::set<std::string> ended_;
  std::map<std::pair<std::int64_t, bool>, double> copies_;
  std::map<std::string, std::vector<Point>> points_;
};

bool is_fast(const EngineEntry& entry) {
  return entry.method == Method::fast;
}

bool is_sparse(const EngineEntry& entry) {
  return entry.method == Method::sparse;
}

bool is_single_on_the_processor(const EngineEntry& entry) {
  return !entry.on_device && entry.precision == Precision::binary32 &&
         std::string_view(entry.name) != "reference";
}

const std::vector<Definition>& definitions() {
  constexpr std::int64_t most_cells_not_stored = 1'000'000'000'000'000;
  static const std::vector<Definition> found{
      // Engines drop out before the last size, where memory ends.
      {.name = "cells", .takes = is_fast, .growths = {{10'000, 10'000'000'000, 0, 1000}}},
      // On few cells soon nothing but impacts costs; on many, they still meet new cells.
      {.name = "impacts",
       .takes = is_fast,
       .growths = {{1, 3'000'000'000, 10'000, 0}, {1, 3'000'000'000, 1'000'000, 0}}},
      {.name = "both", .takes = is_fast, .growths = {{10'000, 1'000'000'000, 0, 0}}},
      {.name = "methods",
       .takes = is_single_on_the_processor,
       .growths = {{1'000, most_cells_not_stored, 0, 100}},
       .beside_copies = false,
       .direct_too = true},
      // On a layer that is not stored, only impacts count.
      {.name = "sparse",
       .takes = is_sparse,
       .growths = {{1'000'000, most_cells_not_stored, 0, 1000},
                   {1, 1'000'000, most_cells_not_stored, 0}},
       .beside_copies = false,
       .times = 1,
       .fitted = std::numeric_limits<double>::infinity()}};
  return found;
}

}  // namespace

std::optional<Scaling> scaling(std::string_view study, bool with_device) {
  const auto defined = std::ranges::find(definitions(), study, &Definition::name);
  if (defined == definitions().end()) return {};
  return Study(*defined, with_device).result();
}

}  // namespace bombard
