#pragma once

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

  /// Computes tables that cover distances up to this one, unless they do.
  void cover(double distance);

  /// Whether polynomials replace the exponentials within the chunk of a cell.
  bool polynomials_serve() const { return polynomials_serve_; }
  /// The error of each impact's share, without rounding; the wanted one at least, so that tables
  /// for longer distances hardly change it.
  double relative_error() const { return relative_error_; }
  Tables on_device() const { return tables_; }

 private:
  Attenuation attenuation_;
  double scale_, wanted_error_;
  double longest_ = 0, relative_error_ = 0;
  bool polynomials_serve_ = true;
  DeviceArray<double> exponents_, chunk_decay_, moment_, even_, odd_, target_, near_;
  Tables tables_{};  ///< in these arrays
};

}  // namespace bombard::cuda
