#include "kernels/convolution/convolved_layer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/base/host_array.hpp"
#include "kernels/base/share_out.hpp"
#include "kernels/convolution/sources.hpp"
#include "kernels/convolution/sweep.hpp"

namespace bombard::cpu {

namespace {

// The layer begins behind one empty chunk and ends before another: every chunk has two neighbours.
constexpr std::int64_t first_cell = chunk_cells;

// Less work is done before other threads have begun.
constexpr std::int64_t few_sources = 1 << 16;
constexpr std::int64_t few_blocks = 32;

std::int64_t padded_cells(std::int64_t cells) {
  return (cells + 2 * chunk_cells + group_cells - 1) / group_cells * group_cells;
}

/// States and edges of one field.
struct FieldMemory {
  AlignedDoubles before, behind;
  HostArray<double> right, left;
  HostArray<BlockEdges> edges;

  /// For a storm. Nothing comes into the layer at its ends; what passes between blocks is written
  /// before it is read.
  Field field(const double* amounts, std::int64_t terms, std::int64_t blocks) {
    right.at_least(terms * blocks);
    left.at_least(terms * blocks);
    edges.at_least(blocks);
    std::fill_n(right.data(), terms, 0.0);
    std::fill_n(left.data() + terms * (blocks - 1), terms, 0.0);
    return {amounts, before.data(), behind.data(), right.data(), left.data(), edges.data(), {0, 0}};
  }
};

void add(double amount, std::span<const double> factors, std::span<double> state) {
  for (std::size_t t = 0; t < factors.size(); ++t) state[t] += amount * factors[t];
}

/// How far any deposit with energy may be from a cell of the padded layer.
double farthest(std::span<const Deposit> deposits, std::int64_t padded) {
  const auto layer_end = static_cast<double>(padded);
  double farthest = 0;
  for (const Deposit& d : deposits) {
    if (d.energy == 0) continue;
    const auto at = static_cast<double>(d.position);
    farthest = std::max({farthest, at, layer_end - at});
  }
  return farthest;
}

/// What lies outside the padded layer goes straight into the states at its two ends.
void add_outside(std::span<const Deposit> deposits, std::int64_t padded,
                 const ConvolutionTables& tables, int most_threads, FieldMemory& value,
                 FieldMemory& uncertainty) {
  // Always the same parts, added in pairs: the sums do not depend on the number of threads, and few
  // roundings are in each.
  constexpr std::int64_t part_size = 1024;
  const auto count = static_cast<std::int64_t>(deposits.size());
  const auto terms = static_cast<std::size_t>(tables.terms);
  std::vector<AlignedDoubles> parts(static_cast<std::size_t>((count + part_size - 1) / part_size));
  const std::array<AlignedDoubles*, 4> states{&value.before, &value.behind, &uncertainty.before,
                                              &uncertainty.behind};
  share_out(static_cast<std::int64_t>(parts.size()), most_threads, [&](const auto& each) {
    AlignedDoubles factors(terms);
    each([&](std::int64_t part) {
      AlignedDoubles& sums = parts[part];
      sums.resize(states.size() * terms);
      const auto state = [&](std::size_t i) { return std::span(sums).subspan(i * terms, terms); };
      for (std::int64_t i = part * part_size; i < std::min((part + 1) * part_size, count); ++i) {
        const Deposit& d = deposits[i];
        const std::int64_t cell = d.position + first_cell;
        if (cell >= 0 && cell < padded) continue;
        const bool before = cell < 0;
        tables.decay(static_cast<double>(before ? 1 - cell : cell - padded + 2), factors.data());
        add(d.energy, factors, state(before ? 0 : 1));
        add(d.uncertainty, factors, state(before ? 2 : 3));
      }
    });
  });
  for (std::size_t step = 1; step < parts.size(); step *= 2) {
    for (std::size_t i = 0; i + step < parts.size(); i += 2 * step) {
      add(1, parts[i + step], parts[i]);
    }
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    std::copy_n(parts.front().data() + i * terms, terms, states[i]->data());
  }
}

/// States pass through the blocks: A to the right, B to the left.
void scan(const ConvolutionTables& tables, std::int64_t blocks, const Field& field) {
  const std::int64_t terms = tables.terms;
  const auto pass = [&](const double* from, double* to) {
    for (std::int64_t t = 0; t < terms; ++t) to[t] += from[t] * tables.block_decay[t];
  };
  for (std::int64_t b = 1; b + 1 < blocks; ++b) {
    pass(field.right + b * terms, field.right + (b + 1) * terms);
  }
  for (std::int64_t b = blocks - 2; b > 0; --b) {
    pass(field.left + b * terms, field.left + (b - 1) * terms);
  }
}

/// The cells on either side of a border between blocks, and the ends of the layer and of the padded
/// one, which stay as they are.
template <class T, class Round>
void mend(const Field& field, std::int64_t blocks, std::int64_t cells, T* values,
          const Round& round) {
  for (std::int64_t b = 0; b + 1 < blocks; ++b) {
    const double* last = field.edges[b].last;
    const double* first = field.edges[b + 1].first;
    T* border = values + (b + 1) * block_cells;
    border[-1] = round((last[0] + last[1] + first[0]) / 3);
    border[0] = round((last[1] + first[0] + first[1]) / 3);
  }
  values[0] = round(field.edges[0].first[0]);
  values[padded_cells(cells) - 1] = round(field.edges[blocks - 1].last[1]);
  values[first_cell] = round(field.ends[0]);
  values[first_cell + cells - 1] = round(field.ends[1]);
}

}  // namespace

struct ConvolvedLayer::State {
  int threads;
  std::int64_t cells, padded, chunks, blocks;
  double power, scale, wanted_error;
  std::unique_ptr<ConvolutionTables> tables;
  SweepFunctions functions = sweep_functions();
  bool fresh = true;
  HostArray<double> layer;
  HostArray<float> uncertainty;  ///< empty: not tracked
  std::vector<double> highest;
  SortedSources sorted;
  FieldMemory of_values, of_uncertainties;

  State(std::int64_t cells_, double power_, double scale_, double error, int most_threads)
      : threads(most_threads),
        cells(cells_),
        padded(padded_cells(cells_)),
        chunks(padded / chunk_cells),
        blocks((chunks + block_chunks - 1) / block_chunks),
        power(power_),
        scale(scale_),
        wanted_error(error),
        layer(padded),
        highest(static_cast<std::size_t>(padded / group_cells)),
        sorted(chunks) {
    reach(static_cast<double>(padded));
  }

  /// Tables that cover distances up to this one.
  void reach(double distance) {
    if (tables == nullptr || tables->longest < distance) {
      tables = std::make_unique<ConvolutionTables>(power, scale, 2 * distance, wanted_error);
    }
  }
};

ConvolvedLayer::ConvolvedLayer(std::int64_t cells, double power, double scale,
                               double relative_error, int threads)
    : state_(std::make_unique<State>(cells, power, scale, relative_error, threads)) {}
ConvolvedLayer::~ConvolvedLayer() = default;
ConvolvedLayer::ConvolvedLayer(ConvolvedLayer&&) noexcept = default;

std::int64_t ConvolvedLayer::bytes(std::int64_t cells, bool with_uncertainty) {
  const std::int64_t a_cell = sizeof(double) + (with_uncertainty ? sizeof(float) : 0);
  // Both ways, up to 96 terms.
  const std::int64_t states_a_block = (with_uncertainty ? 4 : 2) * 96 * sizeof(double);
  return padded_cells(cells) * a_cell +
         padded_cells(cells) / chunk_cells * static_cast<std::int64_t>(sizeof(SourceRange)) +
         padded_cells(cells) / group_cells * 8 +
         (padded_cells(cells) / block_cells + 1) * states_a_block;
}

double ConvolvedLayer::relative_error() const {
  // Roundings on the way of a share, docs/methods.md, The convolution.
  const auto roundings = static_cast<double>(12 * 2 * block_chunks + 4 * state_->blocks + 2000);
  return std::max(state_->wanted_error, state_->tables->relative_error) + roundings * 0x1p-53;
}

void ConvolvedLayer::clear() {
  state_->fresh = true;
  state_->uncertainty = HostArray<float>();
}

void ConvolvedLayer::track_uncertainty(double factor) {
  State& s = *state_;
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
  return !state_->uncertainty.empty();
}

void ConvolvedLayer::apply(std::span<const Deposit> deposits, const UncertaintyGrowth& growth) {
  State& s = *state_;
  const bool tracked = tracks_uncertainty();
  s.sorted.sort(deposits, -first_cell, tracked, s.threads);
  const bool outside = static_cast<std::size_t>(s.sorted.deposits()) < deposits.size();
  if (outside) s.reach(farthest(deposits, s.padded) + 2 * chunk_cells);
  const ConvolutionTables& tables = *s.tables;

  for (FieldMemory* memory : {&s.of_values, &s.of_uncertainties}) {
    memory->before.assign(static_cast<std::size_t>(tables.terms), 0);
    memory->behind.assign(static_cast<std::size_t>(tables.terms), 0);
  }
  if (outside) {
    add_outside(deposits, s.padded, tables, s.threads, s.of_values, s.of_uncertainties);
  }
  Field value = s.of_values.field(s.sorted.energies(), tables.terms, s.blocks);
  Field uncertainty{};
  if (tracked) {
    uncertainty = s.of_uncertainties.field(s.sorted.uncertainties(), tables.terms, s.blocks);
  }
  float* const uncertainties = tracked ? s.uncertainty.data() : nullptr;
  const Sweep sweep{.degree = tables.degree,
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
                    .chunks = s.chunks,
                    .of_chunks = s.sorted.of_chunks(),
                    .offsets = s.sorted.offsets(),
                    .ends = {first_cell, first_cell + s.cells - 1},
                    .fresh = s.fresh,
                    .layer = s.layer.data(),
                    .uncertainty = uncertainties,
                    .highest = s.highest.data(),
                    .growth = growth.growth,
                    .rounding = growth.rounding};

  // Little work is done before other threads have woken up.
  const bool few = s.sorted.count() < few_sources;
  share_out(s.blocks, few ? 1 : s.threads, [&](const auto& each) {
    each([&](std::int64_t b) {
      s.functions.gather(sweep, value, b);
      if (tracked) s.functions.gather(sweep, uncertainty, b);
    });
  });
  scan(tables, s.blocks, value);
  if (tracked) scan(tables, s.blocks, uncertainty);
  share_out(s.blocks, few && s.blocks <= few_blocks ? 1 : s.threads, [&](const auto& each) {
    AlignedDoubles scratch(static_cast<std::size_t>(2 * scratch_states * tables.terms));
    each([&](std::int64_t b) { s.functions.apply(sweep, value, uncertainty, b, scratch.data()); });
  });

  mend(value, s.blocks, s.cells, s.layer.data(), [](double x) { return x; });
  if (tracked) mend(uncertainty, s.blocks, s.cells, uncertainties, rounded_up);
  for (std::int64_t b = 1; b < s.blocks; ++b) {
    double& highest = s.highest[b * (block_cells / group_cells)];
    for (std::int64_t cell = b * block_cells - 1; cell <= b * block_cells; ++cell) {
      highest = std::max(highest, s.layer[cell] + (tracked ? double{uncertainties[cell]} : 0));
    }
  }
  s.fresh = false;
}

std::int64_t ConvolvedLayer::cells() const {
  return state_->cells;
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
  return std::clamp<std::int64_t>(group * group_cells - 1 - first_cell, 0, state_->cells);
}

double ConvolvedLayer::highest(std::int64_t group) const {
  return state_->highest[group];
}

}  // namespace bombard::cpu
