#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bombard/settings.hpp"
#include "bombard/storm.hpp"
#include "inputs/storms/storm_file.hpp"

namespace bombard {

/// The storms of a run, in order. Another thread reads them while earlier ones are computed, but
/// not far ahead: memory does not grow with the number of storms. A file announces its impacts at
/// first, and is opened again when its turn comes.
class StormStream {
 public:
  using Reader = std::function<Storm(const std::string& path)>;

  /// At most this number of impacts is read and not yet taken (0.5 GB).
  static constexpr std::int64_t most_ahead_by_default = std::int64_t{1} << 25;

  /// Looks at the beginning of every file, and reads the first storm if it can be read only once (a
  /// pipe, standard input for "-"). The other storms are read by `read` in a thread of its own,
  /// from the first call of begin() or take() on, a pipe when its turn comes. Throws InputError for
  /// a file that cannot be opened, for standard input named twice, and for a first storm from a
  /// pipe that is none.
  explicit StormStream(std::vector<std::string> paths,
                       std::int64_t most_ahead = most_ahead_by_default, Reader read = read_storm);
  ~StormStream();
  StormStream(const StormStream&) = delete;
  StormStream& operator=(const StormStream&) = delete;

  std::int64_t storms() const { return static_cast<std::int64_t>(announced_.size()); }
  /// The impacts of all storms, as their files announce them; a file that holds a different number
  /// is an error. And those of the largest storm. A pipe behind the first storm announces nothing;
  /// it counts as the largest storm does.
  std::int64_t impacts() const;
  std::int64_t largest() const;

  /// The settings of a simulation of these storms and of no others.
  SimulationSettings expected(SimulationSettings settings, Wanted wanted) const;

  /// The bytes of the storms that are read and not yet computed, at most.
  std::int64_t bytes() const;

  /// Begins to read.
  void begin();

  /// Waits for the next storm and returns it. Throws what reading it threw. The wait can be stopped
  /// (StoppableWork).
  Storm take();

  /// Seconds in which the constructor and take() kept their caller waiting.
  double waited_seconds() const { return waited_seconds_; }

 private:
  void read_all();
  bool has_room(std::int64_t impacts) const;

  std::vector<std::string> paths_;
  std::vector<std::int64_t> announced_;
  std::int64_t most_ahead_;
  Reader read_;
  std::optional<Storm> first_;  ///< if it can be read only once, until its turn
  double waited_seconds_ = 0;

  std::mutex mutex_;  ///< of what follows
  std::condition_variable changed_;
  std::deque<Storm> ahead_;  ///< read and not taken
  std::int64_t impacts_ahead_ = 0;
  std::exception_ptr error_;  ///< of the storm behind these
  bool is_waited_for_ = false;
  std::atomic<bool> is_over_ = false;
  std::thread reading_;
};

}  // namespace bombard
