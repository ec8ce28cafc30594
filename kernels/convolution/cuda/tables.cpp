#include "kernels/convolution/cuda/tables.hpp"

#include <cmath>
#include <vector>

#include "kernels/base/unit_roundoff.hpp"
#include "kernels/convolution/cuda/shape.cuh"
#include "kernels/convolution/tables.hpp"

namespace bombard::cuda {

namespace {

// Who wants no more than so small a part of binary32's digits has roundings of about this size
// beside: with this error polynomials and sums of mirrored places serve.
constexpr double wanted_beside_binary32 = unit_roundoff_binary32 / 4;
constexpr double error_beside_binary32 = 1e-6;

// In sums of mirrored places, each of these roundings is relative to the share at distance 1, while
// the share itself may be the one at distance 64. They may take a tenth of the wanted error.
constexpr double mirrored_roundings = 99;
constexpr double share_of_mirrored = 0.1;

bool do_polynomials_serve(const ConvolutionTables& tables, const Attenuation& attenuation,
                          double wanted_error) {
  const double mirrored =
      mirrored_roundings * unit_roundoff_binary64 / attenuated(attenuation, width);
  return (tables.polynomials_serve && mirrored <= share_of_mirrored * wanted_error) ||
         (wanted_error >= wanted_beside_binary32 &&
          tables.relative_error + mirrored <= error_beside_binary32);
}

/// Which two of the eight inner indices of a matrix a lane holds, with inner = lane % 4: 2 inner
/// and 2 inner + 1, where the other operand comes from memory in pairs, or inner and inner + 4. The
/// matrix units need no particular order, but the same one in both operands.
enum class InnerIndices { in_pairs, in_halves };

/// An operand of the matrix units with eight inner indices and eight outer ones, the columns of a
/// right one or rows of a left one; table entry by table entry as the lanes hold them, two numbers
/// each (matrix_fragment.cuh has the picture). number(inner, outer) is the matrix.
template <class Number>
void append_matrix(std::vector<double>& table, InnerIndices order, const Number& number) {
  for (int lane = 0; lane < 32; ++lane) {
    const int outer = lane / 4;
    const int inner = lane % 4;
    for (int i = 0; i < 2; ++i) {
      const bool in_pairs = order == InnerIndices::in_pairs;
      table.push_back(number(in_pairs ? 2 * inner + i : inner + 4 * i, outer));
    }
  }
}

/// Matrices [eight][parity]: number(eight, parity, inner, outer).
template <class Number>
DeviceArray<double> matrices_by_parity(int eights, InnerIndices order, const Number& number) {
  std::vector<double> table;
  for (int eight = 0; eight < eights; ++eight) {
    for (const Parity parity : {even, odd}) {
      append_matrix(table, order,
                    [&](int inner, int outer) { return number(eight, parity, inner, outer); });
    }
  }
  return DeviceArray<double>(std::span<const double>(table));
}

/// [power < count][term]: exp(-exponent * cells * power).
DeviceArray<double> powers_of_decay(const std::vector<double>& exponents, int count, double cells) {
  std::vector<double> decay;
  for (int power = 0; power < count; ++power) {
    for (const double a : exponents) decay.push_back(std::exp(-a * cells * power));
  }
  return DeviceArray<double>(std::span<const double>(decay));
}

/// Terms::from_source, of `terms` terms.
DeviceArray<double> sources_to_states(const ConvolutionTables& tables, std::size_t terms) {
  std::vector<double> table;
  for (std::int64_t offset = 0; offset < chunk_cells; ++offset) {
    for (std::size_t t = 0; t < terms; ++t) {
      const std::size_t place = static_cast<std::size_t>(offset * tables.terms) + t;
      table.push_back(t < tables.sum.exponents.size() ? tables.moment[place] : 0);
    }
  }
  return DeviceArray<double>(std::span<const double>(table));
}

/// Terms::to_cells, of `term_eights` groups of eight terms.
DeviceArray<double> states_to_cells(const ExponentialSum& sum, double scale, int term_eights) {
  std::vector<double> table;
  for (int eight = 0; eight < term_eights; ++eight) {
    for (int cells = 0; cells < half_width; cells += 8) {
      for (const bool mirrored : {false, true}) {
        append_matrix(table, InnerIndices::in_halves, [&](int inner, int cell) {
          const auto t = static_cast<std::size_t>(8 * eight + inner);
          const int j = mirrored ? width - 1 - cells - cell : cells + cell;
          return t < sum.exponents.size()
                     ? scale * sum.weights[t] * std::exp(-sum.exponents[t] * (j + width))
                     : 0.0;
        });
      }
    }
  }
  return DeviceArray<double>(std::span<const double>(table));
}

/// Matrix fragments as kernels load them.
const double2* fragments(const DeviceArray<double>& table) {
  return reinterpret_cast<const double2*>(table.span().data());
}

}  // namespace

bool DeviceTables::reach(double distance) {
  if (longest_ >= distance) return false;
  // Twice as far: distances that grow from storm to storm need new tables a few times only.
  const ConvolutionTables tables(attenuation_, scale_, 2 * distance, wanted_error_);
  std::vector<double> exponents = tables.sum.exponents;
  while (exponents.size() % 8 != 4) exponents.push_back(0);  // of terms without weight
  // x^power for cell j < 32 of its chunk; the x of cell 63 - j is -x.
  const auto power_of_position = [&](int j, int power) {
    return std::pow((j - (half_width - 0.5)) / half_width, power);
  };
  std::vector<double> factors;
  for (std::size_t t = 0; t < tables.sum.exponents.size(); ++t) {
    factors.push_back(scale_ * tables.sum.weights[t] *
                      std::exp(-tables.sum.exponents[t] * (2 * width + 1)));
  }
  // The coefficient of x^power for a term, times scale w exp(-a (2 width + 1)) or not.
  const auto shape = [&](int term, int power) {
    const auto t = static_cast<std::size_t>(term);
    return t < tables.sum.exponents.size() ? tables.shape[t][static_cast<std::size_t>(power)] : 0.0;
  };
  const auto target = [&](int term, int power) {
    const auto t = static_cast<std::size_t>(term);
    return t < factors.size() ? factors[t] * shape(term, power) : 0.0;
  };
  std::vector<double> half_near(near_size);
  for (int i = 0; i < near_size; ++i) half_near[i] = tables.near[i] / 2;

  constexpr int cell_eights = half_width / 8;
  const int term_eights = eights_of(static_cast<int>(exponents.size()));
  powers_ = matrices_by_parity(cell_eights, InnerIndices::in_pairs,
                               [&](int eight, Parity parity, int cell, int power) {
                                 return power_of_position(8 * eight + cell, 2 * power + parity);
                               });
  shape_ = matrices_by_parity(term_eights, InnerIndices::in_halves,
                              [&](int eight, Parity parity, int power, int term) {
                                return shape(8 * eight + term, 2 * power + parity);
                              });
  target_ = matrices_by_parity(term_eights, InnerIndices::in_halves,
                               [&](int eight, Parity parity, int term, int power) {
                                 return target(8 * eight + term, 2 * power + parity);
                               });
  cells_ = matrices_by_parity(cell_eights, InnerIndices::in_halves,
                              [&](int eight, Parity parity, int power, int cell) {
                                return power_of_position(8 * eight + cell, 2 * power + parity);
                              });
  exponents_ = DeviceArray<double>(std::span<const double>(exponents));
  exponents_on_host_ = exponents;
  decay_ = powers_of_decay(exponents, evaluated_chunks, width);
  half_near_ = DeviceArray<double>(std::span<const double>(half_near));
  longest_ = tables.longest;
  polynomials_serve_ = do_polynomials_serve(tables, attenuation_, wanted_error_);
  if (!polynomials_serve_) {
    from_source_ = sources_to_states(tables, exponents.size());
    to_cells_ = states_to_cells(tables.sum, scale_, term_eights);
  }
  relative_error_ = polynomials_serve_ ? tables.relative_error : tables.sum.relative_error;
  return true;
}

Terms DeviceTables::of_layer(std::int64_t chunks, std::int64_t tiles) const {
  return {.terms = terms(),
          .chunks = chunks,
          .tiles = tiles,
          .decay = decay_.span().data(),
          .powers = fragments(powers_),
          .shape = fragments(shape_),
          .target = fragments(target_),
          .cells = fragments(cells_),
          .from_source = polynomials_serve_ ? nullptr : from_source_.span().data(),
          .to_cells = polynomials_serve_ ? nullptr : fragments(to_cells_),
          .half_near = half_near_.span().data()};
}

}  // namespace bombard::cuda
