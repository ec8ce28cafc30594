#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bombard/storm.hpp"
#include "inputs/storms/storm_file.hpp"

namespace bombard {

/// The storms of a run, in order. Other threads read them while earlier ones are computed, each
/// thread a file, but not far ahead: memory does not grow with the number of storms. A file
/// announces its impacts at first, and is opened again when its turn comes.
class StormStream {
 public:
  using Reader = std::function<Storm(const std::string& path)>;

  /// At most this number of impacts is read and not yet taken (0.5 GB), unless a single storm has
  /// more.
  static constexpr std::int64_t most_ahead_by_default = std::int64_t{1} << 25;

  /// Looks at the beginning of every file, and reads what can be read only once (a pipe, standard
  /// input for "-"). The other files are read by `read`, which several threads call at once, from
  /// the first call of wait_for() on. Throws InputError for a file that cannot be opened, for
  /// standard input named twice, and for what is read at once and is not a storm.
  explicit StormStream(std::vector<std::string> paths,
                       std::int64_t most_ahead = most_ahead_by_default, Reader read = read_storm);
  StormStream(const StormStream&) = delete;
  StormStream& operator=(const StormStream&) = delete;

  std::int64_t storms() const { return static_cast<std::int64_t>(announced_.size()); }
  /// The impacts of all storms, as their files announce them; a file that holds a different number
  /// is an error.
  std::int64_t impacts() const;
  /// The impacts of each storm that has not been taken.
  std::span<const std::int64_t> left() const { return std::span(announced_).subspan(taken_); }

  /// The most impacts that are read and not yet taken, unless a single storm has more.
  std::int64_t most_ahead() const { return most_ahead_; }

  /// Returns when the next `count` storms are read; with 0, the reading begins. Throws what reading
  /// them threw, or what reading storms behind them has thrown so far.
  void wait_for(std::size_t count);

  /// Waits until the next `count` storms are read, and returns their number, which is less if one
  /// of them cannot be read. Throws what reading the first of them threw.
  std::size_t ready(std::size_t count);

  /// Waits for the next `count` storms and returns them. Throws what reading them threw.
  std::vector<Storm> take(std::size_t count);

  /// Seconds in which the constructor and take() kept their caller waiting.
  double waited_seconds() const { return waited_seconds_; }

 private:
  void read_on();

  std::vector<std::string> paths_;
  std::vector<std::int64_t> announced_;
  std::int64_t most_ahead_;
  /// A storm of more impacts is read when it is waited for, and not while the one before it is
  /// computed.
  std::int64_t largest_ahead_ = std::numeric_limits<std::int64_t>::max();
  Reader read_;
  std::vector<std::optional<Storm>> read_once_;  ///< of paths that are not files, until their turn
  std::size_t taken_ = 0;
  double waited_seconds_ = 0;
  std::deque<Storm> read_ahead_;  ///< read and not taken
  std::exception_ptr error_;      ///< of the storm behind these
  std::size_t end_of_reading_ = 0;
  std::vector<Storm> being_read_;  ///< by other threads, until `reading_` is ready
  std::int64_t impacts_at_once_;   ///< or a single storm
  std::future<void> reading_;      ///< last: it uses all of the above until it ends
};

}  // namespace bombard
