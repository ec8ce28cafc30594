// The phases of a storm in order; each has its own file (docs/methods.md, The fast layer).

#include <algorithm>
#include <stdexcept>

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

ConvolvedLayer::ConvolvedLayer(std::int64_t cells, const CellRange& own,
                               const Attenuation& attenuation, double scale, double relative_error)
    : tiling_(chunks_for(cells)),
      attenuation_(attenuation),
      tables_(attenuation, scale, relative_error),
      sources_(tiling_.chunks),
      cells_(cells, tiling_, own) {
  tables_.cover(static_cast<double>(tiling_.chunks * chunk_cells));
}

std::int64_t ConvolvedLayer::bytes(std::int64_t cells, bool with_uncertainty) {
  const Tiling tiling(chunks_for(cells));
  const std::int64_t fields = with_uncertainty ? 2 : 1;
  const std::int64_t states = fields * (2 * most_terms * sizeof(double) + sizeof(bool));
  constexpr std::int64_t chunk = sizeof(std::uint64_t) + sizeof(unsigned);
  return StoredCells::bytes(cells, tiling, with_uncertainty) + tiling.chunks * chunk +
         tiling.tiles * states;
}

double ConvolvedLayer::relative_error() const {
  return tables_.relative_error() +
         roundings_of_share(attenuation_, tables_.polynomials_serve(), tiling_.tiles) *
             unit_roundoff_binary64;
}

void ConvolvedLayer::clear() {
  found_ = nullptr;
  cells_.clear();
}

void ConvolvedLayer::begin_with(std::span<const double> values) {
  found_ = nullptr;
  cells_.begin_with(values);
}

void ConvolvedLayer::track_uncertainty(double factor) {
  cells_.track_uncertainty(factor);
}

/// The impacts outside the padded layer, whose states enter at its ends.
void ConvolvedLayer::gather_outside(const StormImpacts& storm, const GatheredImpacts& impacts) {
  const std::int64_t lowest = storm.lowest - impacts.origin;
  const std::int64_t highest = storm.highest - impacts.origin;
  if (lowest > highest || (lowest >= 0 && highest < impacts.cells())) {
    states_.clear_outside(tables_.on_device());
  } else {
    const std::int64_t farthest = std::max(highest, impacts.cells() - lowest + chunk_cells);
    tables_.cover(static_cast<double>(farthest + chunk_cells));
    states_.gather_outside(tables_.on_device(), impacts, fields());
  }
}

void ConvolvedLayer::apply(const StormImpacts& storm, Screened* found) {
  const bool tracked = tracks_uncertainty();
  if (tracked && !storm.uncertainty) {
    throw std::logic_error("a storm without the uncertainties that are tracked");
  }
  const GatheredImpacts impacts{.impacts = storm.impacts.data(),
                                .count = static_cast<std::int64_t>(storm.impacts.size()),
                                .origin = storm.origin - first_cell,
                                .chunks = tiling_.chunks,
                                .uncertainty = storm.uncertainty.value_or(StormUncertainty{})};
  gather_outside(storm, impacts);
  sources_.gather(impacts, tracked);
  const Tables tables = tables_.on_device();
  states_.scan(tables, tiling_, sources_.arrays(), fields());
  const TileStorm sums{.tables = tables,
                       .sources = sources_.arrays(),
                       .states = states_.of(of_energies, tables, tiling_),
                       .uncertainty_states = states_.of(of_uncertainties, tables, tiling_)};
  cuda::apply(sums, tiling_, cells_.for_storm(impacts.uncertainty, found), tracked);
  found_ = found;
}

void ConvolvedLayer::screen(double factor, double absolute, std::span<Candidate> candidates) const {
  if (found_ == nullptr) throw std::logic_error("no storm has been applied");
  cells_.screen(factor, absolute, candidates, found_);
}

}  // namespace bombard::cuda
