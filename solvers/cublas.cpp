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

/// The library, null where it is not installed. It is never unloaded: that could come after the
/// driver's own end.
void* library() {
  // The name alone finds an installed library; the directory finds the library beside the compiler.
  static void* const installed = dlopen("libcublas.so.13", RTLD_NOW | RTLD_LOCAL);
  static void* const loaded =
      installed != nullptr
          ? installed
          : dlopen(BOMBARD_CUDA_LIBRARIES "/libcublas.so.13", RTLD_NOW | RTLD_LOCAL);
  return loaded;
}

/// Calls a function of the library. The types of the arguments must be those of the function.
template <class... Arguments>
void call(const std::string& name, Arguments... arguments) {
  if (!has_cublas()) {
    throw CannotRun(
        "cuBLAS (libcublas.so.13) is not installed here; take another kernel, or install it with "
        "the CUDA Toolkit");
  }
  void* const found = dlsym(library(), name.c_str());
  if (found == nullptr) throw CannotRun(fmt::format("cuBLAS has no {}", name));
  const Status status = reinterpret_cast<Status (*)(Arguments...)>(found)(arguments...);
  if (status != 0) throw CannotRun(fmt::format("cuBLAS: {}: status {}", name, status));
}

Handle handle() {
  static const Handle created = [] {
    Handle made = nullptr;
    call("cublasCreate_v2", &made);
    return made;
  }();
  return created;
}

/// Calls cublasS... or cublasD..., in the precision of T.
template <class T, class... Arguments>
void call_for(const char* name, Arguments... arguments) {
  const char precision = std::is_same_v<T, float> ? 'S' : 'D';
  call(fmt::format("cublas{}{}_64", precision, name), handle(), arguments...);
}

/// Leading dimensions are at least 1, also of empty matrices.
std::int64_t leading(std::int64_t size) {
  return std::max<std::int64_t>(1, size);
}

template <class T>
constexpr T zero = 0;
template <class T>
constexpr T one = 1;

}  // namespace

bool has_cublas() {
  return library() != nullptr;
}

// cuBLAS reads matrices column by column, so that one stored row by row is its transpose:
// C^T = B^T A^T needs no transposition.
template <class T>
void cublas_gemm(std::int64_t rows, std::int64_t inner, std::int64_t columns, const T* a,
                 const T* b, T* c) {
  if (rows == 0 || columns == 0) return;
  call_for<T>("gemm_v2", as_stored, as_stored, columns, rows, inner, &one<T>, b, leading(columns),
              a, leading(inner), &zero<T>, c, leading(columns));
}
template void cublas_gemm(std::int64_t, std::int64_t, std::int64_t, const float*, const float*,
                          float*);
template void cublas_gemm(std::int64_t, std::int64_t, std::int64_t, const double*, const double*,
                          double*);

template <class T>
void cublas_gemv(std::int64_t n, const T* a, const T* x, T* y) {
  constexpr std::int64_t step = 1;
  call_for<T>("gemv_v2", transposed, n, n, &one<T>, a, leading(n), x, step, &zero<T>, y, step);
}
template void cublas_gemv(std::int64_t, const float*, const float*, float*);
template void cublas_gemv(std::int64_t, const double*, const double*, double*);

template <class T>
void cublas_batched_dots(std::int64_t rows, std::int64_t columns, const T* a, const T* b, T* dots) {
  if (rows == 0) return;
  constexpr std::int64_t single = 1;
  // Strides between matrices of a batch are long long in the interface.
  const long long stride = columns;
  call_for<T>("gemmStridedBatched", transposed, as_stored, single, single, columns, &one<T>, a,
              leading(columns), stride, b, leading(columns), stride, &zero<T>, dots, single, 1LL,
              rows);
}
template void cublas_batched_dots(std::int64_t, std::int64_t, const float*, const float*, float*);
template void cublas_batched_dots(std::int64_t, std::int64_t, const double*, const double*,
                                  double*);

}  // namespace bombard::cuda
