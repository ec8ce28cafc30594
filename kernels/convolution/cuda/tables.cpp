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

/// Operands of the matrix units with eight inner indices and eight outer ones, the columns of a
/// right one or rows of a left one; matrix after matrix, table entry by table entry as the lanes
/// hold them, two numbers each (matrix_fragment.cuh has the picture).
template <class Number>
DeviceArray<double> fragments(int matrices, InnerIndices order, const Number& number) {
  std::vector<double> table;
  for (int matrix = 0; matrix < matrices; ++matrix) {
    for (int lane = 0; lane < 32; ++lane) {
      const int outer = lane / 4;
      const int inner = lane % 4;
      for (int i = 0; i < 2; ++i) {
        const bool in_pairs = order == InnerIndices::in_pairs;
        table.push_back(number(matrix, in_pairs ? 2 * inner + i : inner + 4 * i, outer));
      }
    }
  }
  return DeviceArray<double>(std::span<const double>(table));
}

/// The same with number(eight, parity, inner, outer): matrices [eight][parity].
template <class Number>
DeviceArray<double> fragments_by_parity(int eights, InnerIndices order, const Number& number) {
  return fragments(2 * eights, order, [&](int matrix, int inner, int outer) {
    return number(matrix / 2, matrix % 2, inner, outer);
  });
}

/// number(row, term), [row][term].
template <class Number>
DeviceArray<double> rows_of_terms(int rows, int terms, const Number& number) {
  std::vector<double> table;
  for (int row = 0; row < rows; ++row) {
    for (int term = 0; term < terms; ++term) table.push_back(number(row, term));
  }
  return DeviceArray<double>(std::span<const double>(table));
}

/// x^power for cell j < 32 of its chunk; the x of cell 63 - j is -x.
double power_of_position(int j, int power) {
  return std::pow((j - (half_width - 0.5)) / half_width, power);
}

const double2* pairs_of(const DeviceArray<double>& table) {
  return reinterpret_cast<const double2*>(table.span().data());
}

}  // namespace

bool DeviceTables::reach(double distance) {
  if (longest_ >= distance) return false;
  // Twice as far: distances that grow from storm to storm need new tables a few times only.
  ConvolutionTables tables(attenuation_, scale_, 2 * distance, wanted_error_);
  const auto own_terms = static_cast<int>(tables.sum.exponents.size());
  const int terms = (own_terms + 3) / 8 * 8 + 4;
  constexpr int cell_eights = half_width / 8;
  const int term_eights = eights_of(terms);
  // Filled up with terms without weight.
  std::vector<double>&exponents = tables.sum.exponents, &weights = tables.sum.weights;
  exponents.resize(static_cast<std::size_t>(8 * term_eights));
  weights.resize(exponents.size());
  tables.shape.resize(exponents.size());
  std::vector<double> factors;
  for (std::size_t t = 0; t < exponents.size(); ++t) {
    factors.push_back(scale_ * weights[t] * std::exp(-exponents[t] * (2 * width + 1)));
  }
  using enum InnerIndices;
  powers_ =
      fragments_by_parity(cell_eights, in_pairs, [&](int eight, int parity, int cell, int power) {
        return power_of_position(8 * eight + cell, 2 * power + parity);
      });
  cells_ =
      fragments_by_parity(cell_eights, in_halves, [&](int eight, int parity, int power, int cell) {
        return power_of_position(8 * eight + cell, 2 * power + parity);
      });
  shape_ =
      fragments_by_parity(term_eights, in_halves, [&](int eight, int parity, int power, int term) {
        return tables.shape[8 * eight + term][2 * power + parity];
      });
  target_ =
      fragments_by_parity(term_eights, in_halves, [&](int eight, int parity, int term, int power) {
        return factors[8 * eight + term] * tables.shape[8 * eight + term][2 * power + parity];
      });
  decay_ = rows_of_terms(evaluated_chunks, terms, [&](int chunks, int term) {
    return std::exp(-exponents[term] * width * chunks);
  });
  polynomials_serve_ = do_polynomials_serve(tables, attenuation_, wanted_error_);
  if (!polynomials_serve_) {
    from_source_ = rows_of_terms(width, terms, [&](int cells, int term) {
      return term < own_terms ? tables.moment[cells * tables.terms + term] : 0.0;
    });
    to_cells_ =
        fragments(2 * cell_eights * term_eights, in_halves, [&](int matrix, int inner, int cell) {
          const int t = matrix / (2 * cell_eights) * 8 + inner;
          const int j = matrix / 2 % cell_eights * 8 + cell;
          const int place = matrix % 2 == 0 ? j : width - 1 - j;
          return scale_ * weights[t] * std::exp(-exponents[t] * (place + width));
        });
  }
  exponents.resize(static_cast<std::size_t>(terms));
  exponents_on_host_ = exponents;
  exponents_ = DeviceArray<double>(std::span<const double>(exponents));
  for (double& near : tables.near) near /= 2;
  half_near_ = DeviceArray<double>(std::span<const double>(tables.near).first(near_size));
  longest_ = tables.longest;
  relative_error_ = polynomials_serve_ ? tables.relative_error : tables.sum.relative_error;
  return true;
}

Terms DeviceTables::of_layer(std::int64_t chunks, std::int64_t tiles) const {
  return {.terms = terms(),
          .chunks = chunks,
          .tiles = tiles,
          .decay = decay_.span().data(),
          .powers = pairs_of(powers_),
          .shape = pairs_of(shape_),
          .target = pairs_of(target_),
          .cells = pairs_of(cells_),
          .from_source = polynomials_serve_ ? nullptr : from_source_.span().data(),
          .to_cells = polynomials_serve_ ? nullptr : pairs_of(to_cells_),
          .half_near = half_near_.span().data()};
}

}  // namespace bombard::cuda
