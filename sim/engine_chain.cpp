#include "sim/engine_chain.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "bombard/errors.hpp"

namespace bombard {

std::int64_t bytes_kept(const EngineEntry& entry, std::int64_t impacts) {
  return next_engine(entry) == nullptr ? 0 : impacts * std::int64_t{sizeof(Impact)};
}

EngineChain::EngineChain(const EngineEntry& first, const EngineOptions& options)
    : EngineChain(first, options, first.make(options)) {}

EngineChain::EngineChain(const EngineEntry& first, const EngineOptions& options,
                         std::unique_ptr<Engine> engine)
    : options_(options), first_(&first), entry_(&first), engine_(std::move(engine)) {}

Maximum EngineChain::apply(KeptStorm storm) {
  if (next_engine(*entry_) == nullptr) return engine_->apply(storm.view());
  storms_.push_back(std::move(storm));
  try {
    return engine_->apply(storms_.back().view());
  } catch (const GaveUp& gave_up) {
    return go_on(gave_up.why);
  }
}

/// The next engine, or the next one that has a layer, takes all storms so far. Returns the maximum
/// after the last of them.
Maximum EngineChain::go_on(const char* why, bool with_layer) {
  for (const EngineEntry* before = entry_;;) {
    engine_.reset();  // before the next one takes memory
    entry_ = next_engine(*entry_);
    if (entry_ == nullptr) throw std::logic_error("an engine that never gives up gave up");
    if (with_layer && !has_layer(*entry_)) continue;
    why_ = why;
    try {
      engine_ = entry_->make(options_);
    } catch (const CannotRun& error) {
      throw CannotRun(fmt::format("{}; {} takes the place of {}: {}", error.what(), entry_->name,
                                  before->name, why));
    }
    try {
      Maximum maximum;
      for (const KeptStorm& storm : storms_) maximum = engine_->apply(storm.view());
      if (next_engine(*entry_) == nullptr) storms_.clear();
      return maximum;
    } catch (const GaveUp& gave_up) {
      why = gave_up.why;
      before = entry_;
    }
  }
}

void EngineChain::reset() {
  storms_.clear();
  why_ = "";
  if (entry_ == first_ && engine_) {
    engine_->reset();
    return;
  }
  engine_.reset();
  entry_ = first_;
  engine_ = first_->make(options_);
}

void EngineChain::begin_with(const LayerView& held) {
  engine_->begin_with(held);
}

Layer EngineChain::layer() {
  if (!has_layer(*entry_)) go_on("the layer was asked for", true);
  return engine_->layer();
}

std::vector<CellValue> EngineChain::values_at(std::span<const CellRange> cells) {
  return engine_->values_at(cells);
}

/// A layer that is not stored need not fit into the memory of an engine that would prove more.
PeakList EngineChain::highest_peaks(std::int64_t count) {
  PeakList list = engine_->highest_peaks(count);
  if (list.complete_from == 0 || entry_->method == Method::sparse) return list;
  go_on("not all of the highest peaks are proved");
  return highest_peaks(count);
}

std::optional<Evidence> EngineChain::evidence() const {
  if (next_engine(*first_) == nullptr) return {};
  Evidence found = engine_->evidence().value_or(Evidence{});
  if (entry_->method == Method::direct) {
    found = {.direct = true, .candidates = options_.part.own.count()};
  }
  found.why = why_;
  return found;
}

}  // namespace bombard
