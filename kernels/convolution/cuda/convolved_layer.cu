// The phases of a storm in order; each has its own file (docs/methods.md, The fast layer).

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernels/base/unit_roundoff.hpp"
#include "kernels/convolution/cuda/apply.hpp"
#include "kernels/convolution/cuda/cells.cuh"
#include "kernels/convolution/cuda/convolved_layer.hpp"

namespace bombard::cuda {

namespace {

std::int64_t chunks_for(std::int64_t cells) {
  return (cells + 2 * chunk_cells + chunk_cells - 1) / chunk_cells;
}

// An upper bound for the longest layer that a device holds and the smallest error: with an error of
// 1e-12, layers of up to 1e13 cells and any power up to 8 have no more terms (this was computed;
// the square root and 2e10 cells have 76).
constexpr std::int64_t most_terms = 148;

/// Roundings of a share on its way, with polynomials or without, on a layer of `tiles` tiles
/// (docs/roundings.md, On the GPU).
double roundings_of_share(const Attenuation& attenuation, bool polynomials, std::int64_t tiles) {
  constexpr double to_its_tile = 2600, near = 200, of_polynomial = 70, of_exponentials = 420;
  constexpr std::int64_t scanned_at_once = 4096;
  const double in_its_chunk =
      polynomials ? of_polynomial * attenuated(attenuation, 65) / attenuated(attenuation, 192)
                  : of_exponentials;
  return to_its_tile + in_its_chunk + near + static_cast<double>(4 * (tiles / scanned_at_once));
}

}  // namespace

ConvolvedLayer::ConvolvedLayer(const Slab& slab, const CellRange& own,
                               const Attenuation& attenuation, double scale, double relative_error)
    : slab_(slab),
      tiling_(chunks_for(slab.cells)),
      attenuation_(attenuation),
      tables_(attenuation, scale, relative_error),
      sources_(tiling_.chunks),
      cells_(slab.cells, tiling_, own) {
  reach(static_cast<double>(chunks_for(slab.whole) * chunk_cells));
}

std::int64_t ConvolvedLayer::bytes(std::int64_t cells, bool with_uncertainty) {
  const Tiling tiling(chunks_for(cells));
  const std::int64_t fields = with_uncertainty ? 2 : 1;
  const std::int64_t states = fields * (2 * most_terms * sizeof(double) + sizeof(bool));
  constexpr std::int64_t chunk = sizeof(std::uint64_t) + sizeof(unsigned);
  return StoredCells::bytes(cells, tiling, with_uncertainty) + tiling.chunks * chunk +
         tiling.tiles * states;
}

/// Makes tables that cover distances up to this one, if there are none yet.
void ConvolvedLayer::reach(double distance) {
  if (!tables_.reach(distance)) return;
  rounding_ = roundings_of_share(attenuation_, tables_.polynomials_serve(), tiling_.tiles) *
              unit_roundoff_binary64;
}

void ConvolvedLayer::clear() {
  gathered_.reset();
  found_ = nullptr;
  cells_.clear();
}

template <class Number>
void ConvolvedLayer::begin_with(std::span<const Number> values) {
  gathered_.reset();
  cells_.begin_with(values);
}
template void ConvolvedLayer::begin_with(std::span<const float>);
template void ConvolvedLayer::begin_with(std::span<const double>);

void ConvolvedLayer::track_uncertainty(double factor) {
  require_nothing_gathered();
  cells_.track_uncertainty(factor);
}

void ConvolvedLayer::require_nothing_gathered() const {
  if (gathered_) throw std::logic_error("a gathered storm is still to be applied");
}

/// The cells of the padded layer beyond which a storm's impacts count as impacts, not as states.
Beyond ConvolvedLayer::outside(const StormImpacts& storm) const {
  const std::int64_t cells = tiling_.chunks * chunk_cells;
  constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();
  return {.first = storm.states_come_in && slab_.has_left() ? 0 : -endless,
          .begin = 0,
          .end = cells,
          .last = storm.states_come_in && slab_.has_right() ? cells : endless};
}

void ConvolvedLayer::gather(const StormImpacts& storm) {
  require_nothing_gathered();
  if (storm.states_come_in && tracks_uncertainty()) {
    throw std::logic_error("states come into a storm without uncertainties");
  }
  if (tracks_uncertainty() && !storm.uncertainty) {
    throw std::logic_error("a storm without the uncertainties that are tracked");
  }
  const GatheredImpacts impacts{.impacts = storm.impacts.data(),
                                .count = static_cast<std::int64_t>(storm.impacts.size()),
                                .origin = first_position(),
                                .chunks = tiling_.chunks,
                                .uncertainty = storm.uncertainty.value_or(StormUncertainty{})};
  const Beyond beyond = outside(storm);
  const std::int64_t lowest = storm.lowest - impacts.origin;
  const std::int64_t highest = storm.highest - impacts.origin;
  if (lowest <= highest &&
      ((beyond.first < 0 && lowest < 0) || (beyond.last > beyond.end && highest >= beyond.end))) {
    const double behind = static_cast<double>(beyond.end) - static_cast<double>(lowest);
    reach(std::max(static_cast<double>(highest), behind + chunk_cells) + chunk_cells);
    states_.gather_outside(tables_.on_device(), impacts, beyond);
  } else {
    states_.clear_outside(tables_.on_device());
  }
  sources_.gather(impacts, tracks_uncertainty());
  gathered_ = {impacts, beyond, storm.states_come_in};
}

void ConvolvedLayer::apply(const StormImpacts& storm, Screened* found) {
  gather(storm);
  apply_gathered(found);
}

void ConvolvedLayer::apply_gathered(Screened* found, const ComingIn& coming_in) {
  if (!gathered_) throw std::logic_error("no gathered storm is left to apply");
  if (gathered_->states_come_in) come_in(coming_in);
  const Tables tables = tables_.on_device();
  states_.scan(tables, tiling_, sources_.arrays(), tracks_uncertainty() ? 2 : 1);
  const TileStorm storm{
      .tables = tables,
      .sources = sources_.arrays(),
      .states = states_.of(of_energies, tables, tiling_),
      .uncertainty_states = states_.of(of_uncertainties, tables, tiling_),
  };
  cuda::apply(storm, tiling_, cells_.for_storm(gathered_->impacts.uncertainty, found),
              tracks_uncertainty());
  gathered_.reset();
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
  return {slab_, padded(slab_), tables_.longest(), tables_.exponents(), tables_.terms()};
}

/// The states that all sources of the slab on one side of a border give to the cells on the other.
BorderStates ConvolvedLayer::leaving(bool to_right, std::int64_t border) {
  if (!gathered_ || !gathered_->states_come_in) {
    throw std::logic_error("no states are to come into this storm");
  }
  Beyond beyond = gathered_->outside;
  beyond.begin = beyond.end = borders().chunk_at(border) * chunk_cells;
  const std::vector<double> both =
      states_.of_impacts(tables_.on_device(), gathered_->impacts, beyond);
  BorderStates states = borders().no_states_at(border);
  std::copy_n(both.begin() + (to_right ? 0 : tables_.terms()), tables_.terms(),
              states.energies.begin());
  return states;
}

void ConvolvedLayer::come_in(const ComingIn& coming_in) {
  borders().require(coming_in);
  const auto& [left, right] = coming_in;
  std::vector<double> both(static_cast<std::size_t>(2 * tables_.terms()));
  if (left) std::ranges::copy(left->energies, both.begin());
  if (right) std::ranges::copy(right->energies, both.begin() + tables_.terms());
  states_.come_in(both);
  gathered_->states_come_in = false;
}

}  // namespace bombard::cuda
