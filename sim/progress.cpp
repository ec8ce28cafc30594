#include "sim/progress.hpp"

#include <algorithm>
#include <utility>

namespace bombard {

namespace {

// The time between two reports within a storm.
constexpr double seconds_between = 0.25;

}  // namespace

ProgressMeter::ProgressMeter(const Plan& plan, std::function<void(const Progress&)> sink)
    : sink_(std::move(sink)), cells_(plan.cells) {
  progress_.storms = plan.storms;
  progress_.interactions = static_cast<double>(plan.cells) * static_cast<double>(plan.impacts);
  progress_.seconds_left = plan.seconds - plan.start_up_seconds;
  if (sink_) sink_(progress_);
}

void ProgressMeter::done(std::int64_t impacts) {
  ++progress_.storms_done;
  progress_.interactions_done -= std::exchange(in_storm_, 0);
  progress_.interactions_done += static_cast<double>(cells_) * static_cast<double>(impacts);
  tell();
}

void ProgressMeter::within(double interactions) {
  in_storm_ += interactions;
  progress_.interactions_done += interactions;
  if (timer_.seconds() >= told_ + seconds_between) tell();
}

void ProgressMeter::tell() {
  progress_.seconds = told_ = timer_.seconds();
  // Storms without impacts cost time too, so they count where there is nothing else to count.
  const double part =
      progress_.interactions > 0
          ? progress_.interactions_done / progress_.interactions
          : static_cast<double>(progress_.storms_done) / static_cast<double>(progress_.storms);
  if (part > 0) progress_.seconds_left = progress_.seconds * std::max(0.0, 1 - part) / part;
  if (sink_) sink_(progress_);
}

}  // namespace bombard
