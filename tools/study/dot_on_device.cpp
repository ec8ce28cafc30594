#include "kernels/device/device_memory.hpp"
#include "solvers/cublas.hpp"
#include "solvers/sums/row_dots.hpp"
#include "tools/study/measure_on_device.hpp"
#include "tools/study/on_device.hpp"

namespace bombard::tools {

namespace {

void row_dots(std::int64_t n, std::span<const float> a, std::span<const float> b,
              std::span<double> dots, const DeviceDotStudy::AddDots& add) {
  const cuda::DeviceArray<float> a_there{a};
  const cuda::DeviceArray<float> b_there{b};
  cuda::DeviceArray<double> there{std::span<const double>(dots)};
  for (const int threads : {32, 128, 256, 512, 1024}) {
    const double seconds = device_seconds(
        [&] { cuda::row_dots<float>(n, a_there.span(), b_there.span(), there.span(), threads); });
    there.copy_to(dots);
    add("in-house", threads, seconds, 0x1p-53);
    there.copy_from(dots);
  }
  if (!cuda::has_cublas()) return;
  cuda::DeviceArray<float> float_there(n);
  const double seconds = device_seconds(
      [&] { cuda::cublas_row_dots<float>(n, a_there.span(), b_there.span(), float_there.span()); });
  std::vector<float> in_float(static_cast<std::size_t>(n));
  float_there.copy_to(in_float);
  std::ranges::copy(in_float, dots.begin());
  add("cuBLAS batched gemm in float", 0, seconds, 0x1p-24);
}

const Registered study{DeviceDotStudy{row_dots}};

}  // namespace

}  // namespace bombard::tools
