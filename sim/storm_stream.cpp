#include "sim/storm_stream.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "bombard/errors.hpp"
#include "kernels/base/cores.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/profiling_range.hpp"
#include "kernels/base/share_out.hpp"
#include "kernels/base/timer.hpp"

namespace bombard {

StormStream::StormStream(std::vector<std::string> paths, std::int64_t most_ahead, Reader read)
    : paths_(std::move(paths)),
      most_ahead_(most_ahead),
      read_(std::move(read)),
      read_once_(paths_.size()) {
  if (std::count(paths_.begin(), paths_.end(), "-") > 1) {
    throw InputError("- (standard input) is given twice, but can be read only once");
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
  impacts_at_once_ = std::min<std::int64_t>(1 << 18, most_ahead_ / 2);
  waited_seconds_ = waiting.seconds();
}

std::int64_t StormStream::impacts() const {
  return std::accumulate(announced_.begin(), announced_.end(), std::int64_t{0});
}

/// Begins to read the next storms in threads of their own: few impacts at first, so that the run
/// can begin soon, and then up to twice the number each time.
void StormStream::read_on() {
  const std::size_t begin = end_of_reading_;
  std::int64_t impacts = 0;
  do {
    impacts += announced_[end_of_reading_++];
  } while (end_of_reading_ < paths_.size() &&
           impacts + announced_[end_of_reading_] <= impacts_at_once_);
  impacts_at_once_ = std::min(2 * impacts_at_once_, most_ahead_ / 2);
  const bool waits = announced_[begin] > largest_ahead_;
  const auto read = [this, begin, end = end_of_reading_] {
    const ProfilingRange range("read");
    std::vector<std::exception_ptr> errors(end - begin);
    being_read_.resize(end - begin);
    cpu::share_out(std::ssize(errors), default_threads(), [&](const auto& each) {
      each([&](std::int64_t at) {
        const std::size_t i = begin + static_cast<std::size_t>(at);
        try {
          being_read_[i - begin] =
              read_once_[i] ? *std::exchange(read_once_[i], {}) : read_(paths_[i]);
        } catch (...) {
          errors[i - begin] = std::current_exception();
        }
      });
    });
    const auto error = std::ranges::find_if(
        errors, [](const std::exception_ptr& error) { return error != nullptr; });
    if (error == errors.end()) return;
    being_read_.resize(static_cast<std::size_t>(error - errors.begin()));  // the storms before it
    std::rethrow_exception(*error);
  };
  reading_ = std::async(waits ? std::launch::deferred : std::launch::async, read);
}

std::size_t StormStream::ready(std::size_t count) {
  const WallTimer waiting;
  if (end_of_reading_ == 0 && !paths_.empty()) read_on();
  while (read_ahead_.size() < count && !error_) {
    try {
      reading_.get();
    } catch (...) {
      error_ = std::current_exception();
    }
    std::ranges::move(std::exchange(being_read_, {}), std::back_inserter(read_ahead_));
    if (end_of_reading_ < paths_.size() && !error_) read_on();
  }
  waited_seconds_ += waiting.seconds();
  if (count > 0 && read_ahead_.empty()) std::rethrow_exception(error_);
  return std::min(count, read_ahead_.size());
}

void StormStream::wait_for(std::size_t count) {
  ready(count);
  if (error_) std::rethrow_exception(error_);
}

std::vector<Storm> StormStream::take(std::size_t count) {
  if (ready(count) < count) std::rethrow_exception(error_);
  const auto end = read_ahead_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<Storm> storms(std::make_move_iterator(read_ahead_.begin()),
                            std::make_move_iterator(end));
  read_ahead_.erase(read_ahead_.begin(), end);
  taken_ += count;
  return storms;
}

}  // namespace bombard
