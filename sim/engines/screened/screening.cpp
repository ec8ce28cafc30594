#include "sim/engines/screened/screening.hpp"

#include <algorithm>
#include <utility>

#include "sim/engines/highest_peaks.hpp"

namespace bombard {

PeakSearch::PeakSearch(const Screening& screening, std::size_t count, std::size_t few,
                       std::size_t limit)
    : screening_(screening), count_(count), few_(few), limit_(limit), tried_(count) {
  begin_round();
}

void PeakSearch::begin_round() {
  const std::vector<CellValue> best = screening_.best_peaks(tried_);
  least_ = best.empty() ? 0 : std::max(0.0, screening_.lower(best.back().position));
  if (least_ >= complete_from_) least_ = 0;  // there are no more: the rule may have others
  if (auto found = screening_.candidates(least_, complete_from_, few_)) {
    return ask_for(std::move(found));
  }
  asks_for_first_ = true;
  std::vector<std::int64_t> cells;
  for (const CellValue& peak : best) cells.push_back(peak.position);
  std::ranges::sort(cells);
  ask_for(std::move(cells));
}

void PeakSearch::ask_for(std::optional<std::vector<std::int64_t>> candidates) {
  if (!candidates) return give_up();
  candidates_ = *std::move(candidates);
  if (candidates_.empty()) take(std::vector<CellValue>());
}

void PeakSearch::take(const std::optional<std::vector<CellValue>>& peaks) {
  if (!peaks) return give_up();
  peaks_.insert(peaks_.end(), peaks->begin(), peaks->end());
  sort_peaks(peaks_);
  const double lowest = peaks_.size() < count_ ? 0 : peaks_[count_ - 1].value;
  if (std::exchange(asks_for_first_, false)) {
    least_ = std::max(least_, lowest);
    auto found = screening_.candidates(least_, complete_from_, limit_);
    const auto is_known = [&](auto cell) { return std::ranges::binary_search(candidates_, cell); };
    if (found) std::erase_if(*found, is_known);
    ask_for(std::move(found));
  } else if (lowest >= least_) {
    peaks_.resize(std::min(peaks_.size(), count_));
    candidates_.clear();
  } else {
    complete_from_ = least_;
    tried_ *= 4;
    begin_round();
  }
}

void PeakSearch::give_up() {
  std::erase_if(peaks_, [&](const CellValue& peak) { return peak.value < complete_from_; });
  candidates_.clear();
  gave_up_ = true;
}

}  // namespace bombard
