#include "kernels/convolution/cuda/tables.hpp"

#include <algorithm>
#include <span>

namespace bombard::cuda {

void DeviceTables::cover(double distance) {
  if (longest_ >= distance) return;
  // They cover twice as much: distances that grow from storm to storm need new tables only rarely.
  const ConvolutionTables tables(attenuation_, scale_, 2 * distance, wanted_error_);
  const auto there = [](std::span<const double> table) { return DeviceArray<double>(table); };
  exponents_ = there(tables.sum.exponents);
  chunk_decay_ = there(tables.chunk_decay);
  moment_ = there(tables.moment);
  even_ = there(tables.even);
  odd_ = there(tables.odd);
  target_ = there(tables.target);
  near_ = there(tables.near);
  polynomials_serve_ = tables.polynomials_serve;
  longest_ = tables.longest;
  relative_error_ = std::max(wanted_error_, tables.relative_error);
  tables_ = {.terms = static_cast<int>(tables.sum.exponents.size()),
             .row = static_cast<int>(tables.terms),
             .exponents = exponents_.span().data(),
             .chunk_decay = chunk_decay_.span().data(),
             .moment = moment_.span().data(),
             .even = even_.span().data(),
             .odd = odd_.span().data(),
             .target = polynomials_serve_ ? nullptr : target_.span().data(),
             .near = near_.span().data() + 2 * chunk_cells};
}

}  // namespace bombard::cuda
