#include "sim/ranks/engine_of_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/base/timer.hpp"
#include "kernels/device/device.hpp"

namespace bombard {

namespace {

enum class Task : std::uint8_t { make, apply, reset, begin_with, give_layer, end };

/// Rank 0 tells the others, which serve, what all of them do next.
void tell(Communicator& ranks, Task task) {
  if (ranks.is_first()) broadcast(ranks, task);
}

template <class Work>
void each_piece(std::int64_t cells, const Work& work) {
  constexpr std::int64_t most = EngineOfRanks::most_cells_of_piece;
  for (std::int64_t begin = 0; begin < cells; begin += most) {
    work(CellRange{begin, std::min(begin + most, cells)});
  }
}

/// The device of this rank among the devices of its machine.
int device_of_rank(const Communicator& ranks, int of_rank_0) {
  const int devices = std::max(1, static_cast<int>(cuda::devices().size()));
  return (of_rank_0 + ranks.rank_on_host()) % devices;
}

}  // namespace

/// What the engines of all ranks are made from.
struct EngineOfRanks::Made {
  std::ptrdiff_t entry = 0;  ///< its place in engines()
  EngineOptions options = {};
  bool has_share_of_cores = false;  ///< its threads are rank 0's share, not a number asked for
};

EngineOfRanks::EngineOfRanks(Communicator& ranks, const EngineEntry& entry,
                             const EngineOptions& options)
    : ranks_(ranks) {
  tell(ranks_, Task::make);
  make({&entry - engines().data(), options, options.threads == ranks.threads()});
}

void EngineOfRanks::make(Made made) {
  const WallTimer starting;
  broadcast(ranks_, made);
  entry_ = &engines()[static_cast<std::size_t>(made.entry)];
  options_ = made.options;
  if (made.has_share_of_cores) options_.threads = ranks_.threads();
  const CellRange own = slab_of_rank(ranks_.rank(), ranks_.ranks(), total());
  options_.part = part_of_layer(own, total());
  held_ = own.count() > 0 ? with_margin(options_.part, options_.storms).held : own;
  if (entry_->on_device) {
    options_.device = device_of_rank(ranks_, options_.device);
    cuda::use_device(options_.device);
  } else {
    entry_->require_memory(options_, ranks_.ranks_on_host());
  }
  ranks_.meet();  // all ranks of a machine ask for memory before one of them takes any
  if (entry_->on_device) start_seconds_ = starting.seconds();
  if (own.count() > 0) engine_.emplace(*entry_, options_);

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

Maximum EngineOfRanks::apply(KeptStorm storm) {
  tell(ranks_, Task::apply);
  auto count = storm.impacts.size();
  broadcast(ranks_, count);
  broadcast(ranks_, storm.extent);
  storm.impacts.resize(count);
  ranks_.broadcast(std::as_writable_bytes(std::span(storm.impacts)));

  Maximum maximum;
  Evidence evidence;
  if (engine_) {
    maximum = engine_->apply(std::move(storm));
    evidence = engine_->evidence().value_or(Evidence{});
  }
  last_ = {};
  for (const Maximum& of_rank : gather(ranks_, maximum)) maximum = larger(maximum, of_rank);
  for (const Evidence& of_rank : gather(ranks_, evidence)) {
    last_.candidates += of_rank.candidates;
    last_.bound = std::max(last_.bound, of_rank.bound);
    last_.direct |= of_rank.direct;
  }
  return maximum;
}

void EngineOfRanks::reset() {
  tell(ranks_, Task::reset);
  if (engine_) engine_->reset();
}

/// The cells of rank 0's layer that this rank holds.
template <class Value>
Layer EngineOfRanks::held_part(const LayerView& layer) {
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

void EngineOfRanks::begin_with(const LayerView& layer) {
  tell(ranks_, Task::begin_with);
  const bool in_double = entry_->precision == Precision::binary64;
  const Layer held = in_double ? held_part<double>(layer) : held_part<float>(layer);
  if (engine_) engine_->begin_with(view_of(held));
}

template <class Value>
void EngineOfRanks::give(std::vector<Value> own, const LayerSink& sink) {
  const auto counts = gather(ranks_, std::ssize(own));
  if (ranks_.is_first()) sink(std::exchange(own, {}));
  for (int rank = 1; rank < ranks_.ranks(); ++rank) {
    each_piece(counts[static_cast<std::size_t>(rank)], [&](const CellRange& piece) {
      std::vector<Value> cells(static_cast<std::size_t>(piece.count()));
      if (ranks_.rank() == rank) std::ranges::copy(slice(std::span(own), piece), cells.begin());
      ranks_.broadcast(std::as_writable_bytes(std::span(cells)), rank);
      if (ranks_.is_first()) sink(std::move(cells));
    });
  }
}

void EngineOfRanks::give_layer(const LayerSink& sink) {
  tell(ranks_, Task::give_layer);
  Layer own;
  if (entry_->precision == Precision::binary64) own = std::vector<double>();
  if (engine_) own = engine_->layer();
  std::visit([&](auto& cells) { give(std::move(cells), sink); }, own);
}

Layer EngineOfRanks::layer() {
  std::optional<Layer> whole;
  give_layer([&](Layer piece) {
    if (whole) {
      append(*whole, piece);
    } else {
      whole = std::move(piece);
    }
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
  if (has_layer(*entry_)) return {};
  return last_;
}

void serve_first_rank(Communicator& ranks) {
  std::optional<EngineOfRanks> own;
  for (Task task{};;) {
    broadcast(ranks, task);
    if (task == Task::end) return;
    if (task == Task::make) {
      own.reset();
      own.emplace(EngineOfRanks(ranks));
      own->make({});
    }
    if (task == Task::apply) own->apply({});
    if (task == Task::reset) own->reset();
    if (task == Task::begin_with) own->begin_with({});
    if (task == Task::give_layer) own->give_layer({});
  }
}

void end_service(Communicator& ranks) {
  tell(ranks, Task::end);
}

}  // namespace bombard
