// Nothing here is the rule's arithmetic: how sums are rounded is within the proven error
// (docs/methods.md, The convolution), so products and sums are fused.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "kernels/convolution.hpp"
#include "kernels/convolution_apply.cuh"
#include "kernels/convolution_gather.cuh"
#include "kernels/convolution_states.cuh"
#include "kernels/device.hpp"
#include "kernels/launch.cuh"

namespace bombard::cuda {

namespace {

/// Memory to be emptied, in words of 64 bits.
struct Words {
  std::uint64_t* first;
  std::int64_t count;
};

struct Emptied {
  Words memory[4];
};

/// Empties these memories. Then, for the deposits to come, either gives each chunk that they fall
/// on a place, the number of any of them, or empties the cells that they fall on.
__global__ void clear_kernel(const Emptied emptied, const Deposit* deposits, std::int64_t count,
                             const StormList storms, std::int64_t chunks,
                             const SourceArray<std::int64_t> energies, double* uncertainty) {
  let_next_begin();
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (const Words& memory : emptied.memory) {
    for (std::int64_t w = thread; w < memory.count; w += step) memory.first[w] = 0;
  }
  for (std::int64_t i = thread; i < count; i += step) {
    const std::int64_t cell = deposits[i].position + first_cell;
    if (cell < 0 || cell >= chunks * chunk_cells) continue;
    if (energies.place != nullptr) {
      atomicExch(energies.place + cell / chunk_cells, static_cast<unsigned>(i));
    } else {
      const std::int64_t place = storms.of(i) * chunks * chunk_cells + cell;
      energies.amount[place] = 0;
      if (uncertainty != nullptr) uncertainty[place] = 0;
    }
  }
}

/// Adds up what the deposits bring to each cell: energies exactly, in any order. The masks are all
/// set already, or this does it.
__global__ void deposit_kernel(const Deposit* deposits, std::int64_t count, const StormList storms,
                               std::int64_t chunks, bool masks_are_set,
                               const SourceArray<std::int64_t> energies, double* uncertainty) {
  follow_previous();
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const Deposit deposit = deposits[i];
    const std::int64_t cell = deposit.position + first_cell;
    if (cell < 0 || cell >= chunks * chunk_cells) continue;
    const std::int64_t storm = storms.of(i);
    const SourceArray<std::int64_t> own = energies.of_storm(storm, chunks);
    std::int64_t* const energy = own.of_chunk(cell / chunk_cells) + cell % chunk_cells;
    atomicAdd(reinterpret_cast<unsigned long long*>(energy),
              static_cast<unsigned long long>(std::int64_t{deposit.energy}));
    if (uncertainty != nullptr) {
      atomicAdd(uncertainty + (energy - energies.amount), storms.off(storm, i, deposit.energy));
    }
    if (!masks_are_set) {
      atomicOr(reinterpret_cast<unsigned long long*>(own.mask + cell / chunk_cells),
               1ULL << (cell % chunk_cells));
    }
  }
}

/// Deposits outside the padded layer, as moments of the chunk next to it: a block a term, always
/// added in the same order. outside is [field][side][term].
constexpr int outside_threads = 256;
__global__ void __launch_bounds__(outside_threads)
    outside_kernel(const Deposit* deposits, std::int64_t count, const StormList storm,
                   std::int64_t chunks, int terms, const double* exponents, double* outside) {
  const double a = exponents[blockIdx.x];
  double sum[4] = {};
  // In two levels: few roundings are in each sum, however many impacts there are.
  constexpr std::int64_t part = std::int64_t{outside_threads} * 512;
  for (std::int64_t begin = 0; begin < count; begin += part) {
    double of_part[4] = {};
    for (std::int64_t i = begin + threadIdx.x; i < min(begin + part, count); i += outside_threads) {
      const Deposit deposit = deposits[i];
      const std::int64_t cell = deposit.position + first_cell;
      const std::int64_t end = chunks * chunk_cells;
      if (cell >= 0 && cell < end) continue;
      const int side = cell < 0 ? 0 : 1;
      const double distance = static_cast<double>(side == 0 ? -1 - cell : cell - end);
      const double factor = exp(a * (half_width - 0.5 - distance));
      of_part[side] = fma(static_cast<double>(deposit.energy), factor, of_part[side]);
      of_part[2 + side] = fma(storm.off(0, i, deposit.energy), factor, of_part[2 + side]);
    }
    for (int k = 0; k < 4; ++k) sum[k] += of_part[k];
  }
  __shared__ double of_thread[4][outside_threads];
  for (int i = 0; i < 4; ++i) of_thread[i][threadIdx.x] = sum[i];
  __syncthreads();
  for (int step = outside_threads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      for (int i = 0; i < 4; ++i) {
        of_thread[i][threadIdx.x] += of_thread[i][threadIdx.x + step];
      }
    }
    __syncthreads();
  }
  if (threadIdx.x < 4) outside[threadIdx.x * terms + blockIdx.x] = of_thread[threadIdx.x][0];
}

__global__ void start_uncertainty_kernel(const double* layer, std::int64_t cells, double factor,
                                         float* uncertainty) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < cells) uncertainty[i] = layer == nullptr ? 0.0F : rounded_up(factor * fabs(layer[i]));
}

/// Notes every cell that may be the largest peak: value + uncertainty reaches the least possible
/// value of the fast layer's, and the cell may be above its neighbours. A block looks at a few
/// tiles and at the cells of those that reach so far.
constexpr int screened_tiles = 8;
__global__ void __launch_bounds__(tile_threads)
    screen_kernel(const double* layer, const float* uncertainty, double factor, std::int64_t begin,
                  std::int64_t end, std::int64_t tiles, const double* tile_tops,
                  Candidate* candidates, std::int64_t room, const Screened* before,
                  Screened* found) {
  follow_previous();
  const auto off = [&](std::int64_t cell) {
    return factor * fabs(layer[cell]) +
           (uncertainty != nullptr ? static_cast<double>(uncertainty[cell]) : 0.0);
  };
  const LayerPeak peak = found->peak;
  const double least = peak.cell < 0 ? 0.0 : fmax(0.0, peak.value - off(peak.cell));
  const unsigned long long place = before == nullptr ? 0 : before->place + before->count;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    found->least = least;
    found->place = place;
  }
  const std::int64_t first = std::int64_t{blockIdx.x} * screened_tiles;
  const std::int64_t of_lane = first + threadIdx.x % 32;
  const double top = of_lane < min(first + screened_tiles, tiles) ? tile_tops[of_lane] : -INFINITY;
  unsigned reaching = __ballot_sync(~0U, top + factor * fabs(top) >= least && top > 0);
  for (; reaching != 0; reaching &= reaching - 1) {
    const std::int64_t tile = first + __ffs(static_cast<int>(reaching)) - 1;
    const std::int64_t tile_first = tile * tile_cells - first_cell;
    for (std::int64_t cell = max(tile_first, begin) + threadIdx.x;
         cell < min(tile_first + tile_cells, end); cell += tile_threads) {
      const double upper = layer[cell] + off(cell);
      if (upper < least || upper <= 0 || upper <= layer[cell - 1] - off(cell - 1) ||
          upper <= layer[cell + 1] - off(cell + 1)) {
        continue;
      }
      const auto mine = static_cast<std::int64_t>(place + atomicAdd(&found->count, 1ULL));
      if (mine < room) candidates[mine] = {cell, upper};
    }
  }
}

LaunchShape strided(std::int64_t elements) {
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

/// Appends a table of matrix fragments: number(fragment, inner, half, outer) for each lane, `half`
/// its first or second number.
template <class Number>
void add_fragments(int count, std::vector<double>& table, const Number& number) {
  for (int fragment = 0; fragment < count; ++fragment) {
    for (int lane = 0; lane < 32; ++lane) {
      for (int half = 0; half < 2; ++half) {
        table.push_back(number(fragment, lane % 4, half, lane / 4));
      }
    }
  }
}

std::int64_t chunks_for(std::int64_t cells) {
  return (cells + 2 * chunk_cells + chunk_cells - 1) / chunk_cells;
}
std::int64_t tiles_for(std::int64_t cells) {
  return (chunks_for(cells) + tile_chunks - 1) / tile_chunks;
}

// With so many deposits, one to so many cells, all cells are summed: no mask has to be set for
// each.
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

ConvolvedLayer::ConvolvedLayer(std::int64_t cells, double power, double scale,
                               double relative_error)
    : cells_(cells),
      chunks_(chunks_for(cells)),
      tiles_(tiles_for(cells)),
      power_(power),
      scale_(scale),
      wanted_error_(relative_error) {
  // Roundings of a share on its way (docs/methods.md, The convolution).
  const std::int64_t scanned = scans_at_once() ? tiles_ : runs_of(tiles_);
  rounding_ = static_cast<double>(3000 + 8 * (scanned / most_scanned_tiles)) * 0x1p-53;
  mask_ = DeviceArray<std::uint64_t>(chunks_);
  place_ = DeviceArray<unsigned>(chunks_);
  layer_ = DeviceArray<double>(cells);
  for (DeviceArray<double>& edges : layer_edges_) edges = DeviceArray<double>(2 * halo * tiles_);
  taken_by_ = DeviceArray<unsigned>(tiles_);
  tile_peaks_ = DeviceArray<LayerPeak>(tiles_);
  tile_tops_ = DeviceArray<double>(tiles_);
  active_runs_ = DeviceArray<unsigned>(2 * runs_of(tiles_));
  finished_ = DeviceArray<unsigned>(1);
  set_bytes(finished_.span(), 0);

  reach(static_cast<double>(chunks_ * chunk_cells));
  allow_shared_memory(apply_kernel<false, 5>);
  allow_shared_memory(apply_kernel<true, 3>);
}

std::int64_t ConvolvedLayer::bytes(std::int64_t cells, bool with_uncertainty) {
  const std::int64_t states = (with_uncertainty ? 4 : 2) * 80 * sizeof(double);  // 80 terms
  constexpr std::int64_t edges = 2 * 2 * halo * (sizeof(double) + sizeof(float));
  const std::int64_t tile = states + edges + sizeof(LayerPeak) + sizeof(double);
  constexpr std::int64_t chunk = sizeof(std::uint64_t) + sizeof(unsigned);
  const std::int64_t a_cell = sizeof(double) + (with_uncertainty ? sizeof(float) : 0);
  return cells * a_cell + chunks_for(cells) * chunk + tiles_for(cells) * tile;
}

/// Tables that cover distances up to this one.
void ConvolvedLayer::reach(double distance) {
  if (tables_ != nullptr && tables_->longest >= distance) return;
  tables_ = std::make_unique<ConvolutionTables>(power_, scale_, 2 * distance, wanted_error_);
  const ConvolutionTables& tables = *tables_;
  std::vector<double> exponents = tables.exponents;
  while (exponents.size() % 8 != 4) exponents.push_back(0);  // of terms without weight
  const std::size_t terms = exponents.size();
  const auto powers_of_decay = [&](int count, double cells) {
    std::vector<double> decay;
    for (int power = 0; power < count; ++power) {
      for (const double a : exponents) decay.push_back(std::exp(-a * cells * power));
    }
    return decay;
  };
  std::vector<double> half_near(near_size);
  for (int i = 0; i < near_size; ++i) half_near[i] = tables.near[i] / 2;

  // The coefficient of x^power for a term, times scale w exp(-a (2 width + 1)) or not.
  const auto shape = [&](std::size_t term, int power) {
    return term < tables.exponents.size() ? tables.shape[term][power] : 0.0;
  };
  const auto target = [&](std::size_t term, int power) {
    if (term >= tables.exponents.size()) return 0.0;
    return scale_ * tables.weights[term] * std::exp(-exponents[term] * (2 * width + 1)) *
           shape(term, power);
  };
  const auto passed = [&](std::size_t term, int side, int chunk) {
    if (term >= terms || chunk >= evaluated_chunks) return 0.0;
    return std::exp(-exponents[term] * width * (side == 0 ? chunk : evaluated_chunks - 1 - chunk));
  };
  const auto power_of_x = [](int j, int power) { return std::pow(position_in_chunk(j), power); };
  const Fragments count(static_cast<int>(terms));
  std::vector<double> table;
  add_fragments(count.powers, table, [&](int fragment, int inner, int half, int outer) {
    return power_of_x(fragment / 2 * 8 + 2 * inner + half, 2 * outer + fragment % 2);
  });
  add_fragments(count.shape, table, [&](int fragment, int inner, int half, int outer) {
    return shape(fragment / 2 * 8 + outer, 2 * (4 * half + inner) + fragment % 2);
  });
  add_fragments(count.target, table, [&](int fragment, int inner, int half, int outer) {
    return target(fragment / 2 * 8 + 4 * half + inner, 2 * outer + fragment % 2);
  });
  add_fragments(count.cells, table, [&](int fragment, int inner, int half, int outer) {
    return power_of_x(fragment / 2 * 8 + outer, 2 * (4 * half + inner) + fragment % 2);
  });
  add_fragments(count.passed, table, [&](int fragment, int inner, int half, int outer) {
    return passed(fragment / (2 * row_blocks) * 8 + 4 * half + inner, fragment / row_blocks % 2,
                  fragment % row_blocks * 8 + outer);
  });
  fragments_ = DeviceArray<double>(std::span<const double>(table));
  exponents_ = DeviceArray<double>(std::span<const double>(exponents));
  decay_ = DeviceArray<double>(std::span<const double>(powers_of_decay(evaluated_chunks, width)));
  run_decay_ = DeviceArray<double>(std::span<const double>(powers_of_decay(run_tiles, tile_cells)));
  half_near_ = DeviceArray<double>(std::span<const double>(half_near));
  outside_ = DeviceArray<double>(static_cast<std::int64_t>(4 * terms));
  set_bytes(outside_.span(), 0);
  outside_empty_ = true;
}

void ConvolvedLayer::clear() {
  fresh_ = true;
  tracked_ = false;
}

void ConvolvedLayer::track_uncertainty(double factor) {
  if (uncertainty_.size() == 0) {
    require_device_memory(bytes(cells_, true) - bytes(cells_, false),
                          "the uncertainty of every cell");
    const std::int64_t edges = 2 * halo * tiles_;
    uncertainty_ = DeviceArray<float>(cells_);
    for (DeviceArray<float>& of : uncertainty_edges_) of = DeviceArray<float>(edges);
  }
  tracked_ = true;
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
/// all cells; and their states are scanned at once, in no more room than one storm's may need.
std::size_t ConvolvedLayer::gathered_at_once(std::span<const StormDeposits> storms) const {
  const std::int64_t most =
      scans_at_once() ? std::min(StormList::most, most_scanned_tiles / tiles_) : 1;
  std::size_t several = 0;
  for (const StormDeposits& storm :
       storms.first(std::min(storms.size(), static_cast<std::size_t>(most)))) {
    if (is_sparse(storm.count) || is_dense(storm.count) || reaches_outside(storm)) break;
    ++several;
  }
  return std::max<std::size_t>(several, 1);
}

std::size_t ConvolvedLayer::gather(std::span<const Deposit> deposits,
                                   std::span<const StormDeposits> storms) {
  const std::size_t at_once = gathered_at_once(storms);
  const StormDeposits& first = storms.front();
  StormList list{};
  std::int64_t count = 0;
  for (std::size_t i = 0; i < at_once; ++i) {
    list.ends[i] = count += storms[i].count;
    list.uncertainty[i] = storms[i].uncertainty;
  }
  gathered_ = {deposits.first(static_cast<std::size_t>(count)), static_cast<std::int64_t>(at_once),
               is_sparse(first.count)};
  const bool sparse = gathered_.sparse;
  const bool dense = is_dense(first.count);
  add_outside(gathered_.deposits, first, list);
  const std::int64_t chunks = sparse ? count : gathered_.storms * chunks_;
  keep_room(gathered_.storms, chunks);
  const SourceArray<std::int64_t> sources = energy_sources(0);
  double* const uncertainty_sum = tracked_ ? uncertainty_sum_.span().data() : nullptr;
  if (dense) {
    const auto all_cells = static_cast<std::size_t>(chunks_ * chunk_cells);
    set_bytes(mask_.span().first(static_cast<std::size_t>(chunks_)), 0xff);
    set_bytes(energy_.span().first(all_cells), 0);
    if (tracked_) set_bytes(uncertainty_sum_.span().first(all_cells), 0);
  } else {
    Emptied emptied{{words(mask_, gathered_.storms * chunks_)}};
    if (sparse) {
      emptied.memory[1] = words(energy_, chunks * chunk_cells);
      if (tracked_) emptied.memory[2] = words(uncertainty_sum_, chunks * chunk_cells);
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
  pass_states();
  return at_once;
}

void ConvolvedLayer::apply(std::span<const Deposit> deposits, std::int64_t lowest,
                           std::int64_t highest, const UncertaintyGrowth& growth,
                           const DepositUncertainty& uncertainty, std::int64_t own_begin,
                           std::int64_t own_end, Screened* found) {
  const StormDeposits storm{static_cast<std::int64_t>(deposits.size()), lowest, highest,
                            uncertainty};
  gather(deposits, {&storm, 1});
  apply(growth, own_begin, own_end, found);
}

bool ConvolvedLayer::prefers_cell_deposits(std::int64_t impacts) const {
  const auto of_two_storms = 2 * impacts * static_cast<std::int64_t>(sizeof(CellDeposit));
  const std::int64_t of_energies =
      (chunks_ * chunk_cells - energy_.size()) * static_cast<std::int64_t>(sizeof(std::int64_t));
  return impacts > std::max(many_sorted_deposits, cells_ / sorted_cells_a_deposit) && !tracked_ &&
         cells_ <= DepositSums::most_cells &&
         deposit_sums_.can_sum(impacts, of_two_storms + of_energies);
}

void ConvolvedLayer::apply(std::span<const CellDeposit> deposits, std::span<const Deposit> others,
                           std::int64_t lowest, std::int64_t highest, std::int64_t own_begin,
                           std::int64_t own_end, Screened* found) {
  const auto count = static_cast<std::int64_t>(others.size());
  const StormList list{{count}, {}};
  gathered_ = {{}, 1, false};
  add_outside(others, {count, lowest, highest, {0, 0}}, list);
  keep_room(1, chunks_);
  set_bytes(mask_.span().first(static_cast<std::size_t>(chunks_)), 0xff);
  const auto before = static_cast<std::size_t>(first_cell);
  const auto end = before + static_cast<std::size_t>(cells_);
  const auto padded = static_cast<std::size_t>(chunks_ * chunk_cells);
  const std::span<std::int64_t> energy = energy_.span().first(padded);
  set_bytes(energy.first(before), 0);
  set_bytes(energy.subspan(end), 0);
  deposit_sums_.sum(deposits, energy.subspan(before, end - before));
  if (!others.empty()) {
    launch("deposit", strided(count), deposit_kernel, others.data(), count, list, chunks_, true,
           energy_sources(0), nullptr);
  }
  pass_states();
  apply({0, 0}, own_begin, own_end, found);
}

/// Doubles that the states of a storm take.
std::int64_t ConvolvedLayer::states_of_storm() const {
  return (tracked_ ? 2 : 1) * 2 * exponents_.size() * tiles_;
}

/// Room for so many storms, the present number of terms and fields, and for the energies, and
/// uncertainties, that fall on so many chunks.
void ConvolvedLayer::keep_room(std::int64_t storms, std::int64_t chunks) {
  states_.at_least(storms * states_of_storm());
  run_states_.at_least(states_of_storm() / tiles_ * runs_of(tiles_));
  mask_.at_least(storms * chunks_);
  energy_.at_least(chunks * chunk_cells, "storms of impacts all over the layer");
  if (tracked_) uncertainty_sum_.at_least(chunks * chunk_cells, "the uncertainty of such storms");
}

SourceArray<std::int64_t> ConvolvedLayer::energy_sources(std::int64_t storm) {
  return SourceArray<std::int64_t>{mask_.span().data(),
                                   gathered_.sparse ? place_.span().data() : nullptr,
                                   energy_.span().data(), outside_.span().data()}
      .of_storm(storm, chunks_);
}

SourceArray<double> ConvolvedLayer::uncertainty_sources(std::int64_t storm) {
  const SourceArray<std::int64_t> energies = energy_sources(0);
  return SourceArray<double>{energies.mask, energies.place, uncertainty_sum_.span().data(),
                             energies.outside + 2 * exponents_.size()}
      .of_storm(storm, chunks_);
}

/// Those of energies, field 0, or of uncertainties.
States ConvolvedLayer::states(std::int64_t storm, int field) {
  const auto terms = static_cast<int>(exponents_.size());
  const std::int64_t of_field = 2 * terms * tiles_;
  return {.terms = terms,
          .tiles = tiles_,
          .exponents = exponents_.span().data(),
          .run_decay = run_decay_.span().data(),
          .active = gathered_.sparse && !scans_at_once() ? active_runs_.span().data() : nullptr,
          .of_tiles = states_.span().data() + storm * states_of_storm() + field * of_field,
          .of_runs = run_states_.span().data() + field * 2 * terms * runs_of(tiles_)};
}

Terms ConvolvedLayer::terms() const {
  const auto terms = static_cast<int>(exponents_.size());
  const Fragments count_of(terms);
  const auto* fragments = reinterpret_cast<const double2*>(fragments_.span().data());
  const auto next = [&](int count) { return std::exchange(fragments, fragments + count * 32); };
  return {.terms = terms,
          .chunks = chunks_,
          .tiles = tiles_,
          .decay = decay_.span().data(),
          .powers = next(count_of.powers),
          .shape = next(count_of.shape),
          .target = next(count_of.target),
          .cells = next(count_of.cells),
          .passed = next(count_of.passed),
          .half_near = half_near_.span().data()};
}

bool ConvolvedLayer::reaches_outside(const StormDeposits& storm) const {
  return storm.count > 0 &&
         (storm.lowest < -first_cell || storm.highest >= chunks_ * chunk_cells - first_cell);
}

/// The moments of what lies outside the padded layer.
void ConvolvedLayer::add_outside(std::span<const Deposit> deposits, const StormDeposits& storm,
                                 const StormList& list) {
  const bool outside = reaches_outside(storm);
  if (outside) {
    reach(std::max(static_cast<double>(storm.highest),
                   static_cast<double>(chunks_ * chunk_cells) - storm.lowest) +
          2 * chunk_cells);
    const auto terms = static_cast<int>(exponents_.size());
    launch("outside", {terms, outside_threads}, outside_kernel, deposits.data(),
           static_cast<std::int64_t>(deposits.size()), list, chunks_, terms,
           exponents_.span().data(), outside_.span().data());
  } else if (!outside_empty_) {
    set_bytes(outside_.span(), 0);
  }
  outside_empty_ = !outside;
}

/// The tiles that see any deposit of the storms that were gathered. Those far from all are applied
/// apart if the storm is sparse and there are many.
NearTiles ConvolvedLayer::near_tiles() {
  const bool apart = gathered_.sparse && !tracked_ && tiles_ > few_tiles;
  return {!gathered_.sparse, gathered_.deposits.data(),
          static_cast<std::int64_t>(gathered_.deposits.size()),
          apart ? taken_by_.span().data() : nullptr};
}

/// What energies and uncertainties in the cells add to the states of the tiles that they enter.
void ConvolvedLayer::pass_states() {
  const int fields = tracked_ ? 2 : 1;
  const Terms t = terms();
  const NearTiles near = near_tiles();
  const std::int64_t all_fields = gathered_.storms * fields;
  const std::int64_t near_tiles = all_fields * near.size(tiles_);
  const States all = states(0, 0);
  if (all.active != nullptr) {
    launch_beside("start runs", {near_tiles, tile_threads}, start_runs_kernel, near, all,
                  active_runs_.span().data());
  }
  // Few tiles are sooner done by all warps of a block, many by each warp on its own.
  const bool together = near_tiles <= few_tiles;
  launch_beside("gather",
                {together ? near_tiles : (near_tiles + tile_warps - 1) / tile_warps, tile_threads},
                together ? gather_kernel<tile_warps> : gather_kernel<1>, t, near, gathered_.storms,
                fields, energy_sources(0), uncertainty_sources(0), all.of_tiles);
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

void ConvolvedLayer::apply(const UncertaintyGrowth& growth, std::int64_t own_begin,
                           std::int64_t own_end, Screened* found) {
  const std::int64_t storm = gathered_.applied++;
  const int fields = tracked_ ? 2 : 1;
  const Terms t = terms();
  const NearTiles near = near_tiles();
  const bool apart = near.taken_by != nullptr;
  const bool one_kernel = !apart && tiles_ <= most_peaks_of_block;
  const Cells cells{.count = cells_,
                    .fresh = fresh_,
                    .value = in_place(layer_, layer_edges_),
                    .uncertainty = in_place(uncertainty_, uncertainty_edges_),
                    .growth = growth.growth,
                    .rounding = growth.rounding,
                    .own_begin = std::max<std::int64_t>(own_begin, 1),
                    .own_end = std::min(own_end, cells_ - 1),
                    .tile_peaks = tile_peaks_.span().data(),
                    .tile_tops = tile_tops_.span().data(),
                    .finished = one_kernel ? finished_.span().data() : nullptr,
                    .found = found};
  constexpr auto in_bytes = [](std::int64_t doubles) {
    return doubles * static_cast<std::int64_t>(sizeof(double));
  };
  const NearTiles applied{!apart, near.deposits, near.count, near.taken_by};
  const auto apply_tiles = tracked_ ? apply_kernel<true, 3> : apply_kernel<false, 5>;
  const SourceArray<std::int64_t> energies = energy_sources(storm);
  const States of_energies = states(storm, 0);
  launch_beside("apply",
                {applied.size(tiles_), tile_threads, in_bytes(Scratch::size(t.terms, fields))},
                apply_tiles, t, applied, energies, uncertainty_sources(storm), of_energies,
                states(storm, fields - 1), cells, storm == 0);
  if (apart) {
    launch_beside("apply to quiet tiles",
                  {tiles_, tile_threads, in_bytes(QuietScratch::size(t.terms))}, quiet_kernel, t,
                  energies.mask, of_energies, cells);
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
}

void ConvolvedLayer::screen(double factor, std::int64_t own_begin, std::int64_t own_end,
                            std::span<Candidate> candidates, const Screened* before,
                            Screened* found) const {
  launch_beside("screen", {(tiles_ + screened_tiles - 1) / screened_tiles, tile_threads},
                screen_kernel, layer_.span().data(),
                tracked_ ? uncertainty_.span().data() : nullptr, factor,
                std::max<std::int64_t>(own_begin, 1), std::min(own_end, cells_ - 1), tiles_,
                tile_tops_.span().data(), candidates.data(),
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
