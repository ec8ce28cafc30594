#include "kernels/convolution/cpu/convolved_layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "kernels/base/share_out.hpp"
#include "kernels/base/unit_roundoff.hpp"
#include "kernels/convolution/cpu/border_cells.hpp"
#include "kernels/convolution/cpu/border_states.hpp"
#include "kernels/convolution/cpu/outside.hpp"

namespace bombard::cpu {

namespace {

// One thread does less work before others have begun: a thread begins after 7 us at best, and after
// 300 us on a busy machine (measured on two x86-64 cores).
constexpr std::int64_t few_sources = 1 << 16;
constexpr std::int64_t few_blocks = 32;

// The exponential sums of all layers that fit a memory have no more terms: with a relative error of
// 1e-12 those of up to 1e13 cells, of any power up to 8 (computed).
constexpr std::int64_t most_terms = 152;

// Roundings on the way of a share (docs/roundings.md, On the processor). In a chunk: the
// addition of each source that it has as an exponential, or of each power and of both parities,
// whichever are more; the product with the decay, the decay's own two, ..
constexpr std::int64_t roundings_of_chunk =
    std::max<std::int64_t>(few_sources_of_chunk, parity_coefficients + 1) + 3;
// .. in its own block and in the one that it ends in. Between them, a block: the product with the
// decay, its own two, the addition.
constexpr std::int64_t roundings_of_block = 4;
// Once: near sources; two polynomials of fewer than 100 each, which count 1.8 times since they are
// relative to the largest values; impacts outside; and, for the tables, the rest of 2000.
constexpr std::int64_t near_roundings = 3 * chunk_cells;
constexpr std::int64_t polynomial_roundings = 2 * 180;
constexpr std::int64_t roundings_once = 2000;
static_assert(near_roundings + polynomial_roundings + outside_roundings < roundings_once - 100);
// In place of all these, a share in a patch.
static_assert(patch_roundings < roundings_once);
// Amounts that leave a state, on their way there.
static_assert(decayed_in_a_row + 63 + roundings_of_decay < roundings_once);
// The last two that grow with the steepness of the attenuation: the polynomials', and those of sums
// of mirrored places, which a near share meets alone.
constexpr double flat_polynomial_roundings = 224, mirrored_roundings = 99;
constexpr double other_roundings_once = 1500;

std::int64_t padded_cells(std::int64_t cells) {
  return (cells + 2 * chunk_cells + group_cells - 1) / group_cells * group_cells;
}

/// How far any impact with energy may be from a cell of the padded whole layer in which it counts.
/// The first cell of this layer is at position `first`.
double farthest(const LayerStorm& storm, std::int64_t first, std::int64_t padded) {
  const auto layer_end = static_cast<double>(padded);
  double farthest = 0;
  for (std::size_t i = 0; i < storm.impacts.size(); ++i) {
    if (storm.impacts[i].energy == 0) continue;
    const auto at = static_cast<double>(storm.impacts[i].position - first);
    double here = std::max(at, layer_end - at);
    if (!storm.reaches.empty()) here = std::min(here, static_cast<double>(storm.reaches[i]));
    farthest = std::max(farthest, here);
  }
  return farthest;
}

/// Roundings that a share meets once (docs/roundings.md, On the processor).
double roundings_once_of(const Attenuation& attenuation, bool polynomials) {
  if (!polynomials) return roundings_once;
  const double across_chunks = attenuated(attenuation, 65) / attenuated(attenuation, 192);
  const double across_a_chunk = 1 / attenuated(attenuation, chunk_cells);
  return std::max({double{roundings_once},
                   flat_polynomial_roundings * across_chunks + other_roundings_once,
                   near_roundings + mirrored_roundings * across_a_chunk});
}

/// The parts of a thread's memory for the states of one field.
BlockStates block_states(double* memory, std::int64_t terms) {
  double* const before = memory + block_chunks * terms;
  double* const sum = before + terms;
  return {memory, before, sum, sum + group_chunks * terms};
}

SweepTables sweep_tables(const ConvolutionTables& tables) {
  return {.degree = tables.degree,
          .terms = tables.terms,
          .chunk_decay = tables.chunk_decay.data(),
          .moment = tables.moment.data(),
          .powers = tables.powers.data(),
          .even_moment = tables.even_moment.data(),
          .odd_moment = tables.odd_moment.data(),
          .even = tables.even.data(),
          .odd = tables.odd.data(),
          .near = tables.near.data(),
          .near_even = tables.near_even.data(),
          .near_odd = tables.near_odd.data(),
          .target = tables.polynomials_serve ? nullptr : tables.target.data(),
          .decay_digits = tables.decay_digits.data()};
}

}  // namespace

ConvolvedLayer::ConvolvedLayer(std::int64_t cells, const Attenuation& attenuation, double scale,
                               double relative_error, int threads)
    : ConvolvedLayer(Slab{0, cells, cells}, attenuation, scale, relative_error, threads) {}

ConvolvedLayer::ConvolvedLayer(const Slab& slab, const Attenuation& attenuation, double scale,
                               double relative_error, int threads)
    : slab_(checked(slab)),
      attenuation_(attenuation),
      scale_(scale),
      wanted_error_(relative_error),
      threads_(threads),
      padded_(padded_cells(slab.cells)),
      chunks_(padded_ / chunk_cells),
      blocks_(blocks_of(chunks_)),
      layer_(padded_),
      highest_(static_cast<std::size_t>(padded_ / group_cells)),
      sources_(chunks_),
      shares_(attenuation, scale) {
  cover_distance(static_cast<double>(padded_cells(slab.whole)));
}

/// Tables that cover distances up to this one.
void ConvolvedLayer::cover_distance(double distance) {
  if (tables_ != nullptr && tables_->longest >= distance) return;
  tables_ = std::make_unique<ConvolutionTables>(attenuation_, scale_, 2 * distance, wanted_error_);
}

void ConvolvedLayer::require_nothing_gathered() const {
  if (gathered_) throw std::logic_error("a storm is gathered and has to be applied first");
}

auto ConvolvedLayer::gathered() const -> const Gathered& {
  if (!gathered_) throw std::logic_error("no storm is gathered");
  return *gathered_;
}

/// The memory for a storm. States that pass between blocks are written before they are read.
Field ConvolvedLayer::FieldMemory::field(const double* amounts, std::int64_t terms,
                                         std::int64_t blocks) {
  right.at_least(terms * blocks);
  left.at_least(terms * blocks);
  edges.at_least(blocks);
  std::fill_n(right.data(), terms, 0.0);
  std::fill_n(left.data() + terms * (blocks - 1), terms, 0.0);
  return {.amounts = amounts,
          .exits = {},
          .before = before.data(),
          .behind = behind.data(),
          .right = right.data(),
          .left = left.data(),
          .edges = edges.data(),
          .ends = {0, 0}};
}

/// Cells of the padding are 0, and each group knows its highest cell.
template <class T>
void ConvolvedLayer::begin_with_values(std::span<const T> values) {
  require_nothing_gathered();
  if (static_cast<std::int64_t>(values.size()) != slab_.cells) {
    throw std::invalid_argument(
        fmt::format("{} values for a layer of {} cells", values.size(), slab_.cells));
  }
  fresh_ = false;
  uncertainty_ = HostArray<float>();
  share_out(padded_ / group_cells, blocks_ > few_blocks ? threads_ : 1, [&](const auto& each) {
    each([&](std::int64_t group) {
      const CellRange cells{group * group_cells, (group + 1) * group_cells};
      const CellRange given = cells.counted_from(first_cell).common({0, slab_.cells});
      std::fill_n(layer_.data() + cells.begin, cells.count(), 0.0);
      for (std::int64_t k = given.begin; k < given.end; ++k) {
        layer_[first_cell + k] = static_cast<double>(values[static_cast<std::size_t>(k)]);
      }
    });
  });
  for (std::size_t group = 0; group < highest_.size(); ++group) {
    // Groups begin a cell before those of memory (group_begin()).
    const std::int64_t begin =
        std::max<std::int64_t>(static_cast<std::int64_t>(group) * group_cells - 1, 0);
    highest_[group] = *std::max_element(layer_.data() + begin, layer_.data() + begin + group_cells);
  }
}

/// Sources, what lies outside, and the states at the borders of blocks.
void ConvolvedLayer::gather(const LayerStorm& given) {
  require_nothing_gathered();
  if (tracks_uncertainty() != given.uncertainty.has_value()) {
    throw std::logic_error(tracks_uncertainty()
                               ? "the layer tracks uncertainties: the storm has to bring some"
                               : "the layer tracks no uncertainties that a storm could bring");
  }
  sort_ending(given);
  LayerStorm remaining = given;
  if (ending_.any()) remaining.impacts = ending_.sources();
  sources_.sort(remaining, remaining.origin - first_cell, threads_);
  sum_up_outside(remaining);
  gathered_.emplace(Gathered{
      .sweep = sweep(tracks_uncertainty() ? given.uncertainty->growth : UncertaintyGrowth{}),
      .fields = {},
      .few = sources_.count() < few_sources});
  for (int f = 0; f < fields(); ++f) {
    gathered_->fields[f] = field_memory_[f].field(sources_.amounts(f), tables_->terms, blocks_);
  }
  if (ending_.any()) end_sources();
  sum_up_blocks();
}

/// Which of the impacts end, and where.
void ConvolvedLayer::sort_ending(const LayerStorm& given) {
  if (given.reaches.empty()) {
    ending_.clear();
    return;
  }
  if (given.reaches.size() != given.impacts.size()) {
    throw std::invalid_argument(
        fmt::format("{} impacts come with {} reaches: there is one for each, or none at all",
                    given.impacts.size(), given.reaches.size()));
  }
  const std::int64_t whole = first_cell - slab_.first;
  ending_.sort({.chunks = chunks_,
                .first = given.origin - first_cell,
                .own = {first_cell, first_cell + slab_.cells},
                .whole = {whole, whole + slab_.whole}},
               given, threads_);
}

void ConvolvedLayer::sum_up_outside(const LayerStorm& given) {
  const bool outside = static_cast<std::size_t>(sources_.impacts()) < given.impacts.size();
  if (outside) {
    cover_distance(farthest(given, given.origin - slab_.first, padded_cells(slab_.whole)) +
                   2 * chunk_cells);
  }
  if (outside) need_decay_digits();
  const CellRange padded{given.origin - first_cell, given.origin - first_cell + padded_};
  const LayerStorm none;
  const OutsideImpacts before(outside && !slab_.has_left() ? given : none, padded, to_right);
  const OutsideImpacts behind(outside && !slab_.has_right() ? given : none, padded, to_left);
  const SweepTables decays = sweep_tables(*tables_);
  for (int f = 0; f < fields(); ++f) {
    field_memory_[f].before = before.state(f, decays, kernels_);
    field_memory_[f].behind = behind.state(f, decays, kernels_);
  }
}

void ConvolvedLayer::need_decay_digits() {
  if (tables_->decay_digits.empty()) tables_->fill_decay_digits();
}

/// The exits of sources from the states of the gathered storm, and the decays that patches need.
void ConvolvedLayer::end_sources() {
  need_decay_digits();
  shares_.cover(ending_.farthest_patched());
  Sweep& sweep = gathered_->sweep;
  sweep.tables = sweep_tables(*tables_);
  sweep.exactly = true;
  sweep.fresh = false;
  for (const Towards side : {to_right, to_left}) {
    for (int f = 0; f < fields(); ++f) gathered_->fields[f].exits[side] = ending_.exits(side, f);
  }
  gathered_->few = sources_.count() + ending_.exit_count() < few_sources;
}

Sweep ConvolvedLayer::sweep(const UncertaintyGrowth& growth) {
  return {.tables = sweep_tables(*tables_),
          .chunks = chunks_,
          .sources_of_chunk = sources_.ranges(),
          .offsets = sources_.offsets(),
          .exactly = !tables_->polynomials_serve,
          .ends = {first_cell, first_cell + slab_.cells - 1},
          .fresh = fresh_,
          .layer = layer_.data(),
          .uncertainty = tracks_uncertainty() ? uncertainty_.data() : nullptr,
          .highest = highest_.data(),
          .growth = growth};
}

void ConvolvedLayer::sum_up_blocks() {
  share_out(blocks_, gathered_->few ? 1 : threads_, [&](const auto& each) {
    each([&](std::int64_t block) {
      for (int f = 0; f < fields(); ++f) {
        add_block(gathered_->sweep, kernels_, gathered_->fields[f], block);
      }
    });
  });
  for (int f = 0; f < fields(); ++f) pass_blocks(gathered_->sweep, *tables_, gathered_->fields[f]);
}

void ConvolvedLayer::come_in(const ComingIn& coming_in) {
  borders().require(coming_in);
  const auto& [left, right] = coming_in;
  Field& field = gathered_->fields[0];
  if (left) come_from_left(gathered_->sweep, *tables_, left->energies, field);
  if (right) come_from_right(gathered_->sweep, *tables_, right->energies, field);
}

/// The sums of the patches in a block's cells before the storm: each is added once, so that the old
/// value is rounded once more.
void ConvolvedLayer::add_patches(std::int64_t block) {
  const CellRange cells =
      CellRange{block * block_cells, (block + 1) * block_cells}.common({0, padded_});
  if (fresh_) std::fill_n(layer_.data() + cells.begin, cells.count(), 0.0);
  const std::span<const Patch> patches = ending_.patches_of(block);
  if (patches.empty()) return;
  const std::vector<double> energies = sum_patches(patches, shares_, kernels_, 0);
  for (std::int64_t i = 0; i < cells.count(); ++i) layer_[cells.begin + i] += energies[i];
  if (!tracks_uncertainty()) return;
  const std::vector<double> uncertainties = sum_patches(patches, shares_, kernels_, 1);
  for (std::int64_t i = 0; i < cells.count(); ++i) {
    float& here = uncertainty_[cells.begin + i];
    if (uncertainties[i] != 0) here = rounded_up(here + uncertainties[i]);
  }
}

void ConvolvedLayer::apply_gathered(const ComingIn& coming_in) {
  gathered();
  come_in(coming_in);
  const std::int64_t terms = tables_->terms;
  const bool alone = gathered_->few && blocks_ <= few_blocks;
  share_out(blocks_, alone ? 1 : threads_, [&](const auto& each) {
    const std::int64_t field_states = states_of_block * terms;
    AlignedDoubles memory(static_cast<std::size_t>(2 * field_states));
    const BlockStates states[] = {block_states(memory.data(), terms),
                                  block_states(memory.data() + field_states, terms)};
    each([&](std::int64_t block) {
      if (ending_.any()) add_patches(block);
      kernels_.apply_block(gathered_->sweep, block, gathered_->fields, states);
    });
  });
  finish_borders(gathered_->sweep, gathered_->fields);
  fresh_ = false;
  gathered_.reset();
}

/// On the way of a share.
double ConvolvedLayer::roundings() const {
  return static_cast<double>(2 * block_chunks * roundings_of_chunk + blocks_ * roundings_of_block) +
         roundings_once_of(attenuation_, tables_->polynomials_serve);
}

std::int64_t ConvolvedLayer::bytes(std::int64_t cells, bool with_uncertainty) {
  const std::int64_t padded = padded_cells(cells);
  const auto cell_bytes =
      static_cast<std::int64_t>(sizeof(double) + (with_uncertainty ? sizeof(float) : 0));
  const std::int64_t chunk_bytes = sizeof(SourceRange);
  const std::int64_t group_bytes = sizeof(double);
  const std::int64_t fields = with_uncertainty ? 2 : 1, ways = 2;
  const std::int64_t block_bytes = fields * ways * most_terms * std::int64_t{sizeof(double)};
  return padded * cell_bytes + padded / chunk_cells * chunk_bytes +
         padded / group_cells * group_bytes + (padded / block_cells + 1) * block_bytes;
}

double ConvolvedLayer::relative_error() const {
  const double sum_error =
      tables_->polynomials_serve ? tables_->relative_error : tables_->sum.relative_error;
  return std::max(wanted_error_, sum_error) + roundings() * unit_roundoff_binary64;
}

double ConvolvedLayer::cut_error() const {
  return roundings() * unit_roundoff_binary64 + tables_->sum.argument_error;
}

void ConvolvedLayer::clear() {
  gathered_.reset();
  fresh_ = true;
  uncertainty_ = HostArray<float>();
}

void ConvolvedLayer::begin_with(std::span<const float> values) {
  begin_with_values(values);
}

void ConvolvedLayer::begin_with(std::span<const double> values) {
  begin_with_values(values);
}

void ConvolvedLayer::track_uncertainty(double factor) {
  require_nothing_gathered();
  if (slab_.has_left() || slab_.has_right()) {
    throw std::logic_error("no uncertainties cross the borders of a slab");
  }
  uncertainty_ = HostArray<float>(padded_);
  share_out(blocks_, blocks_ > few_blocks ? threads_ : 1, [&](const auto& each) {
    each([&](std::int64_t b) {
      for (std::int64_t i = b * block_cells; i < std::min((b + 1) * block_cells, padded_); ++i) {
        uncertainty_[i] = fresh_ ? 0.0F : rounded_up(factor * std::fabs(layer_[i]));
      }
    });
  });
}

void ConvolvedLayer::apply(const LayerStorm& storm) {
  gather(storm);
  apply_gathered();
}

CellRange ConvolvedLayer::padded(const Slab& slab) {
  const std::int64_t begin = slab.first - first_cell;
  return {begin, begin + padded_cells(slab.cells)};
}

SlabBorders ConvolvedLayer::borders() const {
  return {slab_, padded(slab_), tables_->longest, tables_->sum.exponents, tables_->terms};
}

void ConvolvedLayer::cover(std::int64_t lowest, std::int64_t highest) {
  require_nothing_gathered();
  const auto padded = static_cast<double>(padded_cells(slab_.whole));
  const double farthest =
      std::max(static_cast<double>(highest), padded - static_cast<double>(lowest));
  cover_distance(farthest + 2 * chunk_cells);
}

std::int64_t ConvolvedLayer::group_begin(std::int64_t group) const {
  return std::clamp<std::int64_t>(group * group_cells - 1 - first_cell, 0, cells());
}

BorderStates ConvolvedLayer::leaving_right(std::int64_t border) const {
  const Gathered& storm = gathered();
  BorderStates states = borders().no_states_at(border);
  state_before(storm.sweep, kernels_, storm.fields[0], borders().chunk_at(border), states.energies);
  return states;
}

BorderStates ConvolvedLayer::leaving_left(std::int64_t border) const {
  const Gathered& storm = gathered();
  BorderStates states = borders().no_states_at(border);
  state_behind(storm.sweep, kernels_, storm.fields[0], borders().chunk_at(border) - 1,
               states.energies);
  return states;
}

}  // namespace bombard::cpu
