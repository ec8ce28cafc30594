#include "sim/storm_stream.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <utility>

#include "bombard/errors.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/profiling_range.hpp"
#include "kernels/base/stoppable_work.hpp"
#include "kernels/base/timer.hpp"

namespace bombard {

namespace {

/// Whether a program may still be writing what will be read there: a pipe, a device, standard
/// input.
bool comes_when_written(const std::string& path) {
  std::error_code error;
  return path == "-" || std::filesystem::is_other(path, error);
}

}  // namespace

StormStream::StormStream(std::vector<std::string> paths, std::int64_t most_ahead, Reader read)
    : paths_(std::move(paths)), most_ahead_(most_ahead), read_(std::move(read)) {
  if (std::count(paths_.begin(), paths_.end(), "-") > 1) {
    throw InputError("- (standard input) is given twice, but can be read only once");
  }
  const WallTimer waiting;
  announced_.reserve(paths_.size());
  std::vector<std::size_t> later;
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    std::optional<std::int64_t> impacts = announced_impacts_of_file(paths_[i]);
    if (!impacts && i > 0 && comes_when_written(paths_[i])) {
      later.push_back(i);
    } else if (!impacts) {
      const ProfilingRange range("read");
      Storm storm = read_(paths_[i]);
      impacts = std::ssize(storm.impacts);
      if (i == 0) first_ = std::move(storm);
    }
    announced_.push_back(impacts.value_or(0));
  }
  for (const std::size_t i : later) announced_[i] = largest();
  constexpr std::int64_t few_impacts = 1 << 16;
  if (impacts() > few_impacts) {
    const std::int64_t room = available_host_memory() / static_cast<std::int64_t>(sizeof(Impact));
    most_ahead_ = std::min(most_ahead_, room / 8);
  }
  waited_seconds_ = waiting.seconds();
}

StormStream::~StormStream() {
  {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  if (reading_.joinable()) reading_.join();
}

std::int64_t StormStream::impacts() const {
  return std::accumulate(announced_.begin(), announced_.end(), std::int64_t{0});
}

std::int64_t StormStream::largest() const {
  return announced_.empty() ? 0 : std::ranges::max(announced_);
}

SimulationSettings StormStream::expected(SimulationSettings settings, Wanted wanted) const {
  settings.expected_storms = storms();
  settings.expected_impacts = impacts();
  settings.exactly_these = true;
  settings.wanted = wanted;
  return settings;
}

std::int64_t StormStream::bytes() const {
  return std::min(impacts(), 2 * std::max(largest(), most_ahead_)) *
         static_cast<std::int64_t>(sizeof(Impact));
}

void StormStream::begin() {
  if (!reading_.joinable()) reading_ = std::thread(&StormStream::read_all, this);
}

/// Whether a storm of this size may be read now: a large one only when it is waited for, and not
/// while the one before it is computed.
bool StormStream::has_room(std::int64_t impacts) const {
  return impacts_ahead_ + impacts <= most_ahead_ || (ahead_.empty() && is_waited_for_);
}

void StormStream::read_all() {
  const StoppableWork reading([this](double) {
    if (is_over_) throw Stopped{};  // nobody takes what would be read
  });
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return is_over_ || has_room(announced_[i]); });
      if (is_over_) return;
    }
    try {
      const ProfilingRange range("read");
      Storm storm = i == 0 && first_ ? *std::exchange(first_, {}) : read_(paths_[i]);
      const std::scoped_lock lock(mutex_);
      impacts_ahead_ += std::ssize(storm.impacts);
      ahead_.push_back(std::move(storm));
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      error_ = std::current_exception();
    }
    changed_.notify_all();
    if (error_) return;  // set in this thread alone
  }
}

Storm StormStream::take() {
  const WallTimer waiting;
  begin();
  std::unique_lock lock(mutex_);
  is_waited_for_ = true;
  changed_.notify_all();
  const auto is_read = [&] { return !ahead_.empty() || error_; };
  while (!changed_.wait_for(lock, std::chrono::milliseconds(100), is_read)) {
    StoppableWork::may_stop();
  }
  is_waited_for_ = false;
  waited_seconds_ += waiting.seconds();
  if (ahead_.empty()) std::rethrow_exception(error_);
  Storm storm = std::move(ahead_.front());
  ahead_.pop_front();
  impacts_ahead_ -= std::ssize(storm.impacts);
  changed_.notify_all();
  return storm;
}

}  // namespace bombard
