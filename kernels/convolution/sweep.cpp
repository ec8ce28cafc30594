// Nothing here is the rule's arithmetic: how sums are rounded is within the proven error, so
// products and sums may fuse (CMakeLists.txt).

#include "kernels/convolution/sweep.hpp"

#include <cstring>
#include <limits>
#include <utility>

#include "kernels/base/vector.hpp"
#include "kernels/convolution/uncertainty.hpp"

namespace bombard::cpu {

namespace {

// As many in a chunk cost about what polynomials do. With more than 9, relative_error() would count
// too few roundings.
constexpr std::int64_t few_sources = 8;
// And around a group about what a product of matrices does.
constexpr std::int64_t few_near_sources = 130;
constexpr std::int64_t line = 8;  // doubles in a cache line

constexpr std::int64_t smaller(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}
constexpr std::int64_t larger(std::int64_t a, std::int64_t b) {
  return a > b ? a : b;
}
[[gnu::always_inline]] inline void copy(const double* from, std::int64_t count, double* to) {
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(double));
}

/// Whether there are sources in any of these chunks of one block.
[[gnu::always_inline]] inline bool any_sources(const Sweep& s, std::int64_t first,
                                               std::int64_t last) {
  return s.of_chunks[first].begin < s.of_chunks[last].end;
}

[[gnu::always_inline]] inline void keep_edges(const Sweep& s, Field& field, std::int64_t block,
                                              bool first, bool last, std::int64_t cell,
                                              const double* values) {
  if (first) std::memcpy(field.edges[block].first, values, 2 * sizeof(double));
  if (last) std::memcpy(field.edges[block].last, values + group_cells - 2, 2 * sizeof(double));
  for (int i = 0; i < 2; ++i) {
    if (s.ends[i] >= cell && s.ends[i] < cell + group_cells)
      field.ends[i] = values[s.ends[i] - cell];
  }
}

/// Where a source is as seen from the states that it adds to. Towards the right a source at offset
/// j stands chunk_cells - j + 1 from the next state, towards the left j + 2.
enum class Towards { right, left };

/// The sweep with registers of `bytes`. (Longer vectors GCC keeps in memory: up to 18 times
/// slower.)
template <int bytes>
class VectorSweep {
 public:
  [[gnu::always_inline]] static inline void gather(const Sweep& s, Field& field,
                                                   std::int64_t block) {
    const std::int64_t terms = s.terms;
    const std::int64_t first = block * block_chunks;
    const std::int64_t end = smaller(first + block_chunks, s.chunks);
    if (end < s.chunks) {  // A(first - 1) to A(end - 1)
      double* const state = field.right + (block + 1) * terms;
      std::memset(state, 0, static_cast<std::size_t>(terms) * sizeof(double));
      if (block == 0) copy(field.before, terms, state);
      if (block == 0 || any_sources(s, first - 1, first - 1) || any_sources(s, first, end - 2)) {
        for (std::int64_t c = larger(first - 1, 0); c < end - 1; ++c) {
          pass_chunk<Towards::right>(s, field.amounts, c, state);
        }
      }
    }
    if (block > 0) {  // B(end) to B(first)
      double* const state = field.left + (block - 1) * terms;
      std::memset(state, 0, static_cast<std::size_t>(terms) * sizeof(double));
      const bool last = end == s.chunks;
      if (last) copy(field.behind, terms, state);
      if (last || any_sources(s, first + 1, end - 1) || any_sources(s, end, end)) {
        for (std::int64_t c = last ? end - 1 : end; c > first; --c) {
          pass_chunk<Towards::left>(s, field.amounts, c, state);
        }
      }
    }
  }

  [[gnu::always_inline]] static inline void apply(const Sweep& s, Field& value, Field& uncertainty,
                                                  std::int64_t block, double* scratch) {
    // One compiled version for each, for all tests inside are known then.
    if (s.degree == 11 && s.uncertainty == nullptr) {
      apply_block<11, false>(s, value, uncertainty, block, scratch);
    } else if (s.degree == 11) {
      apply_block<11, true>(s, value, uncertainty, block, scratch);
    } else if (s.uncertainty == nullptr) {
      apply_block<15, false>(s, value, uncertainty, block, scratch);
    } else {
      apply_block<15, true>(s, value, uncertainty, block, scratch);
    }
  }

 private:
  using Doubles = Vector<double, bytes>;
  using Floats = Vector<float, bytes / 2>;
  static constexpr int lanes = bytes / 8;
  static constexpr int vectors = chunk_cells / lanes;
  /// Vectors of a polynomial's even or odd coefficients.
  static constexpr int parts = parity_coefficients / lanes;

  [[gnu::always_inline]] static inline Doubles load(const double* from) {
    return *reinterpret_cast<const Doubles*>(from);
  }
  [[gnu::always_inline]] static inline Doubles load(const float* from) {
    return __builtin_convertvector(*reinterpret_cast<const Floats*>(from), Doubles);
  }
  [[gnu::always_inline]] static inline void store(Doubles value, double* to) {
    *reinterpret_cast<Doubles*>(to) = value;
  }
  [[gnu::always_inline]] static inline void store(Floats value, float* to) {
    *reinterpret_cast<Floats*>(to) = value;
  }
  [[gnu::always_inline]] static inline Doubles absolute(Doubles v) { return v < 0 ? -v : v; }
  [[gnu::always_inline]] static inline Doubles larger_of(Doubles a, Doubles b) {
    return a > b ? a : b;
  }
  template <std::size_t... i>
  [[gnu::always_inline]] static inline Doubles backwards(Doubles v, std::index_sequence<i...>) {
    return __builtin_shufflevector(v, v, (lanes - 1 - i)...);
  }
  [[gnu::always_inline]] static inline Doubles backwards(Doubles v) {
    return backwards(v, std::make_index_sequence<lanes>());
  }

  /// x of the first cells behind a chunk's middle.
  template <std::size_t... i>
  [[gnu::always_inline]] static inline Doubles first_places(std::index_sequence<i...>) {
    return Doubles{((i + 0.5) * (2.0 / chunk_cells))...};
  }

  /// One source after the other, by the exponentials themselves.
  template <Towards side>
  [[gnu::always_inline]] static inline void add_sources(const Sweep& s, const double* amounts,
                                                        std::int64_t chunk, double* state) {
    const SourceRange range = s.of_chunks[chunk];
    const std::int64_t terms = s.terms;
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const std::int64_t offset = s.offsets[i];
      const std::int64_t row = side == Towards::right ? chunk_cells - 1 - offset : offset;
      const double* const moment = s.moment + row * terms;
      const double amount = amounts[i];
      for (std::int64_t t = 0; t < terms; t += lanes) {
        store(load(state + t) + amount * load(moment + t), state + t);
      }
    }
  }

  /// By polynomials: the sums of amount * x^i serve all exponents, and mirrored, x is -x.
  template <Towards side>
  [[gnu::always_inline]] static inline void add_many_sources(const Sweep& s, const double* amounts,
                                                             std::int64_t chunk, double* state) {
    const SourceRange range = s.of_chunks[chunk];
    Doubles even[parts] = {}, odd[parts] = {};
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const double* const powers = s.powers + 2 * parity_coefficients * s.offsets[i];
#pragma GCC unroll 4
      for (int part = 0; part < parts; ++part) {
        even[part] += amounts[i] * load(powers + part * lanes);
        odd[part] += amounts[i] * load(powers + parity_coefficients + part * lanes);
      }
    }
    alignas(64) double of_even[parity_coefficients], of_odd[parity_coefficients];
    for (int part = 0; part < parts; ++part) {
      store(even[part], of_even + part * lanes);
      store(side == Towards::right ? -odd[part] : odd[part], of_odd + part * lanes);
    }
    const std::int64_t terms = s.terms;
    for (std::int64_t t = 0; t < terms; t += lanes) {
      Doubles even_part = load(state + t), odd_part{};
      for (int i = 0; i < s.degree / 2 + 1; ++i) {
        even_part += of_even[i] * load(s.even_moment + i * terms + t);
        odd_part += of_odd[i] * load(s.odd_moment + i * terms + t);
      }
      store(even_part + odd_part, state + t);
    }
  }

  /// state = state * exp(-a chunk_cells) + what the sources of a chunk bring.
  template <Towards side>
  [[gnu::always_inline]] static inline void pass_chunk(const Sweep& s, const double* amounts,
                                                       std::int64_t chunk, double* state) {
    const std::int64_t terms = s.terms;
    const double* const decay = s.chunk_decay;
    for (std::int64_t t = 0; t < terms; t += lanes) {
      store(load(state + t) * load(decay + t), state + t);
    }
    if (s.of_chunks[chunk].end - s.of_chunks[chunk].begin <= few_sources) {
      add_sources<side>(s, amounts, chunk, state);
    } else {
      add_many_sources<side>(s, amounts, chunk, state);
    }
  }

  /// The states of the chunks of a block on their way: B of the chunks behind each, all stored, and
  /// A of the one before, carried along.
  class States {
   public:
    [[gnu::always_inline]] inline States(const Sweep& s, const Field& field, std::int64_t block,
                                         double* memory)
        : s_(s),
          field_(field),
          terms_(s.terms),
          block_(block),
          first_(block * block_chunks),
          behind_(memory),
          before_(behind_ + block_chunks * terms_),
          sum_(before_ + terms_),
          difference_(sum_ + group_chunks * terms_) {}

    [[gnu::always_inline]] inline void pass_from_behind() {
      const std::int64_t count = smaller(block_chunks, s_.chunks - first_);
      copy(field_.left + block_ * terms_, terms_, behind_ + (count - 1) * terms_);
      for (std::int64_t c = first_ + count - 2; c >= first_; --c) {
        double* const state = behind_ + (c - first_) * terms_;
        if (c + 2 == s_.chunks) {
          copy(field_.behind, terms_, state);
        } else {
          copy(state + terms_, terms_, state);
          // Sources that this thread has not seen, in an order that processors do not foresee.
          for (std::int64_t i = s_.of_chunks[c].begin; i < s_.of_chunks[c].end; i += line) {
            __builtin_prefetch(field_.amounts + i);
          }
          pass_chunk<Towards::left>(s_, field_.amounts, c + 2, state);
        }
      }
      copy(field_.right + block_ * terms_, terms_, before_);
    }

    /// The sums of the group of chunks that begins with `chunk`, for each of its cells.
    template <int degree>
    [[gnu::always_inline]] inline void evaluate(std::int64_t chunk, double* sums) {
      for (std::int64_t c = 0; c < group_chunks; ++c) {
        const double* const behind = behind_ + (chunk + c - first_) * terms_;
        for (std::int64_t t = 0; t < terms_; t += lanes) {
          const Doubles a = load(before_ + t);
          const Doubles b = load(behind + t);
          store(a + b, sum_ + place(t, c));
          store(a - b, difference_ + place(t, c));
        }
        if (chunk + c == 0) {
          copy(field_.before, terms_, before_);
        } else {
          pass_chunk<Towards::right>(s_, field_.amounts, chunk + c - 1, before_);
        }
      }
      alignas(64) double even[group_chunks][parity_coefficients],
          odd[group_chunks][parity_coefficients];
      for (int part = 0; part < parts; ++part) {
        Doubles even_sum[group_chunks] = {}, odd_sum[group_chunks] = {};
        for (std::int64_t t = 0; t < terms_; t += line) {
          const double* const sum = sum_ + place(t, 0);
          const double* const difference = difference_ + place(t, 0);
          const double* const even_rows = s_.even + t * parity_coefficients + part * lanes;
          const double* const odd_rows = s_.odd + t * parity_coefficients + part * lanes;
          for (std::int64_t i = 0; i < line; ++i) {
            const Doubles even_row = load(even_rows + i * parity_coefficients);
            const Doubles odd_row = load(odd_rows + i * parity_coefficients);
#pragma GCC unroll 4
            for (std::int64_t c = 0; c < group_chunks; ++c) {
              even_sum[c] += sum[c * line + i] * even_row;
              odd_sum[c] += difference[c * line + i] * odd_row;
            }
          }
        }
        for (std::int64_t c = 0; c < group_chunks; ++c) {
          store(even_sum[c], even[c] + part * lanes);
          store(odd_sum[c], odd[c] + part * lanes);
        }
      }
      for (std::int64_t c = 0; c < group_chunks; ++c) {
        evaluate_far<degree>(even[c], odd[c], sums + c * chunk_cells);
      }
      const std::int64_t near = near_sources(chunk);
      if (near > few_near_sources) {
        add_many_near_sources(chunk, sums);
      } else if (near > 0) {
        for (std::int64_t c = 0; c < group_chunks; ++c) {
          add_near_sources(chunk + c, sums + c * chunk_cells);
        }
      }
    }

   private:
    /// Of a term in a chunk of the group: line by line, so that the chunks' are near each other.
    static constexpr std::int64_t place(std::int64_t t, std::int64_t c) {
      return (t / line * group_chunks + c) * line + t % line;
    }

    /// How many there are in a group and in the chunk on either side of it.
    [[gnu::always_inline]] inline std::int64_t near_sources(std::int64_t chunk) const {
      std::int64_t sources = 0;
      const std::int64_t end = smaller(chunk + group_chunks + 1, s_.chunks);
      for (std::int64_t c = larger(chunk - 1, 0); c < end; ++c) {
        sources += s_.of_chunks[c].end - s_.of_chunks[c].begin;
      }
      return sources;
    }

    template <int degree>
    [[gnu::always_inline]] static inline void evaluate_far(const double* even, const double* odd,
                                                           double* sums) {
      constexpr int coefficients = (degree + 1) / 2;
      const Doubles first = first_places(std::make_index_sequence<lanes>());
#pragma GCC unroll 4
      for (int v = 0; v < vectors / 2; ++v) {  // cells j and 63 - j are at x and -x
        const Doubles x = first + v * lanes * (2.0 / chunk_cells);
        const Doubles y = x * x;
        Doubles e = y * even[coefficients - 1] + even[coefficients - 2];
        Doubles o = y * odd[coefficients - 1] + odd[coefficients - 2];
#pragma GCC unroll 8
        for (int i = coefficients - 3; i >= 0; --i) {
          e = e * y + even[i];
          o = o * y + odd[i];
        }
        store(e + x * o, sums + (vectors / 2 + v) * lanes);
        store(backwards(e - x * o), sums + (vectors / 2 - 1 - v) * lanes);
      }
    }

    [[gnu::always_inline]] inline void add_near_sources(std::int64_t chunk, double* sums) const {
      constexpr int together = 8;  // vectors that stay in registers
      const std::int64_t end = smaller(chunk + 2, s_.chunks);
      for (int v = 0; v < vectors; v += together) {
        Doubles result[together];
#pragma GCC unroll 8
        for (int i = 0; i < together; ++i) result[i] = load(sums + (v + i) * lanes);
        for (std::int64_t c = larger(chunk - 1, 0); c < end; ++c) {
          const double* near = s_.near + 2 * chunk_cells + (chunk - c) * chunk_cells + v * lanes;
          for (std::int64_t i = s_.of_chunks[c].begin; i < s_.of_chunks[c].end; ++i) {
            const double amount = field_.amounts[i];
            const double* weights = near - s_.offsets[i];
#pragma GCC unroll 8
            for (int k = 0; k < together; ++k) result[k] += amount * load(weights + k * lanes);
          }
        }
#pragma GCC unroll 8
        for (int i = 0; i < together; ++i) store(result[i], sums + (v + i) * lanes);
      }
    }

    /// As a product of matrices, for all chunks of a group. Mirrored about a chunk's middle the
    /// attenuations are the same: sums and differences of what lies there at mirrored places bring
    /// half the sums and differences of what its cells get.
    [[gnu::always_inline]] inline void add_many_near_sources(std::int64_t chunk,
                                                             double* sums) const {
      constexpr std::int64_t seen = 3 * chunk_cells;
      alignas(64) double amounts[group_cells + 2 * chunk_cells] = {};
      const std::int64_t end = smaller(chunk + group_chunks + 1, s_.chunks);
      for (std::int64_t c = larger(chunk - 1, 0); c < end; ++c) {
        double* const of_chunk = amounts + (c - chunk + 1) * chunk_cells;
        for (std::int64_t i = s_.of_chunks[c].begin; i < s_.of_chunks[c].end; ++i) {
          of_chunk[s_.offsets[i]] = field_.amounts[i];
        }
      }
      alignas(64) double even[group_chunks][seen / 2], odd[group_chunks][seen / 2];
      for (std::int64_t c = 0; c < group_chunks; ++c) {
        const double* const around = amounts + c * chunk_cells;
        for (std::int64_t p = 0; p < seen / 2; p += lanes) {
          const Doubles before = load(around + p);
          const Doubles behind = backwards(load(around + seen - lanes - p));
          store(before + behind, even[c] + p);
          store(before - behind, odd[c] + p);
        }
      }
      constexpr int columns = 2;  // vectors of a chunk's first half at a time
      for (int v = 0; v < vectors / 2; v += columns) {
        Doubles sum[group_chunks][columns] = {}, difference[group_chunks][columns] = {};
        multiply<columns>(even, s_.near_even + v * lanes, sum);
        multiply<columns>(odd, s_.near_odd + v * lanes, difference);
        for (std::int64_t c = 0; c < group_chunks; ++c) {
          for (int i = 0; i < columns; ++i) {
            double* const first = sums + c * chunk_cells + (v + i) * lanes;
            double* const last = sums + (c + 1) * chunk_cells - (v + i + 1) * lanes;
            store(load(first) + sum[c][i] + difference[c][i], first);
            store(load(last) + backwards(sum[c][i] - difference[c][i]), last);
          }
        }
      }
    }

    template <int columns, std::size_t rows>
    [[gnu::always_inline]] static inline void multiply(const double (&amounts)[group_chunks][rows],
                                                       const double* weights,
                                                       Doubles (&sums)[group_chunks][columns]) {
      for (std::size_t p = 0; p < rows; ++p) {
#pragma GCC unroll 4
        for (int i = 0; i < columns; ++i) {
          const Doubles weight = load(weights + p * (chunk_cells / 2) + i * lanes);
#pragma GCC unroll 4
          for (std::int64_t c = 0; c < group_chunks; ++c) sums[c][i] += amounts[c][p] * weight;
        }
      }
    }

    const Sweep& s_;
    const Field& field_;
    std::int64_t terms_, block_, first_;
    double *behind_, *before_, *sum_, *difference_;
  };

  /// Values of a group of cells, behind the last two of the group before.
  struct Window {
    static constexpr std::int64_t start = line;
    alignas(64) double cell[start + group_cells];

    [[gnu::always_inline]] inline void advance() {
      std::memcpy(cell + start - 2, cell + start + group_cells - 2, 2 * sizeof(double));
    }
    /// Means of cells i-2, i-1, i for consecutive i from the first given.
    [[gnu::always_inline]] inline Doubles means(std::int64_t i) const {
      const double* c = cell + start + i;
      return (load(c - 2) + load(c - 1) + load(c)) * (1.0 / 3);
    }
  };

  /// The lanes from the third on.
  template <class T, class V>
  [[gnu::always_inline]] static inline void store_but_two(const V& value, T* to) {
    for (int i = 2; i < lanes; ++i) to[i] = value[i];
  }

  /// Relaxes a vector of cells, all but the first two when those stand at the border of a block;
  /// returns the largest value + uncertainty.
  template <bool tracked, bool at_border>
  [[gnu::always_inline]] static inline Doubles relax(const Window& values,
                                                     const Window& uncertainties, std::int64_t i,
                                                     double* layer, float* uncertainty) {
    Doubles bound = values.means(i);
    at_border ? store_but_two(bound, layer) : store(bound, layer);
    if constexpr (tracked) {
      const Floats up =
          __builtin_convertvector(uncertainties.means(i) * bound_raise + least_bound, Floats);
      at_border ? store_but_two(up, uncertainty) : store(up, uncertainty);
      bound += __builtin_convertvector(up, Doubles);
    }
    if (at_border) bound[0] = bound[1] = -std::numeric_limits<double>::infinity();
    return bound;
  }

  template <int degree, bool tracked>
  [[gnu::always_inline]] static inline void apply_block(const Sweep& s, Field& value,
                                                        Field& uncertainty, std::int64_t block,
                                                        double* scratch) {
    static constexpr double zeros[group_cells] = {};
    const std::int64_t first = block * block_chunks;
    const std::int64_t end = smaller(first + block_chunks, s.chunks);
    States values(s, value, block, scratch);
    States uncertainties(s, uncertainty, block, scratch + scratch_states * s.terms);
    values.pass_from_behind();
    if constexpr (tracked) uncertainties.pass_from_behind();
    alignas(64) double sums[group_cells], uncertainty_sums[group_cells];
    Window f{}, e{};

    for (std::int64_t chunk = first; chunk < end; chunk += group_chunks) {
      const std::int64_t cell = chunk * chunk_cells;
      const bool at_first = chunk == first, at_last = chunk + group_chunks == end;
      const double* old = s.fresh ? zeros : s.layer + cell;
      for (std::int64_t i = 0; i < group_cells && !at_last; i += line) {
        // On its way while this group is evaluated.
        __builtin_prefetch(s.layer + cell + group_cells + i);
      }
      values.template evaluate<degree>(chunk, sums);
      if constexpr (tracked) uncertainties.template evaluate<degree>(chunk, uncertainty_sums);
      for (std::int64_t i = 0; i < group_cells; i += lanes) {
        const Doubles before = load(old + i);
        const Doubles after = before + load(sums + i);
        store(after, f.cell + Window::start + i);
        if constexpr (tracked) {
          const Doubles known = load(s.uncertainty + cell + i);
          store(known + s.growth * (known + absolute(before)) + load(uncertainty_sums + i) +
                    s.rounding * absolute(after),
                e.cell + Window::start + i);
        }
      }
      keep_edges(s, value, block, at_first, at_last, cell, f.cell + Window::start);
      if constexpr (tracked) {
        keep_edges(s, uncertainty, block, at_first, at_last, cell, e.cell + Window::start);
      }
      double* const layer = s.layer + cell - 1;
      float* const uncertainty_out = tracked ? s.uncertainty + cell - 1 : nullptr;
      Doubles highest = at_first ? relax<tracked, true>(f, e, 0, layer, uncertainty_out)
                                 : relax<tracked, false>(f, e, 0, layer, uncertainty_out);
      for (std::int64_t i = lanes; i < group_cells; i += lanes) {
        highest =
            larger_of(highest, relax<tracked, false>(f, e, i, layer + i, uncertainty_out + i));
      }
      double top = highest[0];
      for (int lane = 1; lane < lanes; ++lane) top = top > highest[lane] ? top : highest[lane];
      s.highest[chunk / group_chunks] = top;
      f.advance();
      e.advance();
    }
  }
};

BOMBARD_AVX512 void gather_avx512(const Sweep& s, Field& field, std::int64_t block) {
  VectorSweep<64>::gather(s, field, block);
}
BOMBARD_AVX2 void gather_avx2(const Sweep& s, Field& field, std::int64_t block) {
  VectorSweep<32>::gather(s, field, block);
}
void gather_baseline(const Sweep& s, Field& field, std::int64_t block) {
  VectorSweep<16>::gather(s, field, block);
}

BOMBARD_AVX512 void apply_avx512(const Sweep& s, Field& value, Field& uncertainty,
                                 std::int64_t block, double* scratch) {
  VectorSweep<64>::apply(s, value, uncertainty, block, scratch);
}
BOMBARD_AVX2 void apply_avx2(const Sweep& s, Field& value, Field& uncertainty, std::int64_t block,
                             double* scratch) {
  VectorSweep<32>::apply(s, value, uncertainty, block, scratch);
}
void apply_baseline(const Sweep& s, Field& value, Field& uncertainty, std::int64_t block,
                    double* scratch) {
  VectorSweep<16>::apply(s, value, uncertainty, block, scratch);
}

}  // namespace

SweepFunctions sweep_functions() {
  return {widest(gather_avx512, gather_avx2, gather_baseline),
          widest(apply_avx512, apply_avx2, apply_baseline)};
}

}  // namespace bombard::cpu
