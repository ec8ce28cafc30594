#pragma once

#include <vector>

#include "kernels/convolution/tables.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/share/attenuation.hpp"

namespace bombard::cuda {

/// ConvolutionTables as kernels read them, in device memory.
struct Tables {
  int terms;                              ///< of the exponential sum
  int row;                                ///< numbers in a row of terms; the last ones are 0
  const double *exponents, *chunk_decay;  ///< [term]
  const double* moment;                   ///< [cells to the end of the chunk][row]
  const double *even, *odd;               ///< [term][parity_coefficients]
  const double* target;  ///< [term][cell of its chunk]; nullptr if polynomials are used
  const double* near;    ///< [offset of an impact from the cell], from -2 chunks to 2 chunks
};

/// ConvolutionTables for one attenuation, scale and wanted error, on the device as well.
class DeviceTables {
 public:
  DeviceTables(const Attenuation& attenuation, double scale, double relative_error)
      : attenuation_(attenuation), scale_(scale), wanted_error_(relative_error) {}

  /// Computes tables that cover distances up to this one, unless they do; returns whether it did.
  bool reach(double distance);

  /// Whether polynomials replace the exponentials within the chunk of a cell.
  bool polynomials_serve() const { return polynomials_serve_; }
  /// The error of each impact's share, without rounding.
  double relative_error() const { return relative_error_; }
  /// The largest distance that the exponentials cover.
  double longest() const { return longest_; }
  const std::vector<double>& exponents() const { return exponents_; }
  int terms() const { return static_cast<int>(exponents_.size()); }
  Tables on_device() const;

 private:
  Attenuation attenuation_;
  double scale_, wanted_error_;
  double longest_ = 0, relative_error_ = 0;
  bool polynomials_serve_ = true;
  int row_ = 0;
  std::vector<double> exponents_;
  DeviceArray<double> exponents_there_, chunk_decay_, moment_, even_, odd_, target_, near_;
};

}  // namespace bombard::cuda
