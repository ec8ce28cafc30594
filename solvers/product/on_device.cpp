#include "solvers/on_device.hpp"

#include "kernels/device/device_memory.hpp"
#include "solvers/cublas.hpp"
#include "solvers/product/multiply.hpp"

namespace bombard {

namespace {

template <class T>
ProductKernel multiply_on_device(ProductShape shape, std::span<const T> a, std::span<const T> b,
                                 std::span<T> c, ProductKernel kernel) {
  if (kernel == ProductKernel::automatic) {
    kernel = cuda::has_cublas() ? ProductKernel::cublas : ProductKernel::tiled;
  }
  cuda::require_device_memory(
      static_cast<std::int64_t>(a.size_bytes() + b.size_bytes() + c.size_bytes()), "the product");
  const cuda::DeviceArray<T> a_there{a};
  const cuda::DeviceArray<T> b_there{b};
  cuda::DeviceArray<T> c_there(static_cast<std::int64_t>(c.size()));
  if (kernel == ProductKernel::naive) {
    cuda::naive_product<T>(shape, a_there.span(), b_there.span(), c_there.span());
  } else if (kernel == ProductKernel::tiled) {
    cuda::tiled_product<T>(shape, a_there.span(), b_there.span(), c_there.span());
  } else {
    cuda::cublas_product<T>(shape, a_there.span(), b_there.span(), c_there.span());
  }
  c_there.copy_to(c);
  return kernel;
}

const Registered in_single{DeviceProduct<float>{multiply_on_device<float>}};
const Registered in_double{DeviceProduct<double>{multiply_on_device<double>}};

}  // namespace

}  // namespace bombard
