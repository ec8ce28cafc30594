#include "sim/ranks/engine_of_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "bombard/errors.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/convolution/chunks.hpp"
#include "kernels/device/device.hpp"
#include "sim/engines/fast/candidate_search.hpp"
#include "sim/ranks/slab.hpp"

namespace bombard {

namespace {

/// The evidence of two slabs together. The clauses are those of the first: the other's are
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
      part_(options.part),
      storms_(options.storms),
      threads_(options.threads > 0 ? options.threads : communicator.threads()),
      device_(options.device),
      rule_(layer_rule(options.rule, part_.total)) {
  if (!communicator_.is_alone()) {
    if (entry.method == Method::sparse) {
      throw InputError(fmt::format(
          "{} stores no layer and needs one process; take --method direct or fast, or the program "
          "bombard",
          entry.name));
    }
    part_ = part_of_layer(own_cells(communicator_.rank()), part_.total);
    if (entry.precision == Precision::binary64) {
      neighbours_.emplace(communicator_, slabs());
    }
    search_together_ = entry.name == std::string_view("cpu_fast");
    require_memory(options_of_slab(options));
    communicator_.meet();  // all ranks of a machine ask for memory before one of them takes any
    if (entry.on_device) {
      cuda::require_cuda_part();
      cuda::make_current(options.device);
    }
  }
  if (part_.own.count() > 0) slab_ = entry.make(options_of_slab(options));
}

CellRange EngineOfRanks::own_cells(int rank) const {
  return slab_of_rank(rank, communicator_.ranks(), part_.total);
}

CellRange EngineOfRanks::held_cells(int rank) const {
  const CellRange own = own_cells(rank);
  // A rank without cells needs none.
  if (own.count() == 0) return own;
  return with_margin(part_of_layer(own, part_.total), storms_).held;
}

static_assert(held_begins_at % group_cells == 0);

std::vector<Slab> EngineOfRanks::slabs() const {
  std::vector<Slab> all;
  for (int rank = 0; rank < communicator_.ranks(); ++rank) {
    const CellRange held = held_cells(rank);
    all.push_back({held.begin, held.count(), part_.total});
  }
  return all;
}

/// The positions of a storm's impacts that this rank needs: all in single precision, and where
/// shares end. Otherwise sums in double precision need states alone, and the impacts on the slab,
/// or not far from it, since it begins and ends with whole chunks; and those outside the layer,
/// where the layer ends.
CellRange EngineOfRanks::needed_positions(const StormExtent& storm) const {
  constexpr std::int64_t near = 8 * chunk_cells;
  if (!neighbours_ || !every_share_counts(rule_, storm, {0, part_.total})) return all_positions;
  const CellRange held = held_cells(communicator_.rank());
  if (held.count() == 0) return {};
  return {held.begin > 0 ? held.begin - near : all_positions.begin,
          held.end < part_.total ? held.end + near : all_positions.end};
}

void EngineOfRanks::require_memory(const EngineOptions& options) const {
  if (entry_.on_device) return;  // its cells are not in the host's; and the question takes time
  require_host_memory(
      entry_.bytes(options) * communicator_.ranks_on_host(),
      fmt::format("{} in {} ranks of a machine", entry_.name, communicator_.ranks_on_host()));
}

EngineOptions EngineOfRanks::options_of_slab(const EngineOptions& options) {
  EngineOptions of_slab = options;
  of_slab.part = part_;
  of_slab.threads = threads_;
  of_slab.neighbours = neighbours_ ? &*neighbours_ : nullptr;
  of_slab.others = search_together_ ? &communicator_ : nullptr;
  return of_slab;
}

std::vector<std::string> EngineOfRanks::places() const {
  if (communicator_.is_alone()) return {};
  const CellRange& own = part_.own;
  const std::string cells = own.count() > 0 ? fmt::format("cells {} to {}", own.begin, own.end - 1)
                                            : std::string("no cells");
  const std::string computes_with =
      entry_.on_device ? fmt::format("GPU {}", device_)
                       : fmt::format("{} thread{}", threads_, threads_ == 1 ? "" : "s");
  std::array<char, 160> place = {};
  fmt::format("rank {} of {} on {}: {}, {}", communicator_.rank(), communicator_.ranks(),
              communicator_.host(), cells, computes_with)
      .copy(place.data(), place.size() - 1);
  std::vector<std::string> lines;
  for (const auto& of_rank : gather(communicator_, place)) lines.emplace_back(of_rank.data());
  return lines;
}

std::vector<WholeStorm> EngineOfRanks::share(std::span<const Storm> storms, std::int64_t count) {
  const int threads = thread_count({.part = {}, .threads = threads_});
  std::vector<WholeStorm> whole(static_cast<std::size_t>(count));
  std::ranges::transform(storms, whole.begin(), [&](const Storm& storm) {
    return whole_storm(storm, part_.total, threads);
  });
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
  if (slab_) {
    maxima = slab_->apply(shared_);
  } else if (neighbours_) {
    for (std::size_t i = 0; i < shared_.size(); ++i) neighbours_->exchange_nothing();
  } else if (search_together_) {
    for (std::size_t i = 0; i < shared_.size(); ++i) CandidateSearch::tell(communicator_, 0);
  }
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
  std::vector<Value> held(static_cast<std::size_t>(held_cells(communicator_.rank()).count()));
  communicator_.meet();
  if (!communicator_.is_first()) {
    communicator_.receive(0, std::as_writable_bytes(std::span(held)));
    return held;
  }
  const auto cells = std::get<std::span<const Value>>(layer);
  std::ranges::copy(slice(cells, held_cells(0)), held.begin());
  for (int rank = 1; rank < communicator_.ranks(); ++rank) {
    communicator_.send(rank, std::as_bytes(slice(cells, held_cells(rank))));
  }
  return held;
}

void EngineOfRanks::begin_with(const LayerView& layer) {
  if (communicator_.is_alone()) return slab_->dense()->begin_with(layer);
  const Layer held = entry_.precision == Precision::binary64 ? Layer(held_part<double>(layer))
                                                             : Layer(held_part<float>(layer));
  if (slab_) slab_->dense()->begin_with(view_of(held));
}

/// Gives to rank 0's take(first cell, cells) the cells that each rank has of its slab; there may be
/// none.
template <class Value, class Take>
void EngineOfRanks::give(std::vector<Value> own, const Take& take) const {
  const auto counts = gather(communicator_, static_cast<std::int64_t>(own.size()));
  const auto taken = [&](std::int64_t first, std::span<const Value> cells) {
    if (communicator_.is_first() && !cells.empty()) take(first, cells);
  };
  taken(0, own);
  for (int rank = 1; rank < communicator_.ranks(); ++rank) {
    if (communicator_.is_first()) own = {};
    each_piece(counts[static_cast<std::size_t>(rank)], [&](const CellRange& piece) {
      if (communicator_.is_first()) own.resize(static_cast<std::size_t>(piece.count()));
      communicator_.meet();
      if (communicator_.rank() == rank) {
        communicator_.send(0, std::as_bytes(slice(std::span(own), piece)));
      }
      if (!communicator_.is_first()) return;
      communicator_.receive(rank, std::as_writable_bytes(std::span(own)));
      taken(own_cells(rank).begin + piece.begin, own);
    });
  }
}

template <class Value>
std::vector<Value> EngineOfRanks::gathered(std::vector<Value> own) const {
  if (communicator_.is_alone()) return own;
  std::vector<Value> layer;
  if (communicator_.is_first()) layer.reserve(static_cast<std::size_t>(part_.total));
  give(std::move(own), [&](std::int64_t first, std::span<const Value> cells) {
    layer.resize(static_cast<std::size_t>(part_.total));
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
  return gathered(slab_ ? slab_->dense()->layer_uncertainty() : std::vector<float>());
}

Layer EngineOfRanks::own_layer() const {
  if (slab_) return slab_->dense()->layer();
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
