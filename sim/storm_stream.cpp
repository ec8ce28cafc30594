#include "sim/storm_stream.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "bombard/errors.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/profiling_range.hpp"
#include "kernels/base/timer.hpp"

namespace bombard {

namespace {

/// Leaves most of the files that this process may have open (1024 on most systems) to the outputs
/// and to the driver of a GPU.
std::size_t most_open_files() {
  const long limit = ::sysconf(_SC_OPEN_MAX);
  return limit < 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(limit / 4);
}

}  // namespace

StormStream::Reader StormStream::default_reader() {
  return [](StormFile& file) { return file.read(); };
}

StormStream::Reader StormStream::reads_only_once() {
  return [](StormFile& file) {
    return file.announced_impacts() ? Storm{file.name(), {}} : file.read();
  };
}

StormStream::StormStream(std::vector<std::string> paths, std::int64_t most_ahead, Reader read)
    : paths_(std::move(paths)),
      most_ahead_(most_ahead),
      read_(std::move(read)),
      most_open_(most_open_files()),
      files_(paths_.size()),
      read_once_(paths_.size()) {
  if (std::count(paths_.begin(), paths_.end(), "-") > 1) {
    throw InputError("- (standard input) is named twice, but can be read only once");
  }
  const WallTimer waiting;
  announced_.reserve(paths_.size());
  for (std::size_t i = 0; i < paths_.size(); ++i) look_at(i);
  constexpr std::int64_t few_impacts = 1 << 16;
  if (impacts() > few_impacts) {
    const std::int64_t room = available_host_memory() / static_cast<std::int64_t>(sizeof(Impact));
    most_ahead_ = std::min(most_ahead_, room / 8);
    largest_ahead_ = room / 4;
  }
  waited_seconds_ = waiting.seconds();
  reader_ = std::jthread([this] { read_all(); });
}

void StormStream::look_at(std::size_t i) {
  StormFile& file = files_[i].emplace(paths_[i]);
  if (const std::optional<std::int64_t> impacts = file.announced_impacts()) {
    announced_.push_back(*impacts);
    if (i >= most_open_) files_[i].reset();
  } else {
    const ProfilingRange range("read");
    read_once_[i] = read_(file);
    announced_.push_back(static_cast<std::int64_t>(read_once_[i]->impacts.size()));
    files_[i].reset();
  }
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
    Storm storm = next(i);
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

Storm StormStream::next(std::size_t i) {
  if (read_once_[i]) {
    Storm storm = std::move(*read_once_[i]);
    read_once_[i].reset();
    return storm;
  }
  if (!files_[i]) files_[i].emplace(paths_[i]);  // one behind the first most_open_
  Storm storm = read_(*files_[i]);
  files_[i].reset();
  return storm;
}

void StormStream::wait_for(std::size_t count) {
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
