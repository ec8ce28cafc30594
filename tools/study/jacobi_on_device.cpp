#include "kernels/device/device_memory.hpp"
#include "solvers/cublas.hpp"
#include "solvers/jacobi/sweeps.hpp"
#include "tools/study/measure_on_device.hpp"
#include "tools/study/on_device.hpp"

namespace bombard::tools {

namespace {

void sweep(std::span<const float> a, std::span<const float> diagonal, std::span<const float> b,
           std::int64_t sweeps, std::vector<float>& x, const AddMethod& add) {
  constexpr double never = -1;
  const cuda::DeviceArray<float> a_there{a};
  const cuda::DeviceArray<float> diagonal_there{diagonal};
  const cuda::DeviceArray<float> b_there{b};
  const std::vector<float> zero(b.size());
  cuda::DeviceArray<float> x_there{std::span<const float>(zero)};
  const auto measure = [&](const std::string& method, const auto& iterate) {
    const double seconds = device_seconds([&] {
      x_there.copy_from(zero);
      iterate();
    });
    x.assign(b.size(), 0);
    x_there.copy_to(x);
    add(method, seconds);
  };
  measure("in-house in one launch", [&] {
    cuda::jacobi<float>(a_there.span(), diagonal_there.span(), b_there.span(), x_there.span(),
                        never, sweeps);
  });
  if (cuda::has_cublas()) {
    measure("cuBLAS gemv and a check a sweep", [&] {
      cuda::jacobi_by_gemv<float>(a_there.span(), diagonal_there.span(), b_there.span(),
                                  x_there.span(), never, sweeps);
    });
  }
}

const Registered study{DeviceJacobiStudy{sweep}};

}  // namespace

}  // namespace bombard::tools
