#include "sim/storm_stream.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "bombard/errors.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/profiling_range.hpp"
#include "kernels/base/timer.hpp"

namespace bombard {

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
    std::optional<std::int64_t> impacts = announced_impacts_of_file(paths_[i]);
    if (!impacts) {
      const ProfilingRange range("read");
      impacts = std::ssize(read_once_[i].emplace(read_(paths_[i])).impacts);
    }
    announced_.push_back(*impacts);
  }
  constexpr std::int64_t few_impacts = 1 << 16;
  if (impacts() > few_impacts) {
    const std::int64_t room = available_host_memory() / static_cast<std::int64_t>(sizeof(Impact));
    most_ahead_ = std::min(most_ahead_, room / 8);
    largest_ahead_ = room / 4;
  }
  waited_seconds_ = waiting.seconds();
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
        return over_ || read_ahead_.size() < wanted_ ||
               (read_ahead_.empty() && announced_[i] <= largest_ahead_) ||
               impacts_ahead_ + announced_[i] <= most_ahead_;
      });
      if (over_) return;
    }
    const ProfilingRange range("read");
    Storm storm = read_once_[i] ? *std::exchange(read_once_[i], std::nullopt) : read_(paths_[i]);
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

void StormStream::wait_for(std::size_t count) {
  if (!reader_.joinable()) reader_ = std::jthread([this] { read_all(); });
  const WallTimer waiting;
  std::unique_lock lock(mutex_);
  wanted_ = count;
  changed_.notify_all();
  changed_.wait(lock, [&] { return error_ != nullptr || read_ahead_.size() >= count; });
  wanted_ = 0;
  if (error_ != nullptr) std::rethrow_exception(error_);
  waited_seconds_ += waiting.seconds();
}

std::vector<Storm> StormStream::take(std::size_t count) {
  wait_for(count);
  const std::lock_guard lock(mutex_);
  const auto end = read_ahead_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<Storm> storms(std::make_move_iterator(read_ahead_.begin()),
                            std::make_move_iterator(end));
  read_ahead_.erase(read_ahead_.begin(), end);
  for (const Storm& storm : storms) {
    impacts_ahead_ -= static_cast<std::int64_t>(storm.impacts.size());
  }
  taken_ += count;
  changed_.notify_all();
  return storms;
}

}  // namespace bombard
