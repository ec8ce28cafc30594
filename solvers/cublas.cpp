#include "solvers/cublas.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <type_traits>

#include "bombard/errors.hpp"

namespace bombard::cuda {

namespace {

// The interface of cuBLAS 12 and later, as in its cublas_api.h.
using Handle = void*;
using Status = int;  // 0: success
enum Operation : int { as_stored = 0, transposed = 1 };
template <class T>
using Gemm = Status (*)(Handle, Operation, Operation, std::int64_t m, std::int64_t n,
                        std::int64_t k, const T* alpha, const T* a, std::int64_t lda, const T* b,
                        std::int64_t ldb, const T* beta, T* c, std::int64_t ldc);
template <class T>
using Gemv = Status (*)(Handle, Operation, std::int64_t m, std::int64_t n, const T* alpha,
                        const T* a, std::int64_t lda, const T* x, std::int64_t incx, const T* beta,
                        T* y, std::int64_t incy);
template <class T>
using BatchedGemm = Status (*)(Handle, Operation, Operation, std::int64_t m, std::int64_t n,
                               std::int64_t k, const T* alpha, const T* a, std::int64_t lda,
                               long long stride_a, const T* b, std::int64_t ldb, long long stride_b,
                               const T* beta, T* c, std::int64_t ldc, long long stride_c,
                               std::int64_t batch);

void check(Status status, const char* what) {
  if (status != 0) throw CannotRun(fmt::format("cuBLAS: {}: status {}", what, status));
}

/// The library and a handle, for as long as the program runs: unloading it at the end could come
/// after the driver's own end.
class Library {
 public:
  Library() {
    // The name alone finds an installed library; the directory finds the library beside the
    // compiler.
    library_ = dlopen("libcublas.so.13", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) {
      library_ = dlopen(BOMBARD_CUDA_LIBRARIES "/libcublas.so.13", RTLD_NOW | RTLD_LOCAL);
    }
    if (library_ != nullptr) {
      check(function<Status (*)(Handle*)>("cublasCreate_v2")(&handle_), "creating a handle");
    }
  }
  bool loaded() const { return library_ != nullptr; }
  Handle handle() const { return handle_; }

  template <class Function>
  Function function(const char* name) const {
    if (!loaded()) {
      throw CannotRun(
          "cuBLAS (libcublas.so.13) is not installed here; take another kernel, or install it "
          "with the CUDA Toolkit");
    }
    void* found = dlsym(library_, name);
    if (found == nullptr) throw CannotRun(fmt::format("cuBLAS has no {}", name));
    return reinterpret_cast<Function>(found);
  }

  /// "gemm" in the precision of T: cublasSgemm..., cublasDgemm...
  template <class T, class Function>
  Function function(const char* name, const char* suffix) const {
    const char precision = std::is_same_v<T, float> ? 'S' : 'D';
    return function<Function>(fmt::format("cublas{}{}{}", precision, name, suffix).c_str());
  }

 private:
  void* library_ = nullptr;
  Handle handle_ = nullptr;
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

/// Leading dimensions are at least 1, also of empty matrices.
std::int64_t leading(std::int64_t size) {
  return std::max<std::int64_t>(1, size);
}

}  // namespace

bool has_cublas() {
  return library().loaded();
}

// cuBLAS reads matrices column by column, so that one stored row by row is its transpose:
// C^T = B^T A^T needs no transposition.
template <class T>
void cublas_gemm(std::int64_t rows, std::int64_t inner, std::int64_t columns, const T* a,
                 const T* b, T* c) {
  if (rows == 0 || columns == 0) return;
  static const auto gemm = library().function<T, Gemm<T>>("gemm", "_v2_64");
  const T one = 1;
  const T zero = 0;
  check(gemm(library().handle(), as_stored, as_stored, columns, rows, inner, &one, b,
             leading(columns), a, leading(inner), &zero, c, leading(columns)),
        "gemm");
}
template void cublas_gemm<float>(std::int64_t, std::int64_t, std::int64_t, const float*,
                                 const float*, float*);
template void cublas_gemm<double>(std::int64_t, std::int64_t, std::int64_t, const double*,
                                  const double*, double*);

template <class T>
void cublas_gemv(std::int64_t n, const T* a, const T* x, T* y) {
  static const auto gemv = library().function<T, Gemv<T>>("gemv", "_v2_64");
  const T one = 1;
  const T zero = 0;
  check(gemv(library().handle(), transposed, n, n, &one, a, leading(n), x, 1, &zero, y, 1), "gemv");
}
template void cublas_gemv<float>(std::int64_t, const float*, const float*, float*);
template void cublas_gemv<double>(std::int64_t, const double*, const double*, double*);

template <class T>
void cublas_batched_dots(std::int64_t rows, std::int64_t columns, const T* a, const T* b, T* dots) {
  if (rows == 0) return;
  static const auto gemm = library().function<T, BatchedGemm<T>>("gemmStridedBatched", "_64");
  const T one = 1;
  const T zero = 0;
  check(gemm(library().handle(), transposed, as_stored, 1, 1, columns, &one, a, leading(columns),
             columns, b, leading(columns), columns, &zero, dots, 1, 1, rows),
        "gemmStridedBatched");
}
template void cublas_batched_dots<float>(std::int64_t, std::int64_t, const float*, const float*,
                                         float*);
template void cublas_batched_dots<double>(std::int64_t, std::int64_t, const double*, const double*,
                                          double*);

}  // namespace bombard::cuda
