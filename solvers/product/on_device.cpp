#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "solvers/cublas.hpp"
#include "solvers/product/multiply.hpp"
#include "solvers/timed.hpp"

namespace bombard {

namespace {

template <class T>
void multiply_on_device(ProductShape shape, std::span<const T> a, std::span<const T> b,
                        std::span<T> c, ProductKernel kernel, int block, KernelTiming* timing) {
  if (kernel == ProductKernel::automatic) {
    kernel = cuda::has_cublas() ? ProductKernel::cublas : ProductKernel::tiled;
  }
  cuda::require_device_memory(
      static_cast<std::int64_t>(a.size_bytes() + b.size_bytes() + c.size_bytes()), "the product");
  const cuda::DeviceArray<T> a_there{a};
  const cuda::DeviceArray<T> b_there{b};
  cuda::DeviceArray<T> c_there(static_cast<std::int64_t>(c.size()));
  if (timing != nullptr) c_there.copy_from(c);  // so that nothing right is there by chance
  cuda::run_timed(timing, [&] {
    if (kernel == ProductKernel::naive) {
      cuda::naive_product<T>(shape, a_there.span(), b_there.span(), c_there.span(), block);
    } else if (kernel == ProductKernel::tiled) {
      cuda::tiled_product<T>(shape, a_there.span(), b_there.span(), c_there.span(), block);
    } else {
      cuda::cublas_gemm(shape.rows, shape.inner, shape.columns, a_there.span().data(),
                        b_there.span().data(), c_there.span().data());
    }
  });
  c_there.copy_to(c);
}

const Registered in_single{DeviceProduct<float>{multiply_on_device}};
const Registered in_double{DeviceProduct<double>{multiply_on_device}};

}  // namespace

}  // namespace bombard
