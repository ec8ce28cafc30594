#include "sim/storm_stream.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "inputs/errors.hpp"
#include "inputs/storm_count.hpp"
#include "inputs/storm_text.hpp"
#include "kernels/base/profiling_range.hpp"
#include "kernels/base/timer.hpp"

namespace bombard {

StormStream::Reader StormStream::default_reader() {
  return read_storm;
}

StormStream::StormStream(std::vector<std::string> paths, std::int64_t most_ahead, Reader read)
    : paths_(std::move(paths)),
      most_ahead_(most_ahead),
      read_(std::move(read)),
      read_once_(paths_.size()) {
  if (std::count(paths_.begin(), paths_.end(), "-") > 1) {
    throw InputError("- (standard input) is named twice, but can be read only once");
  }
  const WallTimer waiting;
  announced_.reserve(paths_.size());
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    std::optional<std::int64_t> impacts = announced_impacts(paths_[i]);
    if (!impacts) {
      const ProfilingRange range("read");
      read_once_[i] = read_(paths_[i]);
      impacts = static_cast<std::int64_t>(read_once_[i]->impacts.size());
    }
    announced_.push_back(*impacts);
  }
  waited_seconds_ = waiting.seconds();
  reader_ = std::jthread([this] { read_all(); });
}

StormStream::~StormStream() {
  const std::lock_guard lock(mutex_);
  over_ = true;
  changed_.notify_all();
}

std::int64_t StormStream::impacts() const {
  return std::accumulate(announced_.begin(), announced_.end(), std::int64_t{0});
}

void StormStream::read_all() try {
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] {
        return over_ || read_ahead_.empty() || read_ahead_.size() < wanted_ ||
               impacts_ahead_ + announced_[i] <= most_ahead_;
      });
      if (over_) return;
    }
    const ProfilingRange range("read");
    Storm storm = read_once_[i] ? std::move(*read_once_[i]) : read_(paths_[i]);
    read_once_[i].reset();
    const std::lock_guard lock(mutex_);
    impacts_ahead_ += static_cast<std::int64_t>(storm.impacts.size());
    read_ahead_.push_back(std::move(storm));
    changed_.notify_all();
  }
} catch (...) {
  const std::lock_guard lock(mutex_);
  error_ = std::current_exception();
  changed_.notify_all();
}

std::vector<Storm> StormStream::take(std::size_t count) {
  const WallTimer waiting;
  std::unique_lock lock(mutex_);
  wanted_ = count;
  changed_.notify_all();
  changed_.wait(lock, [&] { return error_ != nullptr || read_ahead_.size() >= count; });
  wanted_ = 0;
  if (error_ != nullptr) std::rethrow_exception(error_);
  const auto end = read_ahead_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<Storm> storms(std::make_move_iterator(read_ahead_.begin()),
                            std::make_move_iterator(end));
  read_ahead_.erase(read_ahead_.begin(), end);
  for (const Storm& storm : storms) {
    impacts_ahead_ -= static_cast<std::int64_t>(storm.impacts.size());
  }
  taken_ += count;
  changed_.notify_all();
  waited_seconds_ += waiting.seconds();
  return storms;
}

}  // namespace bombard
