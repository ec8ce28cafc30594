#include "kernels/device/device_memory.hpp"
#include "solvers/cublas.hpp"
#include "solvers/product/multiply.hpp"
#include "tools/study/measure_on_device.hpp"
#include "tools/study/on_device.hpp"

namespace bombard::tools {

namespace {

void products(std::int64_t n, std::span<const float> a, std::span<const float> b,
              std::span<float> c, const AddMethodAndBlock& add) {
  const cuda::DeviceArray<float> a_there{a};
  const cuda::DeviceArray<float> b_there{b};
  cuda::DeviceArray<float> c_there{std::span<const float>(c)};
  const auto measure = [&](const std::string& method, std::int64_t block, const auto& multiply) {
    const double seconds =
        device_seconds([&] { multiply(a_there.span(), b_there.span(), c_there.span()); });
    c_there.copy_to(c);
    add(method, block, seconds);
    c_there.copy_from(c);
  };
  for (const int side : {8, 16, 32}) {
    measure("naive", side, [&](auto a, auto b, auto c) {
      cuda::naive_product<float>({n, n, n}, a, b, c, side);
    });
  }
  for (const int tile : {32, 64, 128}) {
    measure("tiled", tile, [&](auto a, auto b, auto c) {
      cuda::tiled_product<float>({n, n, n}, a, b, c, tile);
    });
  }
  if (cuda::has_cublas()) {
    measure("cuBLAS", 0, [&](auto a, auto b, auto c) {
      cuda::cublas_product<float>({n, n, n}, a, b, c);
    });
  }
}

const Registered study{DeviceProductStudy{products}};

}  // namespace

}  // namespace bombard::tools
