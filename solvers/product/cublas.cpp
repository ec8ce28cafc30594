#include "solvers/product/cublas.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <type_traits>

#include "bombard/errors.hpp"
#include "kernels/device/cuda_check.hpp"

namespace bombard::cuda {

namespace {

// The interface of cuBLAS 12 and later, as in its cublas_api.h.
using Handle = void*;
using Status = int;  // 0: success
enum Operation : int { as_stored = 0 };

/// The library, null where it is not installed. It is never unloaded, because that could come after
/// the driver has shut down.
void* library() {
  static void* const loaded = [] {
    // The bare name finds an installed library, and the directory one that comes with the compiler.
    // Every driver that can run this program supports version 12.
    for (const char* const name :
         {"libcublas.so.12", "libcublas.so.13", BOMBARD_CUDA_LIBRARIES "/libcublas.so.12",
          BOMBARD_CUDA_LIBRARIES "/libcublas.so.13"}) {
      if (void* const found = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return found;
    }
    return static_cast<void*>(nullptr);
  }();
  return loaded;
}

/// Calls a function of the library. The types of the arguments must be those of the function.
template <class... Arguments>
void call(const char* name, Arguments... arguments) {
  if (!has_cublas()) {
    throw CannotRun(
        "cuBLAS (libcublas.so.12 or .13) is not installed here; take another kernel, or install it "
        "with the CUDA Toolkit");
  }
  void* const found = dlsym(library(), name);
  if (found == nullptr) throw CannotRun(fmt::format("cuBLAS has no {}", name));
  const Status status = reinterpret_cast<Status (*)(Arguments...)>(found)(arguments...);
  if (status != 0) throw CannotRun(fmt::format("cuBLAS: {}: status {}", name, status));
}

struct Destroy {
  void operator()(Handle handle) const {
    void* const destroy = dlsym(library(), "cublasDestroy_v2");
    if (destroy != nullptr) reinterpret_cast<Status (*)(Handle)>(destroy)(handle);
  }
};

/// This thread's handle for the current device: a handle computes on the device on which it was
/// made, and only one thread at a time may use it.
Handle handle() {
  thread_local std::map<int, std::unique_ptr<void, Destroy>> of_device;
  int device = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  auto& made = of_device[device];
  if (made == nullptr) {
    Handle created = nullptr;
    call("cublasCreate_v2", &created);
    made.reset(created);
  }
  return made.get();
}

}  // namespace

bool has_cublas() {
  return library() != nullptr;
}

// cuBLAS reads matrices column by column, so that one stored row by row is its transpose:
// C^T = B^T A^T needs no transposition. Leading dimensions are at least 1, even for empty matrices.
template <class T>
void cublas_product(ProductShape shape, const T* a, const T* b, T* c) {
  if (shape.rows == 0 || shape.columns == 0) return;
  constexpr T zero = 0, one = 1;
  call(std::is_same_v<T, float> ? "cublasSgemm_v2_64" : "cublasDgemm_v2_64", handle(), as_stored,
       as_stored, shape.columns, shape.rows, shape.inner, &one, b, shape.columns, a,
       std::max<std::int64_t>(1, shape.inner), &zero, c, shape.columns);
}
template void cublas_product(ProductShape, const float*, const float*, float*);
template void cublas_product(ProductShape, const double*, const double*, double*);

}  // namespace bombard::cuda
