#include "sim/ranks/engine_of_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
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

/// Some cells of a layer.
Layer cells_of(const LayerView& layer, const CellRange& cells) {
  return std::visit([&](const auto& all) { return own_cells(all, Part{cells, {}, 0}); }, layer);
}

std::span<std::byte> bytes_of(Layer& layer) {
  return std::visit([](auto& cells) { return std::as_writable_bytes(std::span(cells)); }, layer);
}

}  // namespace

EngineOfRanks::EngineOfRanks(Communicator& ranks, const EngineEntry& entry,
                             const EngineOptions& options)
    : ranks_(ranks) {
  tell(ranks_, Task::make);
  make(&entry - engines().data(), options);
}

/// Engine number `entry` of all, on this rank's part.
void EngineOfRanks::make(std::ptrdiff_t entry, const EngineOptions& options) {
  const WallTimer starting;
  options_ = options;
  bool takes_its_share = options.threads == ranks_.threads();  // of the cores, as rank 0 does
  broadcast(ranks_, entry);
  broadcast(ranks_, options_);
  broadcast(ranks_, takes_its_share);
  entry_ = &engines()[static_cast<std::size_t>(entry)];
  if (takes_its_share) options_.threads = ranks_.threads();
  const CellRange own = part_of(ranks_.rank()).own;
  options_.part = part_of_layer(own, options_.part.total);
  std::string place = fmt::format("{} thread{}", options_.threads, options_.threads > 1 ? "s" : "");
  if (entry_->on_device) {
    options_.device += ranks_.rank_on_host();
    options_.device %= std::max(1, static_cast<int>(cuda::devices().size()));
    place = fmt::format("GPU {}", options_.device);
    cuda::use_device(options_.device);
    ranks_.meet();
    start_seconds_ = starting.seconds();
  }
  if (own.count() > 0) engine_.emplace(*entry_, options_);

  place = fmt::format("rank {} of {} on {}: {}, {}", ranks_.rank(), ranks_.ranks(), ranks_.host(),
                      engine_ ? fmt::format("cells {} to {}", own.begin, own.end - 1) : "no cells",
                      place);
  std::array<char, 160> text = {};
  place.copy(text.data(), text.size() - 1);
  for (const auto& of_rank : gather(ranks_, text)) places_.emplace_back(of_rank.data());
}

Maximum EngineOfRanks::apply(KeptStorm storm) {
  tell(ranks_, Task::apply);
  auto count = storm.impacts.size();
  broadcast(ranks_, count);
  broadcast(ranks_, storm.extent);
  storm.impacts.resize(count);
  ranks_.broadcast(std::as_writable_bytes(std::span(storm.impacts)));

  Maximum maximum;
  if (engine_) maximum = engine_->apply(std::move(storm));
  for (const Maximum& of_rank : gather(ranks_, maximum)) maximum = larger(maximum, of_rank);
  return maximum;
}

void EngineOfRanks::reset() {
  tell(ranks_, Task::reset);
  if (engine_) engine_->reset();
}

/// The part of a rank, with its margin; empty where there are fewer cells than ranks.
Part EngineOfRanks::part_of(int rank) const {
  const std::int64_t total = options_.part.total;
  const Part part = part_of_layer(slab_of_rank(rank, ranks_.ranks(), total), total);
  return part.own.count() > 0 ? with_margin(part, options_.storms) : part;
}

Layer EngineOfRanks::zeros(const CellRange& cells) const {
  const auto count = static_cast<std::size_t>(cells.count());
  if (entry_->precision == Precision::binary64) return std::vector<double>(count);
  return std::vector<float>(count);
}

void EngineOfRanks::begin_with(const LayerView& layer) {
  tell(ranks_, Task::begin_with);
  Layer own;
  for (int rank = 0; rank < ranks_.ranks(); ++rank) {
    const CellRange held = part_of(rank).held;
    Layer cells = ranks_.is_first() ? cells_of(layer, held) : zeros(held);
    ranks_.broadcast(bytes_of(cells));
    if (rank == ranks_.rank()) own = std::move(cells);
  }
  if (engine_) engine_->begin_with(view_of(own));
}

void EngineOfRanks::give_layer(const LayerSink& sink) {
  tell(ranks_, Task::give_layer);
  for (int rank = 0; rank < ranks_.ranks(); ++rank) {
    if (part_of(rank).own.count() == 0) continue;
    Layer cells = rank == ranks_.rank() ? engine_->layer() : zeros(part_of(rank).own);
    ranks_.broadcast(bytes_of(cells), rank);
    if (ranks_.is_first()) sink(std::move(cells));
  }
}

void serve_first_rank(Communicator& ranks) {
  std::unique_ptr<EngineOfRanks> own;
  for (Task task{};;) {
    broadcast(ranks, task);
    if (task == Task::end) return;
    if (task == Task::make) own = nullptr;  // before the next one takes memory
    if (task == Task::make) own.reset(new EngineOfRanks(ranks));
    if (task == Task::apply) own->apply({});  // filled by rank 0, as below
    if (task == Task::reset) own->reset();
    if (task == Task::begin_with) own->begin_with({});
    if (task == Task::give_layer) own->give_layer({});
  }
}

void end_service(Communicator& ranks) {
  tell(ranks, Task::end);
}

}  // namespace bombard
