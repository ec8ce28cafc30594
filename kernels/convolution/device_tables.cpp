#include "kernels/convolution/device_tables.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "kernels/convolution/shape.cuh"
#include "kernels/convolution/tables.hpp"

namespace bombard::cuda {

namespace {

/// x of cell j < 32 of its chunk, between -1 and 0; that of cell 63 - j is -x.
constexpr double position_in_chunk(int j) {
  return (j - (half_width - 0.5)) / half_width;
}

/// How many matrix fragments there are of each kind, which follow one another in memory.
struct Fragments {
  int powers, shape, target, cells, passed;

  explicit Fragments(int terms)
      : powers(half_width / 8 * 2),
        shape(eights_of(terms) * 2),
        target(eights_of(terms) * 2),
        cells(half_width / 8 * 2),
        passed(eights_of(terms) * 2 * row_blocks) {}
};

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

}  // namespace

DeviceTables::DeviceTables(double power, double scale, double relative_error)
    : power_(power), scale_(scale), wanted_error_(relative_error) {}

bool DeviceTables::reach(double distance) {
  if (longest_ >= distance) return false;
  const ConvolutionTables tables(power_, scale_, 2 * distance, wanted_error_);
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
  longest_ = tables.longest;
  relative_error_ = tables.relative_error;
  return true;
}

Terms DeviceTables::of_layer(std::int64_t chunks, std::int64_t tiles) const {
  const Fragments count_of(terms());
  const auto* fragments = reinterpret_cast<const double2*>(fragments_.span().data());
  const auto next = [&](int count) { return std::exchange(fragments, fragments + count * 32); };
  return {.terms = terms(),
          .chunks = chunks,
          .tiles = tiles,
          .decay = decay_.span().data(),
          .powers = next(count_of.powers),
          .shape = next(count_of.shape),
          .target = next(count_of.target),
          .cells = next(count_of.cells),
          .passed = next(count_of.passed),
          .half_near = half_near_.span().data()};
}

}  // namespace bombard::cuda
