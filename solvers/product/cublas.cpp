#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <type_traits>

#include "bombard/errors.hpp"
#include "kernels/device/cuda_check.hpp"
#include "solvers/product/product.hpp"

namespace bombard::cuda {

namespace {

void require(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw CannotRun(std::string("cuBLAS: ") + cublasGetStatusString(status));
}

struct Destroy {
  void operator()(cublasHandle_t handle) const { cublasDestroy(handle); }
};

/// This thread's handle for the current device: a handle belongs to one device, and to one thread
/// at a time.
cublasHandle_t handle() {
  thread_local std::map<int, std::unique_ptr<cublasContext, Destroy>> of_device;
  int device = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  auto& own = of_device[device];
  if (!own) {
    cublasHandle_t made = nullptr;
    require(cublasCreate(&made));
    own.reset(made);
  }
  return own.get();
}

}  // namespace

// cuBLAS reads matrices column by column, so that one stored row by row is its transpose:
// C^T = B^T A^T needs no transposition. Leading dimensions are at least 1, even for empty matrices.
template <class T>
void cublas_product(ProductShape shape, const T* a, const T* b, T* c) {
  if (shape.rows == 0 || shape.columns == 0) return;
  constexpr T zero = 0, one = 1;
  const auto multiply = [&](auto* function) {
    require(function(handle(), CUBLAS_OP_N, CUBLAS_OP_N, shape.columns, shape.rows, shape.inner,
                     &one, b, shape.columns, a, std::max<std::int64_t>(1, shape.inner), &zero, c,
                     shape.columns));
  };
  if constexpr (std::is_same_v<T, float>) {
    multiply(cublasSgemm_64);
  } else {
    multiply(cublasDgemm_64);
  }
}
template void cublas_product(ProductShape, const float*, const float*, float*);
template void cublas_product(ProductShape, const double*, const double*, double*);

}  // namespace bombard::cuda
