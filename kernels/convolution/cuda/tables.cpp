#include "kernels/convolution/cuda/tables.hpp"

#include <span>
#include <utility>

namespace bombard::cuda {

bool DeviceTables::reach(double distance) {
  if (longest_ >= distance) return false;
  // They cover twice as much: distances that grow from storm to storm need new tables only rarely.
  ConvolutionTables tables(attenuation_, scale_, 2 * distance, wanted_error_);
  const auto there = [](std::span<const double> table) { return DeviceArray<double>(table); };
  exponents_there_ = there(tables.sum.exponents);
  chunk_decay_ = there(tables.chunk_decay);
  moment_ = there(tables.moment);
  even_ = there(tables.even);
  odd_ = there(tables.odd);
  target_ = there(tables.target);
  near_ = there(tables.near);
  exponents_ = std::move(tables.sum.exponents);
  row_ = static_cast<int>(tables.terms);
  polynomials_serve_ = tables.polynomials_serve;
  longest_ = tables.longest;
  relative_error_ = tables.relative_error;
  return true;
}

Tables DeviceTables::on_device() const {
  return {.terms = terms(),
          .row = row_,
          .exponents = exponents_there_.span().data(),
          .chunk_decay = chunk_decay_.span().data(),
          .moment = moment_.span().data(),
          .even = even_.span().data(),
          .odd = odd_.span().data(),
          .target = polynomials_serve_ ? nullptr : target_.span().data(),
          .near = near_.span().data() + 2 * chunk_cells};
}

}  // namespace bombard::cuda
