#include "sim/ranks/engine_of_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>
#include <utility>

#include "kernels/device/device.hpp"
#include "sim/ranks/slab.hpp"

namespace bombard {

namespace {

/// What rank 0 asks the others to do with it.
enum class Task : std::uint8_t { make, apply, reset, begin_with, give_layer, end };

void ask(Communicator& others, Task task) {
  broadcast(others, task);
}

template <class Work>
void each_piece(std::int64_t cells, const Work& work) {
  constexpr std::int64_t most = RankOfLayer::most_cells_of_piece;
  for (std::int64_t begin = 0; begin < cells; begin += most) {
    work(CellRange{begin, std::min(begin + most, cells)});
  }
}

/// What the ranks are made from.
struct Made {
  std::ptrdiff_t entry;  ///< its place in engines()
  EngineOptions options;
  bool has_share_of_cores;  ///< the threads are rank 0's share, not a number that was asked for
};

/// The device of this rank among the devices of its machine.
int device_of_rank(const Communicator& ranks, int of_rank_0) {
  const int devices = std::max(1, static_cast<int>(cuda::devices().size()));
  return (of_rank_0 + ranks.rank_on_host()) % devices;
}

}  // namespace

RankOfLayer::RankOfLayer(Communicator& ranks, const EngineEntry* entry,
                         const EngineOptions& options)
    : ranks_(ranks), options_(options) {
  Made made{};
  if (ranks.is_first()) {
    made = {entry - engines().data(), options, options.threads == ranks.threads()};
  }
  broadcast(ranks, made);
  entry_ = &engines()[static_cast<std::size_t>(made.entry)];
  options_ = made.options;
  if (made.has_share_of_cores) options_.threads = ranks.threads();
  options_.part =
      part_of_layer(slab_of_rank(ranks.rank(), ranks.ranks(), made.options.part.total), total());
  held_ = options_.part.own;  // none where the rank has no cells
  if (held_.count() > 0) held_ = with_margin(options_.part, options_.storms).held;
  if (entry_->on_device) {
    options_.device = device_of_rank(ranks, options_.device);
    cuda::use_device(options_.device);
  } else {
    entry_->require_memory(options_, ranks.ranks_on_host());
  }
  ranks.meet();  // all ranks of a machine ask for memory before one of them takes any
  if (options_.part.own.count() > 0) engine_.emplace(*entry_, options_);
  gather_places();
}

void RankOfLayer::gather_places() {
  const CellRange own = options_.part.own;
  const std::string text = fmt::format(
      "rank {} of {} on {}: {}, {}", ranks_.rank(), ranks_.ranks(), ranks_.host(),
      own.count() > 0 ? fmt::format("cells {} to {}", own.begin, own.end - 1) : "no cells",
      entry_->on_device
          ? fmt::format("GPU {}", options_.device)
          : fmt::format("{} thread{}", options_.threads, options_.threads == 1 ? "" : "s"));
  std::array<char, 160> place = {};
  text.copy(place.data(), place.size() - 1);
  for (const auto& of_rank : gather(ranks_, place)) places_.emplace_back(of_rank.data());
}

RankOfLayer::Answer RankOfLayer::apply(const StormView& storm_of_rank_0) {
  auto count = std::ssize(storm_of_rank_0.impacts);
  StormExtent extent = storm_of_rank_0.extent;
  broadcast(ranks_, count);
  broadcast(ranks_, extent);
  std::vector<Impact> received;
  std::span<const Impact> impacts = storm_of_rank_0.impacts;
  if (!ranks_.is_first()) {
    received.resize(static_cast<std::size_t>(count));
    impacts = received;
  }
  // Rank 0 sends its impacts, which nothing writes to.
  ranks_.broadcast(std::as_writable_bytes(
      std::span(const_cast<Impact*>(impacts.data()), impacts.size())));  // NOLINT
  struct OfRank {
    Maximum maximum;
    std::int64_t candidates, cells_seen;
    double bound;
    bool direct;
  } own{};
  if (engine_) {
    own.maximum = engine_->apply({impacts, extent});
    const Evidence found = engine_->evidence().value_or(Evidence{});
    own = {own.maximum, found.candidates, found.cells_seen, found.bound, found.direct};
  }
  Answer answer;
  for (const OfRank& of_rank : gather(ranks_, own)) {
    answer.maximum = larger(answer.maximum, of_rank.maximum);
    answer.evidence.candidates += of_rank.candidates;
    answer.evidence.cells_seen += of_rank.cells_seen;
    answer.evidence.bound = std::max(answer.evidence.bound, of_rank.bound);
    answer.evidence.direct |= of_rank.direct;
  }
  return answer;
}

void RankOfLayer::reset() {
  if (engine_) engine_->reset();
}

/// The cells of rank 0's layer that this rank holds.
template <class Value>
Layer RankOfLayer::held_part(const LayerView& layer) {
  std::vector<Value> held, cells;
  each_piece(total(), [&](const CellRange& piece) {
    cells.resize(static_cast<std::size_t>(piece.count()));
    if (ranks_.is_first()) {
      std::ranges::copy(slice(std::get<std::span<const Value>>(layer), piece), cells.begin());
    }
    ranks_.broadcast(std::as_writable_bytes(std::span(cells)));
    const CellRange common = piece.common(held_);
    if (common.count() <= 0) return;
    const auto own = slice(std::span(cells), common.counted_from(piece.begin));
    held.insert(held.end(), own.begin(), own.end());
  });
  return held;
}

void RankOfLayer::begin_with(const LayerView& layer_of_rank_0) {
  const Layer held = entry_->precision == Precision::binary64 ? held_part<double>(layer_of_rank_0)
                                                              : held_part<float>(layer_of_rank_0);
  if (engine_) engine_->begin_with(view_of(held));
}

template <class Value>
void RankOfLayer::give(std::vector<Value> own, const LayerSink& sink) {
  const auto counts = gather(ranks_, static_cast<std::int64_t>(own.size()));
  if (ranks_.is_first()) {
    if (!own.empty()) sink(std::move(own));
    own = {};
  }
  for (int rank = 1; rank < ranks_.ranks(); ++rank) {
    each_piece(counts[static_cast<std::size_t>(rank)], [&](const CellRange& piece) {
      std::vector<Value> cells(static_cast<std::size_t>(piece.count()));
      if (ranks_.rank() == rank) std::ranges::copy(slice(std::span(own), piece), cells.begin());
      ranks_.broadcast(std::as_writable_bytes(std::span(cells)), rank);
      if (ranks_.is_first()) sink(std::move(cells));
    });
  }
}

void RankOfLayer::give_layer(const LayerSink& sink) {
  Layer own = entry_->precision == Precision::binary64 ? Layer(std::vector<double>())
                                                       : Layer(std::vector<float>());
  if (engine_) own = engine_->layer();
  std::visit([&](auto& cells) { give(std::move(cells), sink); }, own);
}

EngineOfRanks::EngineOfRanks(Communicator& ranks, const EngineEntry& entry,
                             const EngineOptions& options)
    : ranks_(ranks), screens_(!has_layer(entry)) {
  ask(ranks_, Task::make);
  own_ = std::make_unique<RankOfLayer>(ranks, &entry, options);
}

Maximum EngineOfRanks::apply(const StormView& storm) {
  ask(ranks_, Task::apply);
  const RankOfLayer::Answer answer = own_->apply(storm);
  last_ = answer.evidence;
  return answer.maximum;
}

void EngineOfRanks::reset() {
  ask(ranks_, Task::reset);
  own_->reset();
}

void EngineOfRanks::begin_with(const LayerView& layer) {
  ask(ranks_, Task::begin_with);
  own_->begin_with(layer);
}

void EngineOfRanks::give_layer(const LayerSink& sink) {
  ask(ranks_, Task::give_layer);
  own_->give_layer(sink);
}

Layer EngineOfRanks::layer() {
  std::optional<Layer> whole;
  give_layer([&](Layer piece) {
    if (!whole) {
      whole = std::move(piece);
      return;
    }
    std::visit(
        [&]<class Value>(std::vector<Value>& cells) {
          const auto& more = std::get<std::vector<Value>>(piece);
          cells.insert(cells.end(), more.begin(), more.end());
        },
        *whole);
  });
  return *std::move(whole);
}

std::vector<CellValue> EngineOfRanks::values_at(std::span<const CellRange> cells) {
  const Layer whole = layer();
  return bombard::values_at(view_of(whole), cells);
}

PeakList EngineOfRanks::highest_peaks(std::int64_t count) {
  const Layer whole = layer();
  return {bombard::highest_peaks(view_of(whole), count)};
}

std::optional<Evidence> EngineOfRanks::evidence() const {
  if (!screens_) return {};
  return last_;
}

void serve_first_rank(Communicator& ranks) {
  std::unique_ptr<RankOfLayer> own;
  for (Task task{};;) {
    broadcast(ranks, task);
    switch (task) {
      case Task::make:
        own.reset();
        own = std::make_unique<RankOfLayer>(ranks);
        break;
      case Task::apply: own->apply({}); break;
      case Task::reset: own->reset(); break;
      case Task::begin_with: own->begin_with({}); break;
      case Task::give_layer: own->give_layer({}); break;
      case Task::end: return;
    }
  }
}

void end_service(Communicator& ranks) {
  ask(ranks, Task::end);
}

}  // namespace bombard
