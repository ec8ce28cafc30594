// The phases of a storm in their order; each has a file of its own (docs/methods.md, The fast
// layer).

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "kernels/base/unit_roundoff.hpp"
#include "kernels/convolution/cuda/apply.hpp"
#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/convolution/cuda/direct_sums.hpp"

namespace bombard::cuda {

namespace {

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

// Roundings of a share on its way (docs/roundings.md, On the GPU). Of the polynomials in the
// chunk of its source and in the chunk of its cell, relative to their largest values; for impacts
// outside, their own in place of the first.
constexpr double moment_roundings = 44, polynomial_roundings = 148, outside_roundings = 530;
// Roundings of exponentials in place of polynomials: both states' terms, 208 each for any distance.
constexpr double exponential_roundings = 420;
// Near impacts in the same sum; of a product of mirrored places.
constexpr double near_roundings = 200, mirrored_roundings = 99;
// Roundings of a tile's sums, sums at the border of a slab, tiles of a thread, their doubling,
// arguments.
constexpr double other_roundings = 100 + 64 + 144 + 384 + 54;
constexpr double fewest_roundings = 3000;

/// All of them, by polynomials or without, on a layer of `tiles` tiles.
double roundings_of_share(const Attenuation& attenuation, bool polynomials, std::int64_t tiles) {
  // The scan passes on to the next tiles: 4, and 4 to spare.
  constexpr std::int64_t at_a_time = TileStates::runs_of_scan * TileStates::longest_run_of_scan;
  const auto of_scans = static_cast<double>(8 * (tiles / at_a_time));
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

}  // namespace

void ConvolvedLayer::load() {
  Sources::load();
  TileStates::load();
  load_apply();
  StoredCells::load();
}

ConvolvedLayer::ConvolvedLayer(const Slab& slab, const CellRange& own,
                               const Attenuation& attenuation, double scale, double relative_error)
    : slab_(slab),
      chunks_(chunks_for(slab.cells)),
      tiles_(tiles_for(slab.cells)),
      attenuation_(attenuation),
      scale_(scale),
      tables_(attenuation, scale, relative_error),
      sources_(chunks_),
      cells_(slab.cells, tiles_, own) {
  reach(static_cast<double>(chunks_for(slab.whole) * chunk_cells));
}

std::int64_t ConvolvedLayer::bytes(std::int64_t cells, bool with_uncertainty) {
  const std::int64_t states = (with_uncertainty ? 4 : 2) * most_terms * sizeof(double);
  constexpr std::int64_t chunk = sizeof(std::uint64_t) + sizeof(unsigned);
  return StoredCells::bytes(cells, tiles_for(cells), with_uncertainty) + chunks_for(cells) * chunk +
         tiles_for(cells) * states;
}

Terms ConvolvedLayer::terms() const {
  return tables_.of_layer(chunks_, tiles_);
}

SourceArray<std::int64_t> ConvolvedLayer::energy_sources() {
  return sources_.energies(outside_.energies());
}

SourceArray<double> ConvolvedLayer::uncertainty_sources() {
  return sources_.uncertainties(outside_.uncertainties());
}

/// The position that the padded layer begins with.
std::int64_t ConvolvedLayer::first_position() const {
  return slab_.first - first_cell;
}

/// Tables that cover distances up to this one, and what goes with them.
void ConvolvedLayer::reach(double distance) {
  if (!tables_.reach(distance)) return;
  prepare_apply(tables_.terms(), tiles_, tracks_uncertainty(), tables_.polynomials_serve());
  rounding_ = roundings_of_share(attenuation_, tables_.polynomials_serve(), tiles_) *
              unit_roundoff_binary64;
  // In the middle of a chunk, or where states begin (exponentials.cuh).
  outside_.begin(tables_.terms(), tables_.exponents(),
                 tables_.polynomials_serve() ? half_width - 0.5 : -2.0);
}

void ConvolvedLayer::clear() {
  gathered_ = {};
  found_ = nullptr;
  cells_.clear();
}

template <class Number>
void ConvolvedLayer::begin_with(std::span<const Number> values) {
  gathered_ = {};
  cells_.begin_with(values);
}
template void ConvolvedLayer::begin_with(std::span<const float>);
template void ConvolvedLayer::begin_with(std::span<const double>);

void ConvolvedLayer::track_uncertainty(double factor) {
  require_nothing_gathered();
  prepare_apply(tables_.terms(), tiles_, true, tables_.polynomials_serve());
  cells_.track_uncertainty(factor);
}

bool ConvolvedLayer::counts_before(const StormImpacts& storm) const {
  return !storm.states_come_in || !slab_.has_left();
}

bool ConvolvedLayer::counts_behind(const StormImpacts& storm) const {
  return !storm.states_come_in || !slab_.has_right();
}

bool ConvolvedLayer::reaches_outside(const StormImpacts& storm) const {
  const std::int64_t end = first_position() + chunks_ * chunk_cells;
  const bool before = counts_before(storm) && storm.lowest < first_position();
  const bool behind = counts_behind(storm) && storm.highest >= end;
  return !storm.impacts.empty() && (before || behind);
}

/// How many of the first ones follow one another in memory, fall on cells of the layer but not on
/// most of them, and have states that are scanned at once.
std::size_t ConvolvedLayer::gathered_at_once(std::span<const StormImpacts> storms) const {
  const auto most = static_cast<std::size_t>(TileStates::most_storms(tiles_));
  std::size_t several = 0;
  const Impact* next = storms.front().impacts.data();
  for (const StormImpacts& storm : storms.first(std::min(storms.size(), most))) {
    const bool alone = sources_.is_dense(static_cast<std::int64_t>(storm.impacts.size())) ||
                       reaches_outside(storm) || storm.states_come_in;
    if (alone || storm.impacts.data() != next) break;
    next += storm.impacts.size();
    ++several;
  }
  return std::max<std::size_t>(several, 1);
}

void ConvolvedLayer::require_nothing_gathered() const {
  if (gathered_.applied < gathered_.storms) {
    throw std::logic_error("gathered storms are still to be applied");
  }
}

/// The impacts outside the padded layer, in the first of the storms.
void ConvolvedLayer::gather_outside(const StormImpacts& storm, const GatheredImpacts& impacts) {
  if (!reaches_outside(storm)) return outside_.clear();
  const std::int64_t end = first_position() + chunks_ * chunk_cells;
  reach(std::max(static_cast<double>(storm.highest - slab_.first),
                 static_cast<double>(end) - static_cast<double>(storm.lowest)) +
        2 * chunk_cells);
  outside_.gather(impacts, counts_before(storm), counts_behind(storm));
}

std::size_t ConvolvedLayer::gather(std::span<const StormImpacts> storms) {
  require_nothing_gathered();
  if (storms.empty()) throw std::invalid_argument("no storm to gather");
  storms = storms.first(gathered_at_once(storms));
  const StormImpacts& first = storms.front();
  if (first.states_come_in && tracks_uncertainty()) {
    throw std::logic_error("states come into a storm without uncertainties");
  }
  GatheredImpacts impacts{.impacts = first.impacts.data(),
                          .count = 0,
                          .origin = first_position(),
                          .chunks = chunks_,
                          .storms = static_cast<std::int64_t>(storms.size()),
                          .ends = {},
                          .uncertainty = {}};
  Gathered all{.storms = impacts.storms, .states_come_in = first.states_come_in};
  for (std::size_t i = 0; i < storms.size(); ++i) {
    const std::optional<StormUncertainty>& uncertainty = storms[i].uncertainty;
    if (tracks_uncertainty() && !uncertainty) {
      throw std::logic_error("a storm without the uncertainties that are tracked");
    }
    all.growth.push_back(uncertainty ? uncertainty->growth : UncertaintyGrowth{0, 0});
    if (uncertainty) impacts.uncertainty[i] = uncertainty->of_deposits;
    impacts.ends[i] = impacts.count += static_cast<std::int64_t>(storms[i].impacts.size());
  }
  gather_outside(first, impacts);
  sources_.gather(impacts, tracks_uncertainty());
  gathered_ = std::move(all);
  return storms.size();
}

/// Adds the gathered storms' sources to the states of the tiles that they enter.
void ConvolvedLayer::add_to_tiles() {
  if (gathered_.in_tiles) return;
  gathered_.in_tiles = true;
  states_.add_sources(terms(), tables_.exponents(), gathered_.storms, fields(), energy_sources(),
                      uncertainty_sources(), tables_.polynomials_serve());
}

void ConvolvedLayer::apply(const StormImpacts& storm, Screened* found) {
  gather({&storm, 1});
  apply_gathered(found);
}

void ConvolvedLayer::apply_gathered(Screened* found, const ComingIn& coming_in) {
  if (gathered_.applied == gathered_.storms) {
    throw std::logic_error("no gathered storm is left to apply");
  }
  if (gathered_.states_come_in) come_in(coming_in);
  const std::int64_t storm = gathered_.applied++;
  if (storm == 0) {
    add_to_tiles();
    states_.scan();
  }
  const UncertaintyGrowth& growth = gathered_.growth[static_cast<std::size_t>(storm)];
  cuda::apply({.terms = terms(),
               .energies = energy_sources().of_storm(storm, chunks_),
               .uncertainties = uncertainty_sources().of_storm(storm, chunks_),
               .states = states_.of(storm, 0),
               .uncertainty_states = states_.of(storm, fields() - 1),
               .cells = cells_.for_storm(growth, found),
               .first = storm == 0},
              tracks_uncertainty(), tables_.polynomials_serve());
  found_ = found;
}

void ConvolvedLayer::apply_directly(std::span<const Impact> impacts,
                                    std::span<const std::int64_t> reaches, Screened* found) {
  require_nothing_gathered();
  if (tracks_uncertainty()) throw std::logic_error("direct sums have no uncertainties");
  if (reaches.size() != impacts.size()) {
    throw std::invalid_argument("reaches and impacts differ in number");
  }
  const std::int64_t padded = chunks_ * chunk_cells;
  direct_sums_.at_least(padded, "the sums of shares that end");
  const std::span<double> sums = direct_sums_.span().first(static_cast<std::size_t>(padded));
  sum_directly(impacts, reaches, first_position(), attenuation_, scale_, sums);
  apply_sums(sums, cells_.for_storm({0, 0}, found), tiles_);
  found_ = found;
}

void ConvolvedLayer::screen(double factor, std::span<Candidate> candidates, const Screened* before,
                            double absolute) const {
  if (found_ == nullptr) throw std::logic_error("no storm has been applied");
  cells_.screen(factor, absolute, candidates, before, found_);
}

void ConvolvedLayer::cover(std::int64_t lowest, std::int64_t highest) {
  require_nothing_gathered();
  const std::int64_t padded = chunks_for(slab_.whole) * chunk_cells;
  reach(std::max(static_cast<double>(highest),
                 static_cast<double>(padded) - static_cast<double>(lowest)) +
        2 * chunk_cells);
}

CellRange ConvolvedLayer::padded(const Slab& slab) {
  const std::int64_t begin = slab.first - first_cell;
  return {begin, begin + chunks_for(slab.cells) * chunk_cells};
}

SlabBorders ConvolvedLayer::borders() const {
  return {slab_, padded(slab_), tables_.longest(), tables_.exponents_on_host(), tables_.terms()};
}

/// The state that all sources of the slab before a border give to the cells behind it.
BorderStates ConvolvedLayer::leaving(bool to_right, std::int64_t border) {
  if (!gathered_.states_come_in) throw std::logic_error("no states are to come into this storm");
  const std::int64_t chunk = borders().chunk_at(border);
  add_to_tiles();
  BorderStates states = borders().no_states_at(border);
  states.energies = outside_.leaving(to_right, chunk, terms(), states_.of(0, 0), energy_sources());
  return states;
}

void ConvolvedLayer::come_in(const ComingIn& coming_in) {
  borders().require(coming_in);
  std::vector<double> both(static_cast<std::size_t>(2 * tables_.terms()));
  const auto& [left, right] = coming_in;
  if (left) std::ranges::copy(left->energies, both.begin());
  if (right) std::ranges::copy(right->energies, both.begin() + tables_.terms());
  add_to_tiles();
  outside_.come_in(both, terms(), states_.of(0, 0));
  gathered_.states_come_in = false;
}

}  // namespace bombard::cuda
