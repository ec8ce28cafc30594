#include "kernels/convolution/cpu/convolved_layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "kernels/base/host_array.hpp"
#include "kernels/base/share_out.hpp"
#include "kernels/base/unit_roundoff.hpp"
#include "kernels/convolution/cpu/border_cells.hpp"
#include "kernels/convolution/cpu/border_states.hpp"
#include "kernels/convolution/cpu/decay_digits.hpp"
#include "kernels/convolution/cpu/ending_sources.hpp"
#include "kernels/convolution/cpu/outside.hpp"
#include "kernels/convolution/cpu/patches.hpp"
#include "kernels/convolution/cpu/sources.hpp"
#include "kernels/convolution/cpu/sweep.hpp"
#include "kernels/convolution/tables.hpp"

namespace bombard::cpu {

namespace {

// The layer begins behind one empty chunk and ends before another: every chunk has two neighbours.
constexpr std::int64_t first_cell = chunk_cells;

// One thread does less work before others have begun: a thread begins after 7 us at best, and after
// 300 us on a busy machine (measured on two x86-64 cores).
constexpr std::int64_t few_sources = 1 << 16;
constexpr std::int64_t few_blocks = 32;

// The exponential sums of all layers that fit a memory have no more terms: with a relative error of
// 1e-12 those of up to 1e13 cells, of any power up to 8 (computed).
constexpr std::int64_t most_terms = 152;

// Roundings on the way of a share (docs/methods.md, The convolution, Rounding). In a chunk: the
// addition of each source that it has as an exponential, or of each power and of both parities,
// whichever are more; the product with the decay, the decay's own two, ..
constexpr std::int64_t roundings_of_chunk =
    std::max<std::int64_t>(few_sources_of_chunk, parity_coefficients + 1) + 3;
// .. in its own block and in the one that it ends in. Between them, a block: the product with the
// decay, its own two, the addition.
constexpr std::int64_t roundings_of_block = 4;
// Once: near sources; two polynomials of fewer than 100 each, which count 1.8 times since they are
// relative to the largest values; what lies outside; and, for the tables, what is left of 2000.
constexpr std::int64_t near_roundings = 3 * chunk_cells;
constexpr std::int64_t polynomial_roundings = 2 * 180;
constexpr std::int64_t roundings_once = 2000;
static_assert(near_roundings + polynomial_roundings + outside_roundings < roundings_once - 100);
// In place of all these, a share in a patch.
static_assert(patch_roundings < roundings_once);
// What leaves a state, on its way there.
static_assert(decayed_in_a_row + 63 + roundings_of_decay < roundings_once);
// The last two that grow with the steepness of the attenuation: the polynomials', and those of sums
// of mirrored places, which a near share meets alone.
constexpr double flat_polynomial_roundings = 224, mirrored_roundings = 99;
constexpr double other_roundings_once = 1500;

std::int64_t padded_cells(std::int64_t cells) {
  return (cells + 2 * chunk_cells + group_cells - 1) / group_cells * group_cells;
}

/// How far any impact with energy may be from a cell of the padded whole layer in which it counts.
/// That layer's first cell is at position `first`.
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

/// Roundings that a share meets once (docs/methods.md, Rounding).
double roundings_once_of(const Attenuation& attenuation, bool polynomials) {
  if (!polynomials) return roundings_once;
  const double across_chunks = attenuated(attenuation, 65) / attenuated(attenuation, 192);
  const double across_a_chunk = 1 / attenuated(attenuation, chunk_cells);
  return std::max({double{roundings_once},
                   flat_polynomial_roundings * across_chunks + other_roundings_once,
                   near_roundings + mirrored_roundings * across_a_chunk});
}

/// Memory for states and edges of one field.
struct FieldMemory {
  AlignedDoubles before, behind;
  HostArray<double> right, left;
  HostArray<BlockEdges> edges;

  /// For a storm. What passes between blocks is written before it is read.
  Field field(const double* amounts, std::int64_t terms, std::int64_t blocks) {
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
};

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
          .decay_digits = {}};
}

/// A storm between gather() and apply().
struct Storm {
  Sweep sweep;
  Field fields[2];  ///< of energies and, where they are tracked, of uncertainties
  bool few;         ///< sources
};

/// What states at a border are of a field.
std::vector<double>& amounts_of(BorderStates& states, int field) {
  return field == 0 ? states.energies : states.uncertainties;
}
const std::vector<double>& amounts_of(const BorderStates& states, int field) {
  return field == 0 ? states.energies : states.uncertainties;
}

}  // namespace

struct ConvolvedLayer::State {
  Slab slab;
  Attenuation attenuation;
  double scale, wanted_error;
  int threads;
  std::int64_t padded, chunks, blocks;
  std::unique_ptr<ConvolutionTables> tables;
  const SweepKernels& kernels = sweep_kernels();
  bool fresh = true;
  HostArray<double> layer;
  HostArray<float> uncertainty;  ///< empty: not tracked
  std::vector<double> highest;
  SortedSources sorted;
  EndingSources ending;
  DecayDigitTables decay_digits;
  AttenuationTable shares;      ///< of patches
  FieldMemory field_memory[2];  ///< [field]
  std::optional<Storm> storm;   ///< gathered

  State(const Slab& slab_, const Attenuation& attenuation_, double scale_, double error,
        int most_threads)
      : slab(slab_),
        attenuation(attenuation_),
        scale(scale_),
        wanted_error(error),
        threads(most_threads),
        padded(padded_cells(slab.cells)),
        chunks(padded / chunk_cells),
        blocks(blocks_of(chunks)),
        layer(padded),
        highest(static_cast<std::size_t>(padded / group_cells)),
        sorted(chunks),
        shares(attenuation, scale) {
    reach(static_cast<double>(padded_cells(slab.whole)));
  }

  bool tracked() const { return !uncertainty.empty(); }
  int fields() const { return tracked() ? 2 : 1; }
  std::int64_t left_border() const { return ConvolvedLayer::left_border(slab); }
  std::int64_t right_border() const { return left_border() + padded; }

  /// Tables that cover distances up to this one.
  void reach(double distance) {
    if (tables == nullptr || tables->longest < distance) {
      tables = std::make_unique<ConvolutionTables>(attenuation, scale, 2 * distance, wanted_error);
      decay_digits.forget();
    }
  }

  template <class T>
  void begin_with(std::span<const T> values);

  void require_nothing_gathered() const {
    if (storm) throw std::logic_error("a storm is gathered and has to be applied first");
  }

  std::int64_t chunk_at(std::int64_t border) const;
  void gather(const LayerStorm& storm);
  void sort_ending(const LayerStorm& storm);
  void sum_up_outside(const LayerStorm& storm);
  void end_sources();
  Sweep sweep(const UncertaintyGrowth& growth);
  void sum_up_blocks();
  BorderStates no_states_at(std::int64_t border) const;
  void check(const std::optional<BorderStates>& states, bool expected, std::int64_t border) const;
  void come_in(const ComingIn& coming_in);
  void add_patches(std::int64_t block);
  void apply();
  double roundings() const;
};

/// Cells of the padding are 0, and each group knows its highest cell.
template <class T>
void ConvolvedLayer::State::begin_with(std::span<const T> values) {
  require_nothing_gathered();
  if (static_cast<std::int64_t>(values.size()) != slab.cells) {
    throw std::invalid_argument(
        fmt::format("{} values for a layer of {} cells", values.size(), slab.cells));
  }
  fresh = false;
  uncertainty = HostArray<float>();
  share_out(padded / group_cells, blocks > few_blocks ? threads : 1, [&](const auto& each) {
    each([&](std::int64_t group) {
      const CellRange cells{group * group_cells, (group + 1) * group_cells};
      const CellRange given = cells.counted_from(first_cell).common({0, slab.cells});
      std::fill_n(layer.data() + cells.begin, cells.count(), 0.0);
      for (std::int64_t k = given.begin; k < given.end; ++k) {
        layer[first_cell + k] = static_cast<double>(values[static_cast<std::size_t>(k)]);
      }
    });
  });
  for (std::size_t group = 0; group < highest.size(); ++group) {
    // Groups begin a cell before those of memory (group_begin()).
    const std::int64_t begin =
        std::max<std::int64_t>(static_cast<std::int64_t>(group) * group_cells - 1, 0);
    highest[group] = *std::max_element(layer.data() + begin, layer.data() + begin + group_cells);
  }
}

/// The first phase: sources, what lies outside, and the states at the borders of blocks.
void ConvolvedLayer::State::gather(const LayerStorm& given) {
  require_nothing_gathered();
  if (tracked() != given.uncertainty.has_value()) {
    throw std::logic_error(tracked()
                               ? "the layer tracks uncertainties: the storm has to bring some"
                               : "the layer tracks no uncertainties that a storm could bring");
  }
  sort_ending(given);
  LayerStorm remaining = given;
  if (ending.any()) remaining.impacts = ending.sources();
  sorted.sort(remaining, remaining.origin - first_cell, threads);
  sum_up_outside(remaining);
  storm.emplace(Storm{.sweep = sweep(tracked() ? given.uncertainty->growth : UncertaintyGrowth{}),
                      .fields = {},
                      .few = sorted.count() < few_sources});
  for (int f = 0; f < fields(); ++f) {
    const double* const amounts = f == 0 ? sorted.energies() : sorted.uncertainties();
    storm->fields[f] = field_memory[f].field(amounts, tables->terms, blocks);
  }
  if (ending.any()) end_sources();
  sum_up_blocks();
}

/// Which of the impacts end, and where.
void ConvolvedLayer::State::sort_ending(const LayerStorm& given) {
  if (given.reaches.empty()) {
    ending.clear();
    return;
  }
  if (given.reaches.size() != given.impacts.size()) {
    throw std::invalid_argument(
        fmt::format("{} impacts come with {} reaches: there is one for each, or none at all",
                    given.impacts.size(), given.reaches.size()));
  }
  const std::int64_t whole = first_cell - slab.first;
  ending.sort({.chunks = chunks,
               .first = given.origin - first_cell,
               .own = {first_cell, first_cell + slab.cells},
               .whole = {whole, whole + slab.whole}},
              given, threads);
}

void ConvolvedLayer::State::sum_up_outside(const LayerStorm& given) {
  const bool outside = static_cast<std::size_t>(sorted.impacts()) < given.impacts.size();
  if (outside) {
    reach(farthest(given, given.origin - slab.first, padded_cells(slab.whole)) + 2 * chunk_cells);
  }
  const PaddedRange range{.first = given.origin - first_cell,
                          .end = given.origin + padded - first_cell,
                          .before_counts = !slab.has_left(),
                          .behind_counts = !slab.has_right()};
  const OutsideImpacts there(outside ? given : LayerStorm{}, range);
  if (outside) decay_digits.cover(there.farthest(), *tables);
  SweepTables decays = sweep_tables(*tables);
  decays.decay_digits = decay_digits.digits();
  for (int f = 0; f < fields(); ++f) {
    field_memory[f].before = there.state_before(f == 0, decays, kernels);
    field_memory[f].behind = there.state_behind(f == 0, decays, kernels);
  }
}

/// Where sources exit the states of the gathered storm, and what patches need.
void ConvolvedLayer::State::end_sources() {
  decay_digits.cover(ending.farthest_exit(), *tables);
  shares.cover(ending.farthest_patched());
  Sweep& sweep = storm->sweep;
  sweep.tables.decay_digits = decay_digits.digits();
  sweep.exactly = true;
  sweep.fresh = false;
  for (const Towards side : {to_right, to_left}) {
    storm->fields[0].exits[side] = ending.exits_of_energies(side);
    storm->fields[1].exits[side] = ending.exits_of_uncertainties(side);
  }
  storm->few = sorted.count() + ending.exits() < few_sources;
}

Sweep ConvolvedLayer::State::sweep(const UncertaintyGrowth& growth) {
  return {.tables = sweep_tables(*tables),
          .chunks = chunks,
          .sources_of_chunk = sorted.ranges(),
          .offsets = sorted.offsets(),
          .exactly = !tables->polynomials_serve,
          .ends = {first_cell, first_cell + slab.cells - 1},
          .fresh = fresh,
          .layer = layer.data(),
          .uncertainty = tracked() ? uncertainty.data() : nullptr,
          .highest = highest.data(),
          .growth = growth};
}

void ConvolvedLayer::State::sum_up_blocks() {
  share_out(blocks, storm->few ? 1 : threads, [&](const auto& each) {
    each([&](std::int64_t block) {
      for (int f = 0; f < fields(); ++f) add_block(storm->sweep, kernels, storm->fields[f], block);
    });
  });
  for (int f = 0; f < fields(); ++f) pass_blocks(storm->sweep, *tables, storm->fields[f]);
}

/// The chunk that begins at a border where states leave.
std::int64_t ConvolvedLayer::State::chunk_at(std::int64_t border) const {
  const std::int64_t cells = border - left_border();
  if (cells < 0 || cells > padded || cells % chunk_cells != 0) {
    throw std::invalid_argument(fmt::format(
        "states leave a slab at every {} cells from its left border, {}, to its right one, {}; not "
        "at {}",
        chunk_cells, left_border(), right_border(), border));
  }
  return cells / chunk_cells;
}

BorderStates ConvolvedLayer::State::no_states_at(std::int64_t border) const {
  const auto terms = static_cast<std::size_t>(tables->terms);
  return {.border = border,
          .longest = tables->longest,
          .energies = std::vector<double>(terms),
          .uncertainties = std::vector<double>(tracked() ? terms : 0)};
}

void ConvolvedLayer::State::check(const std::optional<BorderStates>& states, bool expected,
                                  std::int64_t border) const {
  if (states.has_value() != expected) {
    throw std::invalid_argument(expected
                                    ? "the states that come in from a neighbouring slab are missing"
                                    : "states come in where the layer ends");
  }
  if (!states) return;
  if (states->border != border) {
    throw std::invalid_argument(
        fmt::format("states come in at border {}, not at {}", border, states->border));
  }
  if (states->longest != tables->longest) {
    throw std::invalid_argument(fmt::format(
        "states of exponentials up to a distance of {} come in where these cover {}: cover() makes "
        "them the same",
        states->longest, tables->longest));
  }
  const auto terms = static_cast<std::size_t>(tables->terms);
  if (states->energies.size() != terms || states->uncertainties.size() != (tracked() ? terms : 0)) {
    throw std::invalid_argument("states come in that are more or fewer than this slab's");
  }
}

/// The third phase.
void ConvolvedLayer::State::come_in(const ComingIn& coming_in) {
  const auto& [left, right] = coming_in;
  check(left, slab.has_left(), left_border());
  check(right, slab.has_right(), right_border());
  for (int f = 0; f < fields(); ++f) {
    Field& field = storm->fields[f];
    if (left) come_from_left(storm->sweep, *tables, amounts_of(*left, f), field);
    if (right) come_from_right(storm->sweep, *tables, amounts_of(*right, f), field);
  }
}

/// What patches bring to a block's cells before the storm: a sum that is added once, so that it
/// costs what was there one rounding.
void ConvolvedLayer::State::add_patches(std::int64_t block) {
  const CellRange cells =
      CellRange{block * block_cells, (block + 1) * block_cells}.common({0, padded});
  if (fresh) std::fill_n(layer.data() + cells.begin, cells.count(), 0.0);
  const std::span<const Patch> patches = ending.patches_of(block);
  if (patches.empty()) return;
  const std::vector<double> energies = sum_patches(patches, shares, kernels, true);
  for (std::int64_t i = 0; i < cells.count(); ++i) layer[cells.begin + i] += energies[i];
  if (!tracked()) return;
  const std::vector<double> uncertainties = sum_patches(patches, shares, kernels, false);
  for (std::int64_t i = 0; i < cells.count(); ++i) {
    float& here = uncertainty[cells.begin + i];
    if (uncertainties[i] != 0) here = rounded_up(here + uncertainties[i]);
  }
}

/// The last phase.
void ConvolvedLayer::State::apply() {
  const std::int64_t terms = tables->terms;
  const bool alone = storm->few && blocks <= few_blocks;
  share_out(blocks, alone ? 1 : threads, [&](const auto& each) {
    const std::int64_t of_field = states_of_block * terms;
    AlignedDoubles memory(static_cast<std::size_t>(2 * of_field));
    const BlockStates states[] = {block_states(memory.data(), terms),
                                  block_states(memory.data() + of_field, terms)};
    each([&](std::int64_t block) {
      if (ending.any()) add_patches(block);
      kernels.apply_block(storm->sweep, block, storm->fields, states);
    });
  });
  finish_borders(storm->sweep, storm->fields);
  fresh = false;
  storm.reset();
}

/// On the way of a share.
double ConvolvedLayer::State::roundings() const {
  return static_cast<double>(2 * block_chunks * roundings_of_chunk + blocks * roundings_of_block) +
         roundings_once_of(attenuation, tables->polynomials_serve);
}

ConvolvedLayer::ConvolvedLayer(std::int64_t cells, const Attenuation& attenuation, double scale,
                               double relative_error, int threads)
    : ConvolvedLayer(Slab{0, cells, cells}, attenuation, scale, relative_error, threads) {}

ConvolvedLayer::ConvolvedLayer(const Slab& slab, const Attenuation& attenuation, double scale,
                               double relative_error, int threads) {
  if (slab.first < 0 || slab.first % chunk_cells != 0 || slab.cells < 1 ||
      slab.first + slab.cells > slab.whole) {
    throw std::invalid_argument(
        fmt::format("a slab of {} cells from {} on: it has to lie in the layer of {} and to begin "
                    "at a multiple "
                    "of {}",
                    slab.cells, slab.first, slab.whole, chunk_cells));
  }
  state_ = std::make_unique<State>(slab, attenuation, scale, relative_error, threads);
}
ConvolvedLayer::~ConvolvedLayer() = default;
ConvolvedLayer::ConvolvedLayer(ConvolvedLayer&&) noexcept = default;

std::int64_t ConvolvedLayer::bytes(std::int64_t cells, bool with_uncertainty) {
  const std::int64_t padded = padded_cells(cells);
  const auto of_cell =
      static_cast<std::int64_t>(sizeof(double) + (with_uncertainty ? sizeof(float) : 0));
  const std::int64_t of_chunk = sizeof(SourceRange);
  const std::int64_t of_group = sizeof(double);
  const std::int64_t fields = with_uncertainty ? 2 : 1, ways = 2;
  const std::int64_t of_block = fields * ways * most_terms * std::int64_t{sizeof(double)};
  return padded * of_cell + padded / chunk_cells * of_chunk + padded / group_cells * of_group +
         (padded / block_cells + 1) * of_block;
}

double ConvolvedLayer::relative_error() const {
  const State& s = *state_;
  const double of_sums =
      s.tables->polynomials_serve ? s.tables->relative_error : s.tables->sum_error;
  return std::max(s.wanted_error, of_sums) + s.roundings() * unit_roundoff_binary64;
}

double ConvolvedLayer::cut_error() const {
  // The sum of a single exponential has no error but roundings of arguments.
  const bool single = state_->attenuation.kind == Attenuation::Kind::exponential;
  return state_->roundings() * unit_roundoff_binary64 + (single ? state_->tables->sum_error : 0);
}

void ConvolvedLayer::clear() {
  state_->require_nothing_gathered();
  state_->fresh = true;
  state_->uncertainty = HostArray<float>();
}

void ConvolvedLayer::begin_with(std::span<const float> values) {
  state_->begin_with(values);
}

void ConvolvedLayer::begin_with(std::span<const double> values) {
  state_->begin_with(values);
}

void ConvolvedLayer::track_uncertainty(double factor) {
  State& s = *state_;
  s.require_nothing_gathered();
  s.uncertainty = HostArray<float>(s.padded);
  share_out(s.blocks, s.blocks > few_blocks ? s.threads : 1, [&](const auto& each) {
    each([&](std::int64_t b) {
      for (std::int64_t i = b * block_cells; i < std::min((b + 1) * block_cells, s.padded); ++i) {
        s.uncertainty[i] = s.fresh ? 0.0F : rounded_up(factor * std::fabs(s.layer[i]));
      }
    });
  });
}

bool ConvolvedLayer::tracks_uncertainty() const {
  return state_->tracked();
}

void ConvolvedLayer::apply(const LayerStorm& storm) {
  gather(storm).apply();
}

GatheredStorm ConvolvedLayer::gather(const LayerStorm& storm) {
  state_->gather(storm);
  return GatheredStorm(*state_);
}

std::int64_t ConvolvedLayer::left_border() const {
  return state_->left_border();
}

std::int64_t ConvolvedLayer::right_border() const {
  return state_->right_border();
}

std::int64_t ConvolvedLayer::left_border(const Slab& slab) {
  return slab.first - first_cell;
}

std::int64_t ConvolvedLayer::right_border(const Slab& slab) {
  return left_border(slab) + padded_cells(slab.cells);
}

void ConvolvedLayer::cover(std::int64_t lowest, std::int64_t highest) {
  state_->require_nothing_gathered();
  const std::int64_t padded = padded_cells(state_->slab.whole);
  const double farthest = std::max(static_cast<double>(highest),
                                   static_cast<double>(padded) - static_cast<double>(lowest));
  state_->reach(farthest + 2 * chunk_cells);
}

void ConvolvedLayer::pass_on(const BorderStates& from, BorderStates& to) const {
  state_->check(from, true, from.border);
  state_->check(to, true, to.border);
  AlignedDoubles decay(from.energies.size());
  state_->tables->decay(std::fabs(static_cast<double>(to.border - from.border)), decay.data());
  for (int f = 0; f < state_->fields(); ++f) {
    for (std::size_t t = 0; t < decay.size(); ++t) {
      amounts_of(to, f)[t] += amounts_of(from, f)[t] * decay[t];
    }
  }
}

std::int64_t ConvolvedLayer::cells() const {
  return state_->slab.cells;
}

double ConvolvedLayer::value(std::int64_t cell) const {
  return state_->fresh ? 0 : state_->layer[first_cell + cell];
}

double ConvolvedLayer::uncertainty(std::int64_t cell) const {
  return tracks_uncertainty() ? state_->uncertainty[first_cell + cell] : 0;
}

std::int64_t ConvolvedLayer::groups() const {
  return static_cast<std::int64_t>(state_->highest.size());
}

std::int64_t ConvolvedLayer::group_begin(std::int64_t group) const {
  return std::clamp<std::int64_t>(group * group_cells - 1 - first_cell, 0, cells());
}

double ConvolvedLayer::highest(std::int64_t group) const {
  return state_->highest[group];
}

GatheredStorm::~GatheredStorm() {
  if (state_ != nullptr) state_->storm.reset();
}

GatheredStorm::GatheredStorm(GatheredStorm&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)) {}

ConvolvedLayer::State& GatheredStorm::gathered() const {
  if (state_ == nullptr) throw std::logic_error("this storm has been applied, or moved");
  return *state_;
}

BorderStates GatheredStorm::leaving_right(std::int64_t border) const {
  const ConvolvedLayer::State& s = gathered();
  const std::int64_t chunk = s.chunk_at(border);
  BorderStates states = s.no_states_at(border);
  for (int f = 0; f < s.fields(); ++f) {
    state_before(s.storm->sweep, s.kernels, s.storm->fields[f], chunk, amounts_of(states, f));
  }
  return states;
}

BorderStates GatheredStorm::leaving_left(std::int64_t border) const {
  const ConvolvedLayer::State& s = gathered();
  const std::int64_t chunk = s.chunk_at(border) - 1;
  BorderStates states = s.no_states_at(border);
  for (int f = 0; f < s.fields(); ++f) {
    state_behind(s.storm->sweep, s.kernels, s.storm->fields[f], chunk, amounts_of(states, f));
  }
  return states;
}

ComingIn GatheredStorm::nothing_coming_in() const {
  const ConvolvedLayer::State& s = gathered();
  ComingIn in;
  if (s.slab.has_left()) in.from_left = s.no_states_at(s.left_border());
  if (s.slab.has_right()) in.from_right = s.no_states_at(s.right_border());
  return in;
}

void GatheredStorm::apply() && {
  std::move(*this).apply(ComingIn{});
}

void GatheredStorm::apply(const ComingIn& coming_in) && {
  gathered().come_in(coming_in);
  std::exchange(state_, nullptr)->apply();
}

}  // namespace bombard::cpu
