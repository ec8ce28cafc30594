// Nothing here is the rule's arithmetic: how sums are rounded is within the proven error
// (docs/methods.md, The convolution), so products and sums are fused.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "bombard/errors.hpp"
#include "kernels/base/unit_roundoff.hpp"
#include "kernels/convolution/cuda/apply.cuh"
#include "kernels/convolution/cuda/apply_other_storms.cuh"
#include "kernels/convolution/cuda/border_states.cuh"
#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/convolution/cuda/end_states.cuh"
#include "kernels/convolution/cuda/exponentials.cuh"
#include "kernels/convolution/cuda/gather.cuh"
#include "kernels/convolution/cuda/peaks.cuh"
#include "kernels/convolution/cuda/screen.cuh"
#include "kernels/convolution/cuda/source_ends.cuh"
#include "kernels/convolution/cuda/sources.cuh"
#include "kernels/convolution/cuda/states.cuh"
#include "kernels/device/device.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/layer/cell_deposit.hpp"

namespace bombard::cuda {

namespace {

/// Threads that take elements one after the other, as many as there are threads apart.
LaunchShape strided(std::int64_t elements) {
  // Of 256 threads: four times what an H200 holds (132 multiprocessors of 2048 threads), so that
  // its last blocks end at about the same time.
  constexpr std::int64_t most_blocks = 4096;
  const LaunchShape all = one_thread_each(std::max<std::int64_t>(elements, 1));
  return {std::min(all.blocks, most_blocks), all.threads};
}

template <class T>
Words words(DeviceArray<T>& array, std::int64_t elements) {
  return {reinterpret_cast<std::uint64_t*>(array.span().data()),
          elements * static_cast<std::int64_t>(sizeof(T)) /
              static_cast<std::int64_t>(sizeof(std::uint64_t))};
}

template <class Number>
InPlace<Number> in_place(DeviceArray<Number>& of_cell, DeviceArray<Number> (&edges)[2]) {
  return {of_cell.span().data(), edges[0].span().data(), edges[1].span().data()};
}

template <class T>
void set_bytes(std::span<T> memory, int byte) {
  check(cudaMemsetAsync(memory.data(), byte, memory.size_bytes(), nullptr), "setting memory");
}

std::int64_t in_bytes(std::int64_t doubles) {
  return doubles * static_cast<std::int64_t>(sizeof(double));
}

std::int64_t chunks_for(std::int64_t cells) {
  return (cells + 2 * chunk_cells + chunk_cells - 1) / chunk_cells;
}
std::int64_t tiles_for(std::int64_t cells) {
  return (chunks_for(cells) + tile_chunks - 1) / tile_chunks;
}

// An upper bound for the longest layer that a device holds and the smallest error: with 1e-12 those
// of up to 1e13 cells, of any power up to 8, have no more (computed; of the square root and 2e10
// cells 76).
constexpr std::int64_t most_terms = 148;

// Roundings of a share on its way (docs/methods.md, Rounding on the GPU). Of the polynomials in the
// chunk of its source and in that of its cell, relative to their largest values; in place of the
// first those of what lies outside.
constexpr double moment_roundings = 44, polynomial_roundings = 148, outside_roundings = 530;
// Of exponentials in place of polynomials: both states' terms, 208 each for any distance.
constexpr double exponential_roundings = 420;
// Near impacts in the same sum; of a product of mirrored places.
constexpr double near_roundings = 200, mirrored_roundings = 99;
// What a tile adds to states, tiles of runs, runs of threads, their doubling, arguments.
constexpr double other_roundings = 100 + 192 + 96 + 1540 + 54;
constexpr double fewest_roundings = 3000;

/// All of them, by polynomials or without, if states pass over so many tiles, or runs of them, by
/// one scan.
double roundings_of_share(const Attenuation& attenuation, bool polynomials, std::int64_t scanned) {
  // What the scan of all threads passes on to the next tiles: 4, and as many to spare.
  const auto of_scans = static_cast<double>(8 * (scanned / most_scanned_tiles));
  if (!polynomials) {
    return outside_roundings + exponential_roundings + near_roundings + other_roundings + of_scans;
  }
  const double across_chunks = attenuated(attenuation, 65) / attenuated(attenuation, 192);
  const double across_a_chunk = 1 / attenuated(attenuation, chunk_cells);
  const double far = std::max(moment_roundings * across_chunks, outside_roundings) +
                     polynomial_roundings * across_chunks +
                     std::max(near_roundings, mirrored_roundings * across_chunks) + other_roundings;
  const double near = near_roundings + mirrored_roundings * across_a_chunk;
  return std::max({fewest_roundings, far, near}) + of_scans;
}

/// So many cells before the end of its chunk a source's exponentials are 1: in the middle, or where
/// states begin (exponentials.cuh).
double origin_of_moments(const DeviceTables& tables) {
  return tables.polynomials_serve() ? half_width - 0.5 : -2.0;
}

// The following are measured, on an H200 (docs/journal.md): where one way takes as long as the
// other. With so many deposits, one to so many cells, all cells are summed: no mask has to be set
// for each.
constexpr std::int64_t many_deposits = 1 << 20;
constexpr std::int64_t dense_cells_a_deposit = 8;
// Where deposits are sorted first, and fewer bytes an impact cross the bus, that pays sooner.
constexpr std::int64_t many_sorted_deposits = 1 << 19;
constexpr std::int64_t sorted_cells_a_deposit = 32;
// With so few, one to so many tiles, most tiles add nothing to the states. With as many both ways
// take as long: if all tiles are scanned at once, and if there are runs of them.
constexpr std::int64_t sparse_tiles_a_deposit = 4;
constexpr std::int64_t sparse_run_tiles_a_deposit = 24;
// So few tiles are on a device at once, or nearly.
constexpr std::int64_t few_tiles = 1 << 11;

}  // namespace

void ConvolvedLayer::load() {
  load_kernels(clear_kernel, deposit_kernel, gather_kernel<1>, gather_kernel<tile_warps>,
               scan_kernel, apply_kernel<false>, highest_peak_kernel, screen_kernel);
}

ConvolvedLayer::ConvolvedLayer(std::int64_t cells, const CellRange& own,
                               const Attenuation& attenuation, double scale, double relative_error)
    : ConvolvedLayer(Slab{0, cells, cells}, own, attenuation, scale, relative_error) {}

ConvolvedLayer::ConvolvedLayer(const Slab& slab, const CellRange& own,
                               const Attenuation& attenuation, double scale, double relative_error)
    : slab_(slab),
      cells_(slab.cells),
      chunks_(chunks_for(cells_)),
      tiles_(tiles_for(cells_)),
      attenuation_(attenuation),
      scale_(scale),
      own_{std::max<std::int64_t>(own.begin, 1), std::min(own.end, cells_ - 1)},
      tables_(attenuation, scale, relative_error) {
  // While memory is taken and kernels are loaded.
  const auto distance = static_cast<double>(chunks_for(slab.whole) * chunk_cells);
  tables_.begin(distance);
  mask_ = DeviceArray<std::uint64_t>(chunks_);
  place_ = DeviceArray<unsigned>(chunks_);
  layer_ = DeviceArray<double>(cells_);
  for (DeviceArray<double>& edges : layer_edges_) edges = DeviceArray<double>(2 * halo * tiles_);
  taken_by_ = DeviceArray<unsigned>(tiles_);
  tile_peaks_ = DeviceArray<LayerPeak>(tiles_);
  tile_tops_ = DeviceArray<double>(tiles_);
  active_runs_ = DeviceArray<unsigned>(2 * runs_of(tiles_));
  finished_ = DeviceArray<unsigned>(1);
  set_bytes(finished_.span(), 0);

  allow_shared_memory(apply_kernel<false>);
  reach(distance);
}

std::int64_t ConvolvedLayer::bytes(std::int64_t cells, bool with_uncertainty) {
  const std::int64_t states = (with_uncertainty ? 4 : 2) * most_terms * sizeof(double);
  constexpr std::int64_t edges = 2 * 2 * halo * (sizeof(double) + sizeof(float));
  const std::int64_t tile = states + edges + sizeof(LayerPeak) + sizeof(double);
  constexpr std::int64_t chunk = sizeof(std::uint64_t) + sizeof(unsigned);
  const std::int64_t a_cell = sizeof(double) + (with_uncertainty ? sizeof(float) : 0);
  return cells * a_cell + chunks_for(cells) * chunk + tiles_for(cells) * tile;
}

/// Tables that cover distances up to this one, and room for the moments outside.
void ConvolvedLayer::reach(double distance) {
  if (!tables_.reach(distance)) return;
  require_shared_memory();
  const std::int64_t scanned = scans_at_once() ? tiles_ : runs_of(tiles_);
  rounding_ = roundings_of_share(attenuation_, tables_.polynomials_serve(), scanned) *
              unit_roundoff_binary64;
  if (!tables_.polynomials_serve()) allow_storms_by_exponentials();
  outside_ = DeviceArray<double>(std::int64_t{4 * tables_.terms()});
  set_bytes(outside_.span(), 0);
  outside_empty_ = true;
}

/// For the terms of the present tables, of one field or two.
void ConvolvedLayer::require_shared_memory() const {
  const std::int64_t needed = in_bytes(Scratch::size(tables_.terms(), tracked_ ? 2 : 1));
  const std::int64_t there =
      most_shared_memory(tracked_ ? apply_kernel<true> : apply_kernel<false>);
  if (needed <= there) return;
  throw CannotRun("a block of threads needs " + std::to_string(needed) +
                  " bytes of shared memory for " + std::to_string(tables_.terms()) +
                  " exponentials, and this GPU has " + std::to_string(there) +
                  ": a smaller layer, or nearer impacts, need fewer; --device cpu takes any");
}

void ConvolvedLayer::clear() {
  gathered_ = {};
  fresh_ = true;
  tracked_ = false;
}

void ConvolvedLayer::require_value_of_each_cell(std::size_t values) const {
  if (static_cast<std::int64_t>(values) == cells_) return;
  throw std::invalid_argument(std::to_string(values) + " values for a layer of " +
                              std::to_string(cells_) + " cells");
}

void ConvolvedLayer::begin_with(std::span<const double> values) {
  require_value_of_each_cell(values.size());
  layer_.copy_from(values);
  begin();
}

void ConvolvedLayer::begin_with(std::span<const float> values) {
  require_value_of_each_cell(values.size());
  constexpr std::size_t most_at_once = 1 << 20;  // 8 MB of host memory beside the values
  std::vector<double> piece;
  for (std::size_t first = 0; first < values.size(); first += piece.size()) {
    const auto from = values.subspan(first, std::min(most_at_once, values.size() - first));
    piece.assign(from.begin(), from.end());
    copy_to_device(piece.data(), layer_.span().data() + first,
                   in_bytes(static_cast<std::int64_t>(piece.size())));
  }
  begin();
}

/// With what the layer's memory holds.
void ConvolvedLayer::begin() {
  clear();
  fresh_ = false;
  launch("keep edges", one_thread_each(2 * halo * tiles_), keep_edges_kernel, layer_.span().data(),
         cells_, 2 * halo * tiles_, layer_edges_[0].span().data());
}

void ConvolvedLayer::track_uncertainty(double factor) {
  require_nothing_gathered();
  if (uncertainty_.size() == 0) {
    require_device_memory(bytes(cells_, true) - bytes(cells_, false),
                          "the uncertainty of every cell");
    const std::int64_t edges = 2 * halo * tiles_;
    uncertainty_ = DeviceArray<float>(cells_);
    for (DeviceArray<float>& of : uncertainty_edges_) of = DeviceArray<float>(edges);
  }
  tracked_ = true;
  allow_shared_memory(apply_kernel<true>);
  require_shared_memory();
  const auto start = [&](const DeviceArray<double>& of, DeviceArray<float>& uncertainty) {
    launch("start uncertainty", one_thread_each(of.size()), start_uncertainty_kernel,
           fresh_ ? nullptr : of.span().data(), of.size(), factor, uncertainty.span().data());
  };
  start(layer_, uncertainty_);
  start(layer_edges_[0], uncertainty_edges_[0]);
}

/// Whether states pass over all tiles by one scan, not over runs of them.
bool ConvolvedLayer::scans_at_once() const {
  return tiles_ <= most_scanned_tiles;
}

bool ConvolvedLayer::is_sparse(std::int64_t deposits) const {
  return deposits <
         tiles_ / (scans_at_once() ? sparse_tiles_a_deposit : sparse_run_tiles_a_deposit);
}

bool ConvolvedLayer::is_dense(std::int64_t deposits) const {
  return deposits > std::max(many_deposits, cells_ / dense_cells_a_deposit);
}

/// How many of the first ones fall on cells of the layer, and are many deposits, but not as many as
/// all cells; and follow one another, all with reaches or none; and their states are scanned at
/// once, in no more room than one storm's may need.
std::size_t ConvolvedLayer::gathered_at_once(std::span<const StormDeposits> storms) const {
  const std::int64_t most =
      scans_at_once() ? std::min(StormList::most, most_scanned_tiles / tiles_) : 1;
  std::size_t several = 0;
  const bool ends = !storms.front().reaches.empty();
  const Impact* next = storms.front().deposits.data();
  const std::int64_t* next_reach = storms.front().reaches.data();
  for (const StormDeposits& storm :
       storms.first(std::min(storms.size(), static_cast<std::size_t>(most)))) {
    const auto count = static_cast<std::int64_t>(storm.deposits.size());
    if ((!ends && is_sparse(count)) || is_dense(count) || reaches_outside(storm)) break;
    if (storm.deposits.data() != next || storm.reaches.empty() == ends) break;
    if (ends && storm.reaches.data() != next_reach) break;
    next += count;
    next_reach += ends ? count : 0;
    ++several;
  }
  return std::max<std::size_t>(several, 1);
}

/// Whether the energies of all cells do not fit, and those of the chunks that so few deposits fall
/// on take less.
bool ConvolvedLayer::lacks_room(std::int64_t deposits) const {
  const std::int64_t cells_more = chunks_ * chunk_cells - energy_.size();
  if (cells_more <= 0 || deposits > chunks_ / 2) return false;
  const auto of_cell = static_cast<std::int64_t>(sizeof(std::int64_t));
  return cells_more * of_cell * (tracked_ ? 2 : 1) > free_device_memory();
}

void ConvolvedLayer::require_nothing_gathered() const {
  if (gathered_.applied < gathered_.storms) {
    throw std::logic_error("gathered storms are still to be applied");
  }
}

/// Storms that are forgotten again if gathering them fails.
GatheredStorms ConvolvedLayer::begin_gathering(std::span<const Impact> deposits,
                                               std::span<const StormDeposits> storms, bool sparse) {
  require_nothing_gathered();
  const StormDeposits& first = storms.front();
  if (first.states_come_in && (tracked_ || !first.reaches.empty() || storms.size() > 1)) {
    throw std::logic_error("states come into one storm, without uncertainties and reaches");
  }
  gathered_ = {.deposits = deposits,
               .growth = {},
               .storms = static_cast<std::int64_t>(storms.size()),
               .sparse = sparse,
               .states_come_in = storms.front().states_come_in};
  ++gathered_times_;
  GatheredStorms gathered(*this, gathered_times_, gathered_.storms);
  for (const StormDeposits& storm : storms) {
    if (tracked_ && !storm.uncertainty) {
      throw std::logic_error("a storm without the uncertainties that are tracked");
    }
    gathered_.growth.push_back(storm.uncertainty ? storm.uncertainty->growth
                                                 : UncertaintyGrowth{0, 0});
  }
  return gathered;
}

GatheredStorms ConvolvedLayer::gather(std::span<const StormDeposits> storms) {
  if (storms.empty()) throw std::invalid_argument("no storm to gather");
  const StormDeposits& first = storms.front();
  const auto of_first = static_cast<std::int64_t>(first.deposits.size());
  storms = storms.first(gathered_at_once(storms));
  StormList list{};
  std::int64_t count = 0;
  for (std::size_t i = 0; i < storms.size(); ++i) {
    list.ends[i] = count += static_cast<std::int64_t>(storms[i].deposits.size());
    if (storms[i].uncertainty) list.uncertainty[i] = storms[i].uncertainty->of_deposits;
  }
  std::span<const Impact> deposits{first.deposits.data(), static_cast<std::size_t>(count)};
  const bool ends = !first.reaches.empty();
  GatheredStorms gathered =
      begin_gathering(deposits, storms, !ends && !first.states_come_in && is_sparse(of_first));
  if (ends) {
    for (const StormDeposits& storm : storms) {
      if (storm.reaches.size() != storm.deposits.size()) {
        throw std::invalid_argument("not as many reaches as deposits");
      }
    }
    deposits = find_ends(deposits, {first.reaches.data(), deposits.size()}, list);
    gathered_.deposits = deposits;
    gathered_.ending = std::make_shared<const StormList>(list);
  }
  add_outside(deposits, first, list);
  keep_room(gathered_.storms);
  gathered_.by_place = gathered_.sparse || (!ends && storms.size() == 1 && lacks_room(count));
  keep_amounts(gathered_.by_place ? count : gathered_.storms * chunks_);
  add_to_cells(list, is_dense(of_first));
  return gathered;
}

/// The deposits of storms with reaches that are sources; where they end, source_ends_ knows.
std::span<const Impact> ConvolvedLayer::find_ends(std::span<const Impact> deposits,
                                                  std::span<const std::int64_t> reaches,
                                                  const StormList& list) {
  if (!source_ends_) {
    source_ends_.emplace(attenuation_, scale_);
    allow_storms_with_ends();
  }
  return source_ends_->find(deposits, reaches, list, gathered_.storms, cells_, chunks_);
}

/// What the gathered storms' deposits bring to each cell of the padded layer.
void ConvolvedLayer::add_to_cells(const StormList& list, bool dense) {
  const std::span<const Impact> deposits = gathered_.deposits;
  const auto count = static_cast<std::int64_t>(deposits.size());
  const SourceArray<std::int64_t> sources = energy_sources(0);
  double* const uncertainty_sum = tracked_ ? uncertainty_sum_.span().data() : nullptr;
  if (dense) {
    const auto all_cells = static_cast<std::size_t>(chunks_ * chunk_cells);
    set_bytes(mask_.span().first(static_cast<std::size_t>(chunks_)), 0xff);
    set_bytes(energy_.span().first(all_cells), 0);
    if (tracked_) set_bytes(uncertainty_sum_.span().first(all_cells), 0);
  } else {
    Emptied emptied{{words(mask_, gathered_.storms * chunks_)}};
    if (gathered_.by_place) {
      emptied.memory[1] = words(energy_, count * chunk_cells);
      if (tracked_) emptied.memory[2] = words(uncertainty_sum_, count * chunk_cells);
    }
    if (gathered_.sparse) {
      emptied.memory[3] = scans_at_once() ? words(states_, states_of_storm())
                                          : words(active_runs_, active_runs_.size());
    }
    std::int64_t most = count;
    for (const Words& memory : emptied.memory) most = std::max(most, memory.count);
    launch("clear", strided(most), clear_kernel, emptied, deposits.data(), count, list, chunks_,
           sources, uncertainty_sum);
  }
  if (count > 0) {
    launch_beside("deposit", strided(count), deposit_kernel, deposits.data(), count, list, chunks_,
                  dense, sources, uncertainty_sum);
  }
}

bool ConvolvedLayer::prefers_by_cell(std::int64_t impacts) const {
  const auto of_two_storms = 2 * impacts * static_cast<std::int64_t>(sizeof(CellDeposit));
  const std::int64_t of_energies =
      (chunks_ * chunk_cells - energy_.size()) * static_cast<std::int64_t>(sizeof(std::int64_t));
  return impacts > std::max(many_sorted_deposits, cells_ / sorted_cells_a_deposit) && !tracked_ &&
         cells_ <= DepositSums::most_cells &&
         deposit_sums_.can_sum(impacts, of_two_storms + of_energies);
}

GatheredStorms ConvolvedLayer::gather(const StormDepositsByCell& storm) {
  if (tracked_) throw std::logic_error("no uncertainties are known of deposits by cell");
  const std::span<const Impact> others = storm.others.deposits;
  const auto count = static_cast<std::int64_t>(others.size());
  const StormList list{{count}, {}};
  GatheredStorms gathered = begin_gathering({}, {&storm.others, 1}, false);
  add_outside(others, storm.others, list);
  keep_room(1);
  keep_amounts(chunks_);
  set_bytes(mask_.span().first(static_cast<std::size_t>(chunks_)), 0xff);
  const auto before = static_cast<std::size_t>(first_cell);
  const auto end = before + static_cast<std::size_t>(cells_);
  const auto padded = static_cast<std::size_t>(chunks_ * chunk_cells);
  const std::span<std::int64_t> energy = energy_.span().first(padded);
  set_bytes(energy.first(before), 0);
  set_bytes(energy.subspan(end), 0);
  deposit_sums_.sum(storm.on_cells, energy.subspan(before, end - before));
  if (!others.empty()) {
    launch("deposit", strided(count), deposit_kernel, others.data(), count, list, chunks_, true,
           energy_sources(0), nullptr);
  }
  return gathered;
}

AppliedStorm ConvolvedLayer::apply(const StormDeposits& storm, Screened* found) {
  return gather({&storm, 1}).apply(found);
}

AppliedStorm ConvolvedLayer::apply(const StormDepositsByCell& storm, Screened* found) {
  return gather(storm).apply(found);
}

void ConvolvedLayer::cover(std::int64_t lowest, std::int64_t highest) {
  require_nothing_gathered();
  const std::int64_t padded = chunks_for(slab_.whole) * chunk_cells;
  reach(std::max(static_cast<double>(highest),
                 static_cast<double>(padded) - static_cast<double>(lowest)) +
        2 * chunk_cells);
}

std::int64_t ConvolvedLayer::left_border(const Slab& slab) {
  return slab.first - first_cell;
}

std::int64_t ConvolvedLayer::right_border(const Slab& slab) {
  return left_border(slab) + chunks_for(slab.cells) * chunk_cells;
}

void ConvolvedLayer::require_slab(const BorderStates& states) const {
  const bool fits = states.longest == tables_.longest() &&
                    states.energies.size() == static_cast<std::size_t>(tables_.terms());
  if (!fits) throw std::invalid_argument("states of another exponential sum");
}

void ConvolvedLayer::pass_on(const BorderStates& from, BorderStates& to) const {
  require_slab(from);
  require_slab(to);
  const double cells = std::fabs(static_cast<double>(to.border - from.border));
  const std::vector<double>& exponents = tables_.exponents_on_host();
  for (std::size_t t = 0; t < exponents.size(); ++t) {
    to.energies[t] += from.energies[t] * std::exp(-exponents[t] * cells);
  }
}

BorderStates ConvolvedLayer::no_states_at(std::int64_t border) const {
  return {.border = border,
          .longest = tables_.longest(),
          .energies = std::vector<double>(static_cast<std::size_t>(tables_.terms())),
          .uncertainties = {}};
}

/// What all sources of the slab before a border are to what lies behind it.
BorderStates ConvolvedLayer::leaving(bool to_right, std::int64_t border) {
  const std::int64_t cells = border - left_border(slab_);
  if (cells < 0 || cells > chunks_ * chunk_cells || cells % chunk_cells != 0) {
    throw std::invalid_argument("states leave a slab between its borders, at a chunk");
  }
  if (!gathered_.in_tiles) add_to_tiles();
  const Terms t = tables_.of_layer(chunks_, tiles_);
  const Leaving leaving(to_right, cells / chunk_cells, tiles_);
  border_sums_.at_least((leaving.runs() + 1) * t.terms);
  const std::span<double> result = border_sums_.span().first(static_cast<std::size_t>(t.terms));
  double* const of_runs = border_sums_.span().data() + t.terms;
  launch("sum runs", {leaving.runs(), (t.terms + 31) / 32 * 32}, sum_runs_kernel, states(0, 0),
         leaving, of_runs);
  launch("leave", {t.terms, leaving_threads}, leave_kernel<std::int64_t>, t, energy_sources(0),
         leaving, tables_.exponents(), origin_of_moments(tables_), of_runs, result.data());
  BorderStates states = no_states_at(border);
  copy_to_host(result.data(), states.energies.data(),
               static_cast<std::int64_t>(result.size_bytes()));
  return states;
}

void ConvolvedLayer::come_in(const ComingIn& coming_in) {
  const auto check_side = [&](const std::optional<BorderStates>& states, bool expected,
                              std::int64_t border) {
    if (states.has_value() != expected || (states && states->border != border)) {
      throw std::invalid_argument("states come in where a slab has neighbours, at its borders");
    }
    if (states) require_slab(*states);
  };
  const auto& [left, right] = coming_in;
  check_side(left, slab_.has_left(), left_border(slab_));
  check_side(right, slab_.has_right(), right_border(slab_));
  if (!gathered_.in_tiles) add_to_tiles();
  const Terms t = tables_.of_layer(chunks_, tiles_);
  const auto terms = static_cast<std::size_t>(t.terms);
  std::vector<double> both(2 * terms);
  if (left) std::ranges::copy(left->energies, both.begin());
  if (right) std::ranges::copy(right->energies, both.begin() + t.terms);
  border_sums_.at_least(2 * t.terms);
  border_sums_.copy_from(both);
  launch("come in", one_thread_each(2 * t.terms), come_in_kernel, t, states(0, 0),
         border_sums_.span().data(), outside_.span().data());
  outside_empty_ = false;
  gathered_.states_come_in = false;
}

void GatheredStorms::require_states_to_come() const {
  if (layer_->gathered_times_ == number_ && layer_->gathered_.states_come_in) return;
  throw std::logic_error("no states are to come into these storms");
}

BorderStates GatheredStorms::leaving_right(std::int64_t border) const {
  require_states_to_come();
  return layer_->leaving(true, border);
}

BorderStates GatheredStorms::leaving_left(std::int64_t border) const {
  require_states_to_come();
  return layer_->leaving(false, border);
}

ComingIn GatheredStorms::nothing_coming_in() const {
  const Slab& slab = layer_->slab_;
  ComingIn in;
  if (slab.has_left()) in.from_left = layer_->no_states_at(ConvolvedLayer::left_border(slab));
  if (slab.has_right()) in.from_right = layer_->no_states_at(ConvolvedLayer::right_border(slab));
  return in;
}

void GatheredStorms::come_in(const ComingIn& coming_in) {
  require_states_to_come();
  layer_->come_in(coming_in);
}

GatheredStorms::~GatheredStorms() {
  if (layer_ != nullptr && layer_->gathered_times_ == number_) layer_->gathered_ = {};
}

AppliedStorm GatheredStorms::apply(Screened* found) {
  const ConvolvedLayer::Gathered& storms = layer_->gathered_;
  if (layer_->gathered_times_ != number_ || storms.applied == storms.storms) {
    throw std::logic_error("no gathered storm is left to apply");
  }
  if (storms.states_come_in) throw std::logic_error("states are still to come in");
  if (storms.applied == 0) {
    if (!storms.in_tiles) layer_->add_to_tiles();
    layer_->scan_states();
  }
  layer_->apply_next(found);
  return {*layer_, found};
}

void AppliedStorm::screen(double factor, std::span<Candidate> candidates, const Screened* before,
                          double absolute) const {
  if (layer_->applied_storms_ != number_) {
    throw std::logic_error("the layer has gone on since the storm that is to be screened");
  }
  layer_->screen(factor, absolute, candidates, before, found_);
}

/// Doubles that the states of a storm take.
std::int64_t ConvolvedLayer::states_of_storm() const {
  return (tracked_ ? 2 : 1) * 2 * tables_.terms() * tiles_;
}

/// Room for so many storms, and the present number of terms and fields.
void ConvolvedLayer::keep_room(std::int64_t storms) {
  states_.at_least(storms * states_of_storm());
  run_states_.at_least(states_of_storm() / tiles_ * runs_of(tiles_));
  mask_.at_least(storms * chunks_);
}

/// And for the energies, and uncertainties, that fall on so many chunks.
void ConvolvedLayer::keep_amounts(std::int64_t chunks) {
  energy_.at_least(chunks * chunk_cells, "storms of impacts all over the layer");
  if (tracked_) uncertainty_sum_.at_least(chunks * chunk_cells, "the uncertainty of such storms");
}

SourceArray<std::int64_t> ConvolvedLayer::energy_sources(std::int64_t storm) {
  return SourceArray<std::int64_t>{mask_.span().data(),
                                   gathered_.by_place ? place_.span().data() : nullptr,
                                   energy_.span().data(), outside_.span().data()}
      .of_storm(storm, chunks_);
}

SourceArray<double> ConvolvedLayer::uncertainty_sources(std::int64_t storm) {
  const SourceArray<std::int64_t> energies = energy_sources(0);
  return SourceArray<double>{energies.mask, energies.place, uncertainty_sum_.span().data(),
                             energies.outside + 2 * tables_.terms()}
      .of_storm(storm, chunks_);
}

/// Those of energies, field 0, or of uncertainties.
States ConvolvedLayer::states(std::int64_t storm, int field) {
  const int terms = tables_.terms();
  const std::int64_t of_field = 2 * terms * tiles_;
  return {.terms = terms,
          .tiles = tiles_,
          .exponents = tables_.exponents(),
          .run_decay = tables_.run_decay(),
          .active = gathered_.sparse && !scans_at_once() ? active_runs_.span().data() : nullptr,
          .of_tiles = states_.span().data() + storm * states_of_storm() + field * of_field,
          .of_runs = run_states_.span().data() + field * 2 * terms * runs_of(tiles_)};
}

bool ConvolvedLayer::counts_before(const StormDeposits& storm) const {
  return !storm.states_come_in || !slab_.has_left();
}

bool ConvolvedLayer::counts_behind(const StormDeposits& storm) const {
  return !storm.states_come_in || !slab_.has_right();
}

bool ConvolvedLayer::reaches_outside(const StormDeposits& storm) const {
  const bool before = counts_before(storm) && storm.lowest < -first_cell;
  const bool behind = counts_behind(storm) && storm.highest >= chunks_ * chunk_cells - first_cell;
  return !storm.deposits.empty() && (before || behind);
}

/// The moments of what lies outside the padded layer.
void ConvolvedLayer::add_outside(std::span<const Impact> deposits, const StormDeposits& storm,
                                 const StormList& list) {
  const bool outside = reaches_outside(storm);
  if (outside) {
    reach(std::max(static_cast<double>(storm.highest),
                   static_cast<double>(chunks_ * chunk_cells) - storm.lowest) +
          2 * chunk_cells);
    const int terms = tables_.terms();
    const double origin = origin_of_moments(tables_);
    launch("outside", {terms, outside_threads}, outside_kernel, deposits.data(),
           static_cast<std::int64_t>(deposits.size()), list, chunks_, counts_before(storm),
           counts_behind(storm), terms, tables_.exponents(), origin, outside_.span().data());
  } else if (!outside_empty_) {
    set_bytes(outside_.span(), 0);
  }
  outside_empty_ = !outside;
}

/// The tiles that see any deposit of the storms that were gathered. Those far from all are applied
/// apart if the storm is sparse and there are many.
NearTiles ConvolvedLayer::near_tiles() {
  const bool apart =
      gathered_.sparse && !tracked_ && tiles_ > few_tiles && tables_.polynomials_serve();
  return {!gathered_.sparse, gathered_.deposits.data(),
          static_cast<std::int64_t>(gathered_.deposits.size()),
          apart ? taken_by_.span().data() : nullptr};
}

/// What energies and uncertainties in the cells add to the states of the tiles that they enter.
void ConvolvedLayer::add_to_tiles() {
  const int fields = tracked_ ? 2 : 1;
  const Terms t = tables_.of_layer(chunks_, tiles_);
  const NearTiles near = near_tiles();
  const std::int64_t all_fields = gathered_.storms * fields;
  const std::int64_t near_tiles = all_fields * near.size(tiles_);
  const States all = states(0, 0);
  if (all.active != nullptr) {
    launch_beside("start runs", {near_tiles, tile_threads}, start_runs_kernel, near, all,
                  active_runs_.span().data());
  }
  if (tables_.polynomials_serve()) {
    // Few tiles are sooner done by all warps of a block, many by each warp on its own.
    const bool together = near_tiles <= few_tiles;
    launch_beside(
        "gather",
        {together ? near_tiles : (near_tiles + tile_warps - 1) / tile_warps, tile_threads},
        together ? gather_kernel<tile_warps> : gather_kernel<1>, t, near, gathered_.storms, fields,
        energy_sources(0), uncertainty_sources(0), all.of_tiles);
  } else {
    launch_beside("gather exponentials", {near_tiles, tile_threads}, gather_exponentials_kernel, t,
                  near, fields, energy_sources(0), uncertainty_sources(0), all.of_tiles);
  }
  if (gathered_.ending) {
    // A tile has so many on either side, or nearly.
    const auto of_tile =
        static_cast<std::int64_t>(gathered_.deposits.size()) / gathered_.storms / tiles_;
    const int group_threads = (t.terms + 31) / 32 * 32;
    const auto groups = static_cast<int>(std::clamp<std::int64_t>(
        of_tile / removals_of_group, 1,
        std::min(most_removal_groups, most_removal_threads / group_threads)));
    launch_beside("remove ends", {all_fields * tiles_ * 2, groups * group_threads},
                  tables_.polynomials_serve() ? remove_ends_kernel<RemovalFromTerm>
                                              : remove_ends_kernel<ExponentialRemovalFromTerm>,
                  t, source_ends_->lists(), *gathered_.ending, fields, all, groups);
  }
  gathered_.in_tiles = true;
}

/// And what enters each tile.
void ConvolvedLayer::scan_states() {
  const int fields = tracked_ ? 2 : 1;
  const Terms t = tables_.of_layer(chunks_, tiles_);
  const std::int64_t all_fields = gathered_.storms * fields;
  const States all = states(0, 0);
  if (scans_at_once()) {
    launch_beside("scan", {all_fields * 2 * t.terms, scan_threads}, scan_kernel, t.terms, tiles_,
                  std::int64_t{tile_cells}, all.exponents, all.of_tiles);
    return;
  }
  const LaunchShape a_run_each{runs_of(tiles_), (2 * t.terms + 31) / 32 * 32};
  for (int field = 0; field < fields; ++field) {
    const States of = states(0, field);
    launch_beside("add runs", a_run_each, add_runs_kernel, of);
    launch_beside("scan", {2 * t.terms, scan_threads}, scan_kernel, t.terms, runs_of(tiles_),
                  std::int64_t{run_tiles * tile_cells}, of.exponents, of.of_runs);
    launch_beside("pass runs", a_run_each, pass_runs_kernel, of);
  }
}

/// Those that are not quiet and applied apart, in one of several ways.
void ConvolvedLayer::apply_to_tiles(const Terms& t, const NearTiles& applied, const Cells& cells,
                                    std::int64_t storm) {
  const int fields = tracked_ ? 2 : 1;
  const TileStorm of_tiles{
      .shape = {applied.size(tiles_), tile_threads, in_bytes(Scratch::size(t.terms, fields))},
      .tracked = tracked_,
      .terms = t,
      .near = applied,
      .energies = energy_sources(storm),
      .uncertainties = uncertainty_sources(storm),
      .states = states(storm, 0),
      .uncertainty_states = states(storm, fields - 1),
      .cells = cells};
  const bool polynomials = tables_.polynomials_serve();
  if (gathered_.ending) {
    const EndLists ends =
        source_ends_->lists().of_storm(storm, gathered_.ending->uncertainty[storm]);
    polynomials ? apply_with_ends(of_tiles, ends) : apply_by_exponentials(of_tiles, ends);
  } else if (polynomials) {
    launch_beside("apply", of_tiles.shape, tracked_ ? apply_kernel<true> : apply_kernel<false>, t,
                  applied, of_tiles.energies, of_tiles.uncertainties, of_tiles.states,
                  of_tiles.uncertainty_states, cells, storm == 0);
  } else {
    apply_by_exponentials(of_tiles);
  }
}

/// The next of the gathered storms.
void ConvolvedLayer::apply_next(Screened* found) {
  const std::int64_t storm = gathered_.applied++;
  const UncertaintyGrowth& growth = gathered_.growth[static_cast<std::size_t>(storm)];
  const Terms t = tables_.of_layer(chunks_, tiles_);
  const NearTiles near = near_tiles();
  const bool apart = near.taken_by != nullptr;
  const bool one_kernel = !apart && tiles_ <= most_peaks_of_block;
  const Cells cells{.count = cells_,
                    .fresh = fresh_,
                    .value = in_place(layer_, layer_edges_),
                    .uncertainty = in_place(uncertainty_, uncertainty_edges_),
                    .growth = growth.growth,
                    .rounding = growth.rounding,
                    .own_begin = own_.begin,
                    .own_end = own_.end,
                    .tile_peaks = tile_peaks_.span().data(),
                    .tile_tops = tile_tops_.span().data(),
                    .finished = one_kernel ? finished_.span().data() : nullptr,
                    .found = found};
  const NearTiles applied{!apart, near.deposits, near.count, near.taken_by};
  apply_to_tiles(t, applied, cells, storm);
  if (apart) {
    launch_beside("apply to quiet tiles",
                  {tiles_, tile_threads, in_bytes(QuietScratch::size(t.terms))}, quiet_kernel, t,
                  energy_sources(storm).mask, states(storm, 0), cells);
  }
  if (!one_kernel) {
    std::int64_t peaks = tiles_;
    std::int64_t stride = 1;
    if (peaks > most_peaks_of_block) {
      peaks = (tiles_ + peak_tiles - 1) / peak_tiles;
      stride = peak_tiles;
      launch_beside("highest of runs", {peaks, peak_threads}, highest_of_runs_kernel,
                    cells.tile_peaks, tiles_);
    }
    launch_beside("highest peak", {1, peak_threads}, highest_peak_kernel, cells.tile_peaks, peaks,
                  stride, found);
  }

  std::swap(layer_edges_[0], layer_edges_[1]);
  std::swap(uncertainty_edges_[0], uncertainty_edges_[1]);
  fresh_ = false;
  ++applied_storms_;
}

void ConvolvedLayer::screen(double factor, double absolute, std::span<Candidate> candidates,
                            const Screened* before, Screened* found) const {
  launch_beside("screen", {(tiles_ + screened_tiles - 1) / screened_tiles, tile_threads},
                screen_kernel, layer_.span().data(),
                tracked_ ? uncertainty_.span().data() : nullptr, factor, absolute, own_.begin,
                own_.end, tiles_, tile_tops_.span().data(), candidates.data(),
                static_cast<std::int64_t>(candidates.size()), before, found);
}

void ConvolvedLayer::values(std::span<double> values) const {
  if (fresh_) {
    std::ranges::fill(values, 0.0);
  } else {
    layer_.copy_to(values);
  }
}

void ConvolvedLayer::uncertainties(std::span<float> uncertainties) const {
  uncertainty_.copy_to(uncertainties);
}

}  // namespace bombard::cuda
