#include "sim/ranks/engine_of_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "bombard/errors.hpp"
#include "kernels/convolution/chunks.hpp"
#include "kernels/device/device.hpp"
#include "sim/ranks/slab.hpp"

namespace bombard {

namespace {

/// The evidence of two slabs together. The clauses are those of the first, because the other's are
/// addresses in another process.
Evidence both(const Evidence& a, const Evidence& b) {
  Evidence evidence = a;
  evidence.direct |= b.direct;
  evidence.candidates += b.candidates;
  evidence.bound = std::max(a.bound, b.bound);
  return evidence;
}

template <class Work>
void each_piece(std::int64_t cells, const Work& work) {
  constexpr std::int64_t most = EngineOfRanks::most_cells_of_piece;
  for (std::int64_t begin = 0; begin < cells; begin += most) {
    work(CellRange{begin, std::min(begin + most, cells)});
  }
}

}  // namespace

EngineOfRanks::EngineOfRanks(Communicator& communicator, const EngineEntry& entry,
                             const EngineOptions& options)
    : communicator_(communicator),
      entry_(entry),
      options_(options),
      rule_(layer_rule(options.rule, options.part.total)) {
  if (options_.threads == 0) options_.threads = communicator.threads();
  EngineOptions of_slab = options_;
  of_slab.part = part_of_layer(own_cells(communicator_.rank()), total());
  // Engines that exchange something wait for each other in every rank.
  const bool all_have_cells = own_cells(communicator_.ranks() - 1).count() > 0;
  if (!communicator_.is_alone()) {
    if (entry.method == Method::sparse) {
      throw InputError(fmt::format(
          "{} stores no layer and needs one process; take {} or fast, or the program bombard",
          entry.name, named(Setting::method, "direct")));
    }
    if (all_have_cells && entry.precision == Precision::binary64) {
      std::vector<Slab> slabs;
      for (int rank = 0; rank < communicator_.ranks(); ++rank) {
        slabs.push_back({held_cells(rank).begin, held_cells(rank).count(), total()});
      }
      of_slab.neighbours = &neighbours_.emplace(communicator_, std::move(slabs));
    } else if (all_have_cells && entry.method == Method::fast) {
      of_slab.others = &communicator_;
    }
    if (!entry.on_device) {  // for a GPU, host memory does not matter, and asking takes time
      entry.require_memory(of_slab, communicator_.ranks_on_host());
    }
    communicator_.meet();  // all ranks of a machine ask for memory before one of them takes any
    if (entry.on_device) {
      cuda::require_cuda_part();
      cuda::make_current(options.device);
    }
  }
  if (of_slab.part.own.count() > 0) slab_ = entry.make(of_slab);
}

CellRange EngineOfRanks::own_cells(int rank) const {
  return slab_of_rank(rank, communicator_.ranks(), total());
}

CellRange EngineOfRanks::held_cells(int rank) const {
  const CellRange own = own_cells(rank);
  // A rank without cells needs none.
  if (own.count() == 0) return own;
  return with_margin(part_of_layer(own, total()), options_.storms).held;
}

static_assert(held_begins_at % group_cells == 0);

/// The positions of a storm's impacts that this rank needs: all of them in single precision, and
/// where shares end. Otherwise sums in double precision need only the states and the impacts on the
/// slab or not far from it, since it begins and ends with whole chunks; and at an end of the layer,
/// those outside it.
CellRange EngineOfRanks::needed_positions(const StormExtent& storm) const {
  constexpr std::int64_t near = 8 * chunk_cells;
  if (!neighbours_ || !every_share_counts(rule_, storm, {0, total()})) return all_positions;
  const CellRange held = held_cells(communicator_.rank());
  return {held.begin > 0 ? held.begin - near : all_positions.begin,
          held.end < total() ? held.end + near : all_positions.end};
}

std::vector<std::string> EngineOfRanks::places() const {
  if (communicator_.is_alone()) return {};
  const CellRange own = own_cells(communicator_.rank());
  const std::string cells = own.count() > 0 ? fmt::format("cells {} to {}", own.begin, own.end - 1)
                                            : std::string("no cells");
  const std::string computes_with =
      entry_.on_device
          ? fmt::format("GPU {}", options_.device)
          : fmt::format("{} thread{}", options_.threads, options_.threads == 1 ? "" : "s");
  std::array<char, 160> place = {};
  fmt::format("rank {} of {} on {}: {}, {}", communicator_.rank(), communicator_.ranks(),
              communicator_.host(), cells, computes_with)
      .copy(place.data(), place.size() - 1);
  std::vector<std::string> lines;
  for (const auto& of_rank : gather(communicator_, place)) lines.emplace_back(of_rank.data());
  return lines;
}

std::vector<WholeStorm> EngineOfRanks::share(std::span<const Storm> storms, std::int64_t count) {
  const int threads = thread_count(options_);
  std::vector<WholeStorm> whole(static_cast<std::size_t>(count));
  std::ranges::transform(storms, whole.begin(),
                         [&](const Storm& storm) { return whole_storm(storm, total(), threads); });
  communicator_.broadcast(std::as_writable_bytes(std::span(whole)));
  received_.clear();
  shared_.clear();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::span<const Impact> impacts;
    if (communicator_.is_first()) impacts = storms[i].impacts;
    if (!communicator_.is_alone()) {
      impacts = received_.emplace_back(impacts_of_slab(communicator_, impacts, whole[i].impacts,
                                                       needed_positions(whole[i].extent)));
    }
    shared_.push_back({impacts, whole[i].extent});
  }
  return whole;
}

std::vector<Maximum> EngineOfRanks::apply_shared() {
  std::vector<Maximum> maxima(shared_.size());
  for (std::size_t i = 0; slab_ && i < shared_.size(); ++i) maxima[i] = slab_->apply(shared_[i]);
  storms_applied_ += static_cast<std::int64_t>(shared_.size());
  add_up(communicator_, std::span(maxima), larger);
  return maxima;
}

std::vector<Maximum> EngineOfRanks::apply(std::span<const Storm> storms, std::int64_t count) {
  share(storms, count);
  return apply_shared();
}

/// The cells of rank 0's layer that each rank holds.
template <class Value>
std::vector<Value> EngineOfRanks::held_part(const LayerView& layer) const {
  std::vector<Value> held, cells;
  each_piece(total(), [&](const CellRange& piece) {
    cells.resize(static_cast<std::size_t>(piece.count()));
    if (communicator_.is_first()) {
      std::ranges::copy(slice(std::get<std::span<const Value>>(layer), piece), cells.begin());
    }
    communicator_.broadcast(std::as_writable_bytes(std::span(cells)));
    const CellRange common = piece.common(held_cells(communicator_.rank()));
    if (common.count() <= 0) return;
    const auto own = slice(std::span(cells), common.counted_from(piece.begin));
    held.insert(held.end(), own.begin(), own.end());
  });
  return held;
}

void EngineOfRanks::begin_with(const LayerView& layer) {
  if (communicator_.is_alone()) return slab_->begin_with(layer);
  const Layer held = entry_.precision == Precision::binary64 ? Layer(held_part<double>(layer))
                                                             : Layer(held_part<float>(layer));
  if (slab_) slab_->begin_with(view_of(held));
}

/// Gives the cells that each rank has of its slab to rank 0's take(first cell, cells); there may be
/// none.
template <class Value, class Take>
void EngineOfRanks::give(std::vector<Value> own, const Take& take) const {
  const auto counts = gather(communicator_, static_cast<std::int64_t>(own.size()));
  if (communicator_.is_first()) {
    if (!own.empty()) take(0, std::span<const Value>(own));
    own = {};
  }
  std::vector<Value> cells;
  for (int rank = 1; rank < communicator_.ranks(); ++rank) {
    each_piece(counts[static_cast<std::size_t>(rank)], [&](const CellRange& piece) {
      cells.resize(static_cast<std::size_t>(piece.count()));
      if (communicator_.rank() == rank) {
        std::ranges::copy(slice(std::span(own), piece), cells.begin());
      }
      communicator_.broadcast(std::as_writable_bytes(std::span(cells)), rank);
      if (communicator_.is_first()) take(own_cells(rank).begin + piece.begin, cells);
    });
  }
}

template <class Value>
std::vector<Value> EngineOfRanks::gathered(std::vector<Value> own) const {
  if (communicator_.is_alone()) return own;
  std::vector<Value> layer;
  if (communicator_.is_first()) layer.reserve(static_cast<std::size_t>(total()));
  give(std::move(own), [&](std::int64_t first, std::span<const Value> cells) {
    layer.resize(static_cast<std::size_t>(total()));
    std::ranges::copy(cells, layer.begin() + first);
  });
  return layer;
}

Engine* EngineOfRanks::sparse() const {
  return entry_.method == Method::sparse ? slab_.get() : nullptr;
}

Layer EngineOfRanks::layer() const {
  return std::visit([&](auto own) -> Layer { return gathered(std::move(own)); }, own_layer());
}

std::vector<float> EngineOfRanks::layer_uncertainty() const {
  return gathered(slab_ ? slab_->layer_uncertainty() : std::vector<float>());
}

Layer EngineOfRanks::own_layer() const {
  if (slab_) return slab_->layer();
  if (entry_.precision == Precision::binary64) return std::vector<double>();
  return std::vector<float>();
}

void EngineOfRanks::give_layer(const LayerPieceSink& sink) const {
  std::visit(
      [&]<class Value>(std::vector<Value> own) {
        give(std::move(own), [&](std::int64_t, std::span<const Value> cells) { sink(cells); });
      },
      own_layer());
}

std::vector<Evidence> EngineOfRanks::evidence() const {
  std::vector<Evidence> evidence = slab_ ? slab_->evidence() : std::vector<Evidence>();
  const bool has_any = !evidence.empty();
  evidence.resize(static_cast<std::size_t>(storms_applied_));
  add_up(communicator_, std::span(evidence), both);
  if (!has_any || !communicator_.is_first()) evidence.clear();
  return evidence;
}

}  // namespace bombard
