#include "kernels/convolution/cpu/convolved_layer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "kernels/base/share_out.hpp"
#include "kernels/base/unit_roundoff.hpp"
#include "kernels/convolution/cpu/border_states.hpp"

namespace bombard::cpu {

namespace {

// A huge page holds this much of the layer; all threads together should not be the first to touch
// one.
constexpr std::int64_t cells_of_page = std::int64_t{1} << 18;

// The exponential sums of all layers that fit into memory have no more terms: this was computed for
// a relative error of 1e-12, up to 1e13 cells and any power up to 8.
constexpr std::int64_t most_terms = 152;

// Roundings on the way of a share (docs/roundings.md, On the CPU). For each chunk of its own block
// and of the block where it ends, and for each block in between: the product with the decay, the
// decay's own two, and the addition.
constexpr std::int64_t roundings_of_step = 4;
// Those that come once: in the sum of its chunk's sources, in a state from outside, among the near
// sources of a cell, in the tables' arguments, and some that the table there leaves out.
constexpr std::int64_t roundings_once = 1000;
static_assert(67 + outside_roundings + 192 + 8 < roundings_once);

std::int64_t padded_cells(std::int64_t cells) {
  return (cells + 2 * chunk_cells + group_cells - 1) / group_cells * group_cells;
}

/// A power of two: a small layer gets many blocks, for several threads, and a large layer gets
/// large ones.
std::int64_t chunks_of_block(std::int64_t chunks) {
  constexpr std::int64_t many = 32;
  return static_cast<std::int64_t>(std::bit_floor(
      static_cast<std::uint64_t>(std::clamp(chunks / many, group_chunks, most_block_chunks))));
}

/// The memory of a thread for one field in a block, and its parts.
std::int64_t doubles_of_block(std::int64_t chunks, std::int64_t terms) {
  return (chunks + 1 + 2 * group_chunks) * terms;
}
BlockStates block_states(double* memory, std::int64_t chunks, std::int64_t terms) {
  double* const before = memory + chunks * terms;
  double* const sum = before + terms;
  return {memory, before, sum, sum + group_chunks * terms};
}

SweepTables sweep_tables(const ConvolutionTables& tables) {
  return {.terms = tables.terms,
          .chunk_decay = tables.chunk_decay.data(),
          .moment = tables.moment.data(),
          .even = tables.even.data(),
          .odd = tables.odd.data(),
          .near = tables.near.data(),
          .target = tables.polynomials_serve ? nullptr : tables.target.data(),
          .exponents = tables.exponents.data()};
}

/// Relaxes the cells on either side of the borders between blocks, and writes the ends of the layer
/// and of the padded layer, which are not relaxed.
///
///     block b - 1: .., edges[b - 1][2], edges[b - 1][3] | edges[b][0], edges[b][1], .. : block b
template <class T, class Round>
void write_borders(const Sweep& sweep, const Field& field, T* values, const Round& round) {
  for (std::int64_t b = 1; b < sweep.blocks; ++b) {
    const double* const before = field.edges[b - 1] + 2;
    const double* const behind = field.edges[b];
    T* const border = values + b * sweep.block_chunks * chunk_cells;
    border[-1] = round((before[0] + before[1] + behind[0]) / 3);
    border[0] = round((before[1] + behind[0] + behind[1]) / 3);
  }
  values[0] = round(field.edges[0][0]);
  values[sweep.chunks * chunk_cells - 1] = round(field.edges[sweep.blocks - 1][3]);
  for (int i = 0; i < 2; ++i) values[sweep.ends[i]] = round(field.ends[i]);
}

}  // namespace

ConvolvedLayer::ConvolvedLayer(std::int64_t cells, const Attenuation& attenuation, double scale,
                               double relative_error, int threads)
    : cells_(cells),
      attenuation_(attenuation),
      scale_(scale),
      wanted_error_(relative_error),
      threads_(threads),
      padded_(padded_cells(cells)),
      chunks_(padded_ / chunk_cells),
      block_chunks_(chunks_of_block(chunks_)),
      blocks_((chunks_ + block_chunks_ - 1) / block_chunks_),
      layer_(padded_),
      highest_(padded_ / group_cells),
      sources_(chunks_, block_chunks_) {
  // While one thread makes the tables, the others touch the pages of a small layer.
  const std::int64_t pages =
      threads_ > 1 && blocks_in_a_row() == 1 ? (padded_ + cells_of_page - 1) / cells_of_page : 0;
  share_out(1 + pages, threads_, [&](const auto& each) {
    each([&](std::int64_t i) {
      if (i > 0) {
        layer_[(i - 1) * cells_of_page] = 0;
      } else {
        cover_distance(static_cast<double>(padded_));
      }
    });
  });
}

/// If there are pages for every thread, the same thread is the first to touch all blocks of a page.
std::int64_t ConvolvedLayer::blocks_in_a_row() const {
  const std::int64_t of_page = cells_of_page / (block_chunks_ * chunk_cells);
  return fresh_ && blocks_ >= threads_ * of_page ? of_page : 1;
}

/// Makes tables that cover distances up to this one, if there are none yet.
void ConvolvedLayer::cover_distance(double distance) {
  if (tables_ != nullptr && tables_->longest >= distance) return;
  tables_ = std::make_unique<ConvolutionTables>(attenuation_, scale_, 2 * distance, wanted_error_);
}

/// Sets the cells of the padding to 0, and finds each group's highest cell.
void ConvolvedLayer::begin_with(std::span<const double> values) {
  fresh_ = false;
  uncertainty_ = HostArray<float>();
  share_out(padded_ / group_cells, threads_, [&](const auto& each) {
    each([&](std::int64_t group) {
      const CellRange cells{group * group_cells, (group + 1) * group_cells};
      const CellRange given = cells.counted_from(first_cell).common({0, cells_});
      double* const begin = layer_.data() + cells.begin;
      std::fill_n(begin, group_cells, 0.0);
      for (std::int64_t k = given.begin; k < given.end; ++k) {
        layer_[first_cell + k] = values[static_cast<std::size_t>(k)];
      }
      highest_[group] = *std::max_element(begin, begin + group_cells);
    });
  });
}

void ConvolvedLayer::apply(const LayerStorm& storm) {
  sources_.sort(storm, storm.origin - first_cell, threads_);
  const bool outside = sources_.impacts() < std::ssize(storm.impacts);
  if (outside) cover_outside(storm);
  begin_sweep(storm.uncertainty.value_or(StormUncertainty{}));
  add_outside(outside ? storm : LayerStorm{});
  pass_states();
  apply_blocks();
  finish_borders();
  fresh_ = false;
}

/// One thread passes few chunks, or sources that take as long, before others have started.
int ConvolvedLayer::threads_for(std::int64_t chunks, std::int64_t sources) const {
  constexpr std::int64_t few_chunks = 1 << 12, chunks_for_a_source = 4;
  return chunks + chunks_for_a_source * sources < few_chunks ? 1 : threads_;
}

/// Makes the exponentials cover all impacts whose energy is not 0.
void ConvolvedLayer::cover_outside(const LayerStorm& storm) {
  std::int64_t lowest = 0, highest = 0;
  for (const Impact& impact : storm.impacts) {
    if (impact.energy == 0) continue;
    lowest = std::min(lowest, impact.position - storm.origin);
    highest = std::max(highest, impact.position - storm.origin);
  }
  cover_distance(static_cast<double>(std::max(highest, padded_ - lowest) + 2 * chunk_cells));
}

void ConvolvedLayer::begin_sweep(const StormUncertainty& of_storm) {
  sweep_ = {.tables = sweep_tables(*tables_),
            .chunks = chunks_,
            .block_chunks = block_chunks_,
            .blocks = blocks_,
            .sources_of_chunk = sources_.ranges(),
            .offsets = sources_.offsets(),
            .ends = {first_cell, first_cell + cells_ - 1},
            .fresh = fresh_,
            .layer = layer_.data(),
            .uncertainty = tracks_uncertainty() ? uncertainty_.data() : nullptr,
            .highest = highest_.data(),
            .of_storm = of_storm};
  for (int f = 0; f < fields(); ++f) {
    Field& field = fields_[f];
    edges_[f].at_least(blocks_);
    field = {.amounts = sources_.amounts(f), .edges = edges_[f].data()};
    for (const Towards side : {to_right, to_left}) {
      states_[f][side].at_least(tables_->terms * blocks_);
      field.at_block[side] = states_[f][side].data();
    }
  }
}

/// Finds the states with which the fields begin, from the impacts outside the padded layer.
void ConvolvedLayer::add_outside(const LayerStorm& storm) {
  const CellRange padded{storm.origin - first_cell, storm.origin - first_cell + padded_};
  const std::int64_t terms = tables_->terms;
  for (const Towards side : {to_right, to_left}) {
    const std::vector<DistantAmounts> amounts = amounts_outside(side, storm, padded);
    const auto count = std::ssize(amounts);
    // A power of two, of no more than outside_in_a_row amounts each.
    const auto parts = static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(count / outside_in_a_row + 1)));
    AlignedDoubles sums(static_cast<std::size_t>(parts * terms));
    for (int f = 0; f < fields(); ++f) {
      share_out(parts, threads_, [&](const auto& each) {
        each([&](std::int64_t part) {
          const std::int64_t begin = part * count / parts, end = (part + 1) * count / parts;
          convolution::sum_decayed(sweep_.tables, amounts.data() + begin, end - begin, f,
                                   sums.data() + part * terms);
        });
      });
      for (std::int64_t half = parts / 2; half > 0; half /= 2) {  // sums of parts, in pairs
        for (std::int64_t t = 0; t < half * terms; ++t) sums[t] += sums[half * terms + t];
      }
      std::copy_n(sums.begin(), terms, first_state(side, sweep_, fields_[f]));
    }
  }
}

CellRange ConvolvedLayer::cells_of(std::int64_t block) const {
  const std::int64_t cells = block_chunks_ * chunk_cells;
  return {block * cells, std::min((block + 1) * cells, padded_)};
}

/// Finds the states that enter each block: what the sources of each block add to those that enter
/// the next one, and then the states of all sources on the way.
void ConvolvedLayer::pass_states() {
  // Blocks without sources take no time.
  const std::int64_t count = sources_.impacts();
  const std::int64_t passed = std::min(chunks_, count * block_chunks_);
  share_out(blocks_, threads_for(passed, count), [&](const auto& each) {
    each([&](std::int64_t block) {
      for (int f = 0; f < fields(); ++f) {
        for (const Towards side : {to_right, to_left}) add_block(side, sweep_, fields_[f], block);
      }
    });
  });
  share_out(2 * fields(), threads_for(blocks_, 0), [&](const auto& each) {
    each([&](std::int64_t way) {
      const auto side = static_cast<Towards>(way % 2);
      pass_blocks(side, sweep_, *tables_, fields_[way / 2].at_block[side]);
    });
  });
}

void ConvolvedLayer::apply_blocks() {
  const std::int64_t in_a_row = blocks_in_a_row(), terms = tables_->terms;
  const int threads = threads_for(chunks_, sources_.impacts());
  share_out((blocks_ + in_a_row - 1) / in_a_row, threads, [&](const auto& each) {
    const std::int64_t doubles = doubles_of_block(block_chunks_, terms);
    AlignedDoubles memory(static_cast<std::size_t>(fields() * doubles));
    const BlockStates states[] = {
        block_states(memory.data(), block_chunks_, terms),
        block_states(memory.data() + (fields() - 1) * doubles, block_chunks_, terms)};
    each([&](std::int64_t row) {
      const std::int64_t end = std::min((row + 1) * in_a_row, blocks_);
      for (std::int64_t block = row * in_a_row; block < end; ++block) {
        convolution::apply_block(sweep_, block, fields_, states);
      }
    });
  });
}

/// To be called after all blocks; makes the highest values of groups include the border cells.
void ConvolvedLayer::finish_borders() {
  write_borders(sweep_, fields_[0], layer_.data(), [](double x) { return x; });
  if (tracks_uncertainty()) write_borders(sweep_, fields_[1], uncertainty_.data(), rounded_up);
  for (std::int64_t b = 1; b < blocks_; ++b) {
    const std::int64_t begin = cells_of(b).begin;
    for (std::int64_t cell = begin - 1; cell <= begin; ++cell) {
      double& highest = highest_[cell / group_cells];
      const double bound = tracks_uncertainty() ? double{uncertainty_[cell]} : 0;
      highest = std::max(highest, layer_[cell] + bound);
    }
  }
}

std::int64_t ConvolvedLayer::bytes(std::int64_t cells) {
  constexpr std::int64_t of_double = sizeof(double), of_chunk = sizeof(CellRange), ways = 2;
  const std::int64_t padded = padded_cells(cells);
  return padded * of_double + padded / chunk_cells * of_chunk + padded / group_cells * of_double +
         (padded / (chunks_of_block(padded / chunk_cells) * chunk_cells) + 1) * ways * most_terms *
             of_double;
}

double ConvolvedLayer::relative_error() const {
  const double roundings =
      static_cast<double>((2 * block_chunks_ + blocks_) * roundings_of_step + roundings_once) +
      tables_->polynomial_roundings;
  return std::max(wanted_error_, tables_->relative_error) + roundings * unit_roundoff_binary64;
}

void ConvolvedLayer::track_uncertainty(double factor) {
  uncertainty_ = HostArray<float>(padded_);
  share_out(blocks_, threads_, [&](const auto& each) {
    each([&](std::int64_t block) {
      const CellRange cells = cells_of(block);
      for (std::int64_t i = cells.begin; i < cells.end; ++i) {
        uncertainty_[i] = fresh_ ? 0.0F : rounded_up(factor * std::fabs(layer_[i]));
      }
    });
  });
}

}  // namespace bombard::cpu
