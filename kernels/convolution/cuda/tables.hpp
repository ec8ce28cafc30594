#pragma once

#include <cstdint>
#include <vector>

#include "kernels/convolution/tables.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/share/attenuation.hpp"

namespace bombard::cuda {

struct Terms;

/// ConvolutionTables for one attenuation, scale and wanted error, as matrix fragments on the
/// device.
class DeviceTables {
 public:
  DeviceTables(const Attenuation& attenuation, double scale, double relative_error)
      : attenuation_(attenuation), scale_(scale), wanted_error_(relative_error) {}

  /// Computes those that cover distances up to this one, if they do not yet, and says whether.
  bool reach(double distance);

  /// Whether polynomials stand for the exponentials within a chunk, and near impacts are added in
  /// sums of mirrored places. If not there are Terms::from_source and Terms::to_cells.
  bool polynomials_serve() const { return polynomials_serve_; }
  /// The error of each impact's share, rounding left out.
  double relative_error() const { return relative_error_; }
  /// The largest distance that the exponentials serve.
  double longest() const { return longest_; }
  /// How many the exponential sum has, filled up with terms of weight 0, and [term] their
  /// exponents.
  int terms() const { return static_cast<int>(exponents_.size()); }
  const double* exponents() const { return exponents_.span().data(); }
  const std::vector<double>& exponents_on_host() const { return exponents_on_host_; }
  /// All others, with a layer's sizes.
  Terms of_layer(std::int64_t chunks, std::int64_t tiles) const;

 private:
  Attenuation attenuation_;
  double scale_, wanted_error_;
  double longest_ = 0, relative_error_ = 0;
  bool polynomials_serve_ = true;
  std::vector<double> exponents_on_host_;
  DeviceArray<double> exponents_, decay_, half_near_, from_source_;
  DeviceArray<double> powers_, shape_, target_, cells_, to_cells_;  ///< matrix fragments
};

}  // namespace bombard::cuda
